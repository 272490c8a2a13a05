import { adaptHistory } from "@heddle/provider-kit"
import { emptyUsage } from "@heddle/stream"
import type { AssistantMessage, Message, SimpleStreamOptions, Tool, ToolResultMessage } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { resolveCompat } from "../src/compat.ts"
import { toRequest } from "../src/to-request.ts"
import { freeze } from "./freeze.ts"
import { eventsOf } from "./naive-reader.ts"
import { HAS_RECORDINGS, recordings, WHERE } from "./recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"
import { violationsOf } from "./request-rules.ts"

const OWN = {
  api: "bedrock-converse-stream",
  provider: "amazon-bedrock",
  model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}
const FOREIGN = { api: "openai-completions", provider: "openai", model: "gpt-x" }

const READ: Tool = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }

/** The request that asks the model to go on. */
function bodyOf(
  messages: readonly Message[],
  options: SimpleStreamOptions = { reasoning: "low", temperature: 1 },
  tools: readonly Tool[] = [READ],
  // biome-ignore lint/suspicious/noExplicitAny: a body is looked at from outside
): any {
  const model = modelOf({ id: OWN.model })
  const adapted = adaptHistory(freeze(messages), model, {
    toolCallIds: { characters: "word", maxLength: 64 },
  })
  return toRequest(
    model,
    { systemPrompt: "Be brief.", messages: adapted, tools },
    options,
    resolveCompat(model),
  )
}

function user(text = "Go on."): Message {
  return { role: "user", content: text, timestamp: 0 }
}

/** One result for every call. */
function resultsOf({ content }: AssistantMessage): ToolResultMessage[] {
  return content
    .filter((block) => block.type === "toolCall")
    .map(({ id, name }) => ({
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text: "done" }],
      isError: false,
      timestamp: 0,
    }))
}

describe.runIf(HAS_RECORDINGS)(`an answer of the ${WHERE}`, () => {
  test.each(recordings())("makes a valid request when it goes back: $name", async ({ bytes }) => {
    const { message } = await replayBytes([bytes])
    const answer = { ...message, ...OWN }

    const body = bodyOf([user("Hi"), answer, ...resultsOf(answer), user()])

    expect(violationsOf(body)).toEqual([])
    expect(JSON.stringify(body.messages[1].content.flatMap(Object.keys))).toBe(JSON.stringify(kindsOf(bytes)))
  })

  /** The members of the blocks that were streamed. */
  function kindsOf(bytes: Uint8Array): string[] {
    const kinds = new Map<number, string>()
    for (const { payload } of eventsOf(bytes)) {
      if (payload.start?.toolUse) kinds.set(payload.contentBlockIndex, "toolUse")
      const [member] = Object.keys(payload.delta ?? {})
      if (member) kinds.set(payload.contentBlockIndex, member === "citation" ? "text" : member)
    }
    return [...kinds.values()]
  }
})

const words = fc.constantFrom("Hi", "", " ", "\n", "half \ud83d", "🙂", "a\u0000b")
/** What this adapter writes into each kind of signature, and what a damaged transcript may hold. */
const textSignature = fc.constantFrom('{"citations":[{"title":"A"}]}', "{", "")
const thinkingSignature = fc.constantFrom("c2ln", "not base64!", "")
const id = fc.constantFrom("tooluse_0", "call|0", "call_0", "", "é", "x".repeat(64), "x".repeat(65))

const image = fc.constantFrom(
  { type: "image", data: "aW1n", mimeType: "image/png" } as const,
  { type: "image", data: "aW1n", mimeType: "image/svg+xml" } as const,
)
const text = fc.record({ type: fc.constant("text" as const), text: words })
const signedText = fc.record({ type: fc.constant("text" as const), text: words, textSignature })
const thinking = fc.record(
  { type: fc.constant("thinking" as const), thinking: words, thinkingSignature, redacted: fc.boolean() },
  { requiredKeys: ["type", "thinking"] },
)
const call = fc.record(
  {
    type: fc.constant("toolCall" as const),
    id,
    name: fc.constantFrom("read", "list", ""),
    arguments: fc.constantFrom({}, { path: "a" }),
    thoughtSignature: fc.constant("x"),
  },
  { requiredKeys: ["type", "id", "name", "arguments"] },
)
const opaque = fc.constantFrom(
  {
    type: "opaque" as const,
    kind: "server_tool_use",
    data: { toolUse: { toolUseId: "s", name: "nova_grounding", type: "server_tool_use", input: {} } },
  },
  { type: "opaque" as const, kind: "image", data: { image: { format: "png", source: { bytes: "aW1n" } } } },
  { type: "opaque" as const, kind: "image", data: { image: { format: "png" } } },
  { type: "opaque" as const, kind: "hologram", data: null },
)

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    role: fc.constant("user" as const),
    content: fc.oneof(words, fc.array(fc.oneof(text, image), { maxLength: 3 })),
    timestamp: fc.constant(0),
  }),
  fc
    .record({
      by: fc.constantFrom(OWN, FOREIGN),
      content: fc.array(fc.oneof(text, signedText, thinking, call, opaque), { maxLength: 4 }),
      stopReason: fc.constantFrom(
        "stop" as const,
        "toolUse" as const,
        "length" as const,
        "aborted" as const,
        "error" as const,
      ),
    })
    .map(({ by, ...fields }) => ({
      role: "assistant" as const,
      ...by,
      ...fields,
      usage: emptyUsage(),
      timestamp: 0,
    })),
  fc.record({
    role: fc.constant("toolResult" as const),
    toolCallId: id,
    toolName: fc.constant("read"),
    content: fc.array(fc.oneof(text, image), { maxLength: 3 }),
    isError: fc.boolean(),
    timestamp: fc.constant(0),
  }),
)

const options: fc.Arbitrary<SimpleStreamOptions> = fc.record(
  {
    reasoning: fc.constantFrom("minimal" as const, "low" as const, "high" as const, "max" as const),
    temperature: fc.constantFrom(0, 1),
    maxTokens: fc.constantFrom(1, 1500, 4000, 1e9),
    toolChoice: fc.constantFrom("auto" as const, "none" as const, "required" as const, { name: "read" }),
    cacheRetention: fc.constantFrom("none" as const, "short" as const, "long" as const),
    metadata: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.object()), { maxKeys: 20 }),
  },
  { requiredKeys: [] },
)

describe("any transcript", () => {
  test("makes a valid request, whatever has happened to it", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        options,
        fc.constantFrom([READ], []),
        (messages, wanted, tools) => {
          expect(violationsOf(bodyOf([...messages, user()], wanted, tools))).toEqual([])
        },
      ),
      { numRuns: 500 },
    )
  })

  test("is the same request every time", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
        expect(bodyOf([...messages, user()])).toEqual(bodyOf([...messages, user()]))
      }),
      { numRuns: 50 },
    )
  })
})
