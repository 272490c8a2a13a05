import { adaptHistory } from "@heddle/provider-kit"
import { emptyUsage } from "@heddle/stream"
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { resolveCompat } from "../src/compat.ts"
import { toRequest } from "../src/to-request.ts"
import { freeze } from "./freeze.ts"
import { HAS_RECORDINGS, type Recording, recordings, WHERE } from "./recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"
import { violationsOf } from "./request-rules.ts"

const OWN = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-20250514" }
const FOREIGN = { api: "openai-completions", provider: "openai", model: "gpt-x" }

/** The request that asks the model to go on. */
// biome-ignore lint/suspicious/noExplicitAny: a body is looked at from outside
function bodyOf(messages: readonly Message[]): any {
  const model = modelOf({ id: OWN.model, maxTokens: 8000 })
  const adapted = adaptHistory(freeze(messages), model, {
    toolCallIds: { characters: "word", maxLength: 64 },
  })
  const options = { reasoning: "low", temperature: 1 } as const
  return toRequest(model, { messages: adapted }, options, resolveCompat(model))
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

const words = fc.constantFrom("Hi", "", " ", "\n", "half \ud83d", "🙂", "a\u0000b")
/** What this adapter writes into each kind of signature, and what a damaged transcript may hold. */
const damaged = ["{", "[]", ""] as const
const textSignature = fc.constantFrom('{"citations":[{"type":"char_location","file_id":"f"}]}', ...damaged)
const thinkingSignature = fc.constantFrom("c2ln", ...damaged)
const thoughtSignature = fc.constantFrom('{"caller":{"type":"direct"}}', ...damaged)
const id = fc.constantFrom(
  "call_0",
  "call|0",
  "toolu_1",
  "",
  "é",
  "x".repeat(64),
  "x".repeat(65),
  "x".repeat(66),
)

const image = fc.constant({ type: "image", data: "aW1n", mimeType: "image/png" } as const)
const text = fc.record({ type: fc.constant("text" as const), text: words })
const signedText = fc.record({ type: fc.constant("text" as const), text: words, textSignature })
const thinking = fc.record(
  {
    type: fc.constant("thinking" as const),
    thinking: words,
    thinkingSignature,
    redacted: fc.boolean(),
  },
  { requiredKeys: ["type", "thinking"] },
)
const call = fc.record(
  {
    type: fc.constant("toolCall" as const),
    id,
    name: fc.constantFrom("read", "list", ""),
    arguments: fc.constantFrom({}, { path: "a" }),
    thoughtSignature,
    argumentsError: fc.constant("cut off"),
  },
  { requiredKeys: ["type", "id", "name", "arguments"] },
)
const searched = fc.nat().map((number) => {
  const use = { type: "server_tool_use", id: `srvtoolu_${number}`, name: "web_search", input: {} }
  const found = { type: "web_search_tool_result", tool_use_id: use.id, content: [] }
  return [use, found].map((data) => ({ type: "opaque", kind: data.type, data }) as const)
})

const assistant = fc
  .record({
    blocks: fc.array(fc.oneof(text, signedText, thinking, call, searched), { maxLength: 6 }),
    author: fc.constantFrom(OWN, FOREIGN),
    stopReason: fc.constantFrom("stop", "length", "toolUse", "error", "aborted" as const),
  })
  .map(({ blocks, author, stopReason }): AssistantMessage => {
    return {
      role: "assistant",
      content: blocks.flat(),
      ...author,
      usage: emptyUsage(),
      stopReason,
      timestamp: 0,
    }
  })

const said = fc
  .oneof(words, fc.array(fc.oneof(text, image), { maxLength: 3 }))
  .map((content): Message => ({ role: "user", content, timestamp: 0 }))

const strayResult = fc.record({
  role: fc.constant("toolResult" as const),
  toolCallId: id,
  toolName: fc.constantFrom("read", ""),
  content: fc.array(fc.oneof(text, image), { maxLength: 2 }),
  isError: fc.boolean(),
  timestamp: fc.constant(0),
})

/** Results may be missing, twice, out of order, or of nothing. */
const transcript = fc
  .array(
    fc.oneof(said, assistant, strayResult, fc.tuple(assistant, fc.array(strayResult, { maxLength: 3 }))),
    {
      maxLength: 8,
    },
  )
  .map((entries): Message[] => [...entries.flat(2), user()])

describe("a conversation that is sent to Anthropic", () => {
  test("is valid, whatever happened in it and whoever spoke", () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        expect(violationsOf(bodyOf(messages))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test("begins as it did when it was shorter, so that it is found in the cache", () => {
    fc.assert(
      fc.property(transcript, assistant, (messages, next) => {
        const before = bodyOf(messages).messages
        const after = bodyOf([...messages, next, ...resultsOf(next), user()]).messages

        const text = (body: unknown): string =>
          JSON.stringify(body).replaceAll(/,"cache_control":\{[^}]*\}/g, "")
        const last = before.length - 1
        expect(text(after.slice(0, last))).toBe(text(before.slice(0, last)))
        expect(
          text(after[last].content).slice(0, -1).startsWith(text(before[last].content).slice(0, -1)),
        ).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test("keeps what only its author can read from every other model", () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const foreign = messages.map(
          (message): Message => (message.role === "assistant" ? { ...message, ...FOREIGN } : message),
        )

        expect(JSON.stringify(bodyOf(foreign).messages)).not.toMatch(
          /thinking|signature|srvtoolu|caller|citations|c2ln/,
        )
      }),
      { numRuns: 200 },
    )
  })

  test("follows a call of another vendor with its result under one new id", () => {
    const call: ToolCall = {
      type: "toolCall",
      id: `fc_${"0".repeat(80)}|1`,
      name: "read",
      arguments: { path: "a" },
    }
    const foreign: AssistantMessage = {
      role: "assistant",
      content: [{ type: "thinking", thinking: "Hm.", thinkingSignature: "[]" }, call],
      ...FOREIGN,
      usage: emptyUsage(),
      stopReason: "toolUse",
      timestamp: 0,
    }

    const [, asked, answered] = bodyOf([user(), foreign, ...resultsOf(foreign)]).messages

    expect(asked.content).toEqual([
      { type: "tool_use", id: expect.stringMatching(/^[\w-]{1,64}$/), name: "read", input: { path: "a" } },
    ])
    expect(answered.content[0].tool_use_id).toBe(asked.content[0].id)
  })
})

describe.runIf(HAS_RECORDINGS)(`a conversation of ${WHERE}`, () => {
  /** Parts of one conversation, in order; everything else stands alone. */
  const conversations = new Map<string, Recording[]>()
  for (const each of recordings()) {
    const name = each.name.replace(/-part\d+$/, "")
    conversations.set(name, [...(conversations.get(name) ?? []), each])
  }
  const partOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0)

  test.each([...conversations.keys()])("%s goes back as it came", async (key) => {
    const parts = conversations.get(key)?.toSorted((a, b) => partOf(a.name) - partOf(b.name)) ?? []
    const said = await Promise.all(
      parts.map(async ({ bytes }) => ({ ...(await replayBytes([bytes])).message, ...OWN })),
    )
    const answers = said.filter(({ stopReason }) => stopReason !== "error")

    const body = bodyOf([user(), ...answers.flatMap((message) => [message, ...resultsOf(message)]), user()])

    expect(violationsOf(body)).toEqual([])
    const sent = body.messages.filter(({ role }: { role: string }) => role === "assistant")
    const blocks = sent.flatMap(({ content }: { content: unknown[] }) => content)
    const kept = answers.flatMap(({ content }) =>
      content.filter((block) => !isContainer(block) && !isBlank(block)),
    )
    expect(blocks).toHaveLength(kept.length)
  })
})

function isContainer(block: AssistantMessage["content"][number]): boolean {
  return block.type === "opaque" && block.kind === "container"
}

function isBlank(block: AssistantMessage["content"][number]): boolean {
  return block.type === "text" && block.text.trim() === ""
}
