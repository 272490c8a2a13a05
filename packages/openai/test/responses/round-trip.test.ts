/** What one request has brought is history for the next: of this wire or another, it must be taken. */

import { adaptHistory } from "@heddle/provider-kit"
import type { AssistantMessage, Context, Message, Model } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { resolveCompat } from "../../src/responses/compat.ts"
import { toRequest } from "../../src/responses/to-request.ts"
import { freeze } from "../freeze.ts"
import { HAS_RECORDINGS, RESPONSES, WHERE } from "../recordings.ts"
import { bodyOf } from "./ask-server.ts"
import { modelOf, replayBytes } from "./replay.ts"
import { complaints } from "./validate-request.ts"

type Content = AssistantMessage["content"]

const USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

function assistant(content: Content, fields: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "openai-responses",
    provider: "openai",
    model: "test-model",
    usage: USAGE,
    stopReason: "stop",
    timestamp: 0,
    ...fields,
  }
}

function user(content: string): Message {
  return { role: "user", content, timestamp: 0 }
}

function result(toolCallId: string, says = "done"): Message {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content: says === "" ? [] : [{ type: "text", text: says }],
    isError: false,
    timestamp: 0,
  }
}

/** The body that the adapter would send, without sending it. */
function bodyFor(messages: readonly Message[], model: Model<"openai-responses">): unknown {
  const compat = resolveCompat(model)
  const context: Context = { messages: adaptHistory(messages, model, { toolCallIds: compat.toolCallIds }) }
  return JSON.parse(JSON.stringify(toRequest(model, context, {}, compat)))
}

const CONVERSATIONS: Readonly<Record<string, AssistantMessage>> = {
  "Anthropic's": assistant(
    [
      { type: "thinking", thinking: "Plan.", thinkingSignature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" },
      { type: "thinking", thinking: "", thinkingSignature: "EmwKAhgBEgy3va3pzix", redacted: true },
      { type: "text", text: "I look.", textSignature: '[{"type":"web_search_result_location"}]' },
      {
        type: "opaque",
        kind: "server_tool_use",
        data: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      },
      { type: "opaque", kind: "web_search_tool_result", data: { tool_use_id: "srvtoolu_1", content: [] } },
      { type: "toolCall", id: "toolu_01A09q90qw90lq917835lq9", name: "read", arguments: { path: "a" } },
      { type: "toolCall", id: "toolu_01B", name: "read", arguments: {}, argumentsError: "cut off" },
    ],
    { api: "anthropic-messages", provider: "anthropic", model: "claude", stopReason: "toolUse" },
  ),
  "Gemini's": assistant(
    [
      { type: "text", text: "Hm.", textSignature: "CiQB0e2Kb" },
      { type: "toolCall", id: "", name: "read", arguments: {}, thoughtSignature: "CpIDAVSoXO4" },
      { type: "toolCall", id: "", name: "read", arguments: {} },
      { type: "opaque", kind: "groundingMetadata", data: { webSearchQueries: [] } },
    ],
    { api: "google-generative-ai", provider: "google", model: "gemini", stopReason: "toolUse" },
  ),
  "OpenRouter's chat": assistant(
    [
      { type: "thinking", thinking: "Hm.", thinkingSignature: '[{"type":"reasoning.text","signature":"x"}]' },
      { type: "toolCall", id: "functions.read:0", name: "read", arguments: { a: "\ud800" } },
    ],
    { api: "openai-completions", provider: "openrouter", model: "kimi", stopReason: "toolUse" },
  ),
  "Bedrock's": assistant(
    [
      { type: "text", text: " \n" },
      { type: "toolCall", id: `tooluse_${"Q".repeat(80)}`, name: "read", arguments: {} },
      { type: "toolCall", id: `tooluse_${"Q".repeat(81)}`, name: "read", arguments: {} },
    ],
    { api: "bedrock-converse-stream", provider: "amazon-bedrock", model: "nova", stopReason: "toolUse" },
  ),
  "another model's of this wire": assistant(
    [
      {
        type: "thinking",
        thinking: "Hm.",
        thinkingSignature: '{"type":"reasoning","summary":[],"encrypted_content":"gAAA","id":"rs_1"}',
      },
      { type: "opaque", kind: "web_search_call", data: { type: "web_search_call", id: "ws_1" } },
      { type: "text", text: "Look.", textSignature: '{"phase":"commentary"}' },
      {
        type: "toolCall",
        id: "call_a",
        name: "sh",
        arguments: { input: "ls" },
        thoughtSignature: '{"type":"custom_tool_call","namespace":"x"}',
      },
    ],
    { model: "another", stopReason: "toolUse" },
  ),
}

describe("A conversation", () => {
  test.each(Object.keys(CONVERSATIONS))(
    "with turns of %s is taken, and gives nothing of theirs away",
    async (whose) => {
      const message = CONVERSATIONS[whose]!
      const calls = message.content.filter((block) => block.type === "toolCall")
      const messages = freeze([user("Hi"), message, ...calls.map(({ id }) => result(id)), user("Go on.")])

      const body = await bodyOf({ context: { messages } })

      expect(complaints(body)).toEqual([])
      const items = body.input as { type?: string; role?: string }[]
      expect(items.filter(({ type }) => type === "function_call")).toHaveLength(calls.length)
      expect(items.filter(({ type }) => type === "function_call_output")).toHaveLength(calls.length)
      expect(JSON.stringify(body)).not.toMatch(
        /reasoning"|ignature|encrypted_content"\s*:|phase|srvtoolu|web_search|namespace|custom_tool|grounding/,
      )
    },
  )

  test("of any turns is taken by OpenAI", () => {
    fc.assert(
      fc.property(fc.array(turn(), { maxLength: 8 }), (turns) => {
        const messages = freeze([user("Hi"), ...turns.flat()])

        expect(complaints(bodyFor(messages, modelOf("openai")))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test("grows at its end only, so that what is cached stays cached", () => {
    fc.assert(
      fc.property(fc.array(turn(), { minLength: 1, maxLength: 5 }), (turns) => {
        const messages = [user("Hi"), ...turns.flat()]
        const input = (of: readonly Message[]) =>
          (bodyFor(of, modelOf("openai")) as { input: readonly unknown[] }).input.map((item) =>
            JSON.stringify(item),
          )

        const all = input([...messages, user("Last.")])
        const before = input([user("Hi"), ...turns.slice(0, -1).flat(), user("Last.")]).slice(0, -1)
        expect(all.slice(0, before.length)).toEqual(before)
      }),
      { numRuns: 100 },
    )
  })
})

/** An answer of this model or another, complete or not, and results for some of its calls. */
function turn(): fc.Arbitrary<Message[]> {
  const text = fc.constantFrom("Well.", "", " \n", "a\ud800b", "👋")
  const id = fc.constantFrom("call_0", "call_1", "", "x".repeat(70), "a:b.c")
  const block: fc.Arbitrary<Content[number]> = fc.oneof(
    text.map((each) => ({ type: "text" as const, text: each })),
    text.map((each) => ({ type: "text" as const, text: each, textSignature: '{"phase":"commentary"}' })),
    fc.constantFrom("gAAA", null, undefined).map((encrypted) => ({
      type: "thinking" as const,
      thinking: "Hm.",
      thinkingSignature: JSON.stringify({
        id: "rs",
        type: "reasoning",
        summary: [],
        encrypted_content: encrypted,
      }),
    })),
    fc.constantFrom(
      { type: "thinking" as const, thinking: "Hm." },
      { type: "thinking" as const, thinking: "", thinkingSignature: "x" },
    ),
    fc.constantFrom<Content[number]>(
      { type: "opaque", kind: "web_search_call", data: { type: "web_search_call", id: "ws" } },
      { type: "opaque", kind: "mcp_call", data: { type: "mcp_call", id: "mcp", name: "x", arguments: "{}" } },
      { type: "opaque", kind: "strange", data: "no object" },
    ),
    fc.record({
      type: fc.constant("toolCall" as const),
      id,
      name: fc.constantFrom("read", ""),
      arguments: fc.constantFrom({}, { input: "ls" }, { a: [1, { b: "\udc00" }] }),
    }),
    id.map((each) => ({
      type: "toolCall" as const,
      id: each,
      name: "sh",
      arguments: { input: "ls" },
      thoughtSignature: '{"type":"custom_tool_call"}',
    })),
  )
  const message = fc.record({
    content: fc.array(block, { maxLength: 6 }),
    model: fc.constantFrom("test-model", "another"),
    stopReason: fc.constantFrom("stop", "length", "toolUse", "error", "aborted"),
  })
  return fc
    .tuple(message, fc.array(id, { maxLength: 4 }), fc.boolean())
    .map(([answer, results, asks]) => [
      assistant(answer.content, { model: answer.model, stopReason: answer.stopReason as "stop" }),
      ...results.map((each, index) => result(each, index === 0 ? "" : "done")),
      ...(asks ? [user("And?")] : []),
    ])
}

describe.runIf(HAS_RECORDINGS)(`Of ${WHERE},`, () => {
  test.each(RESPONSES.all())("$name is taken as history, in the order in which it came", async (each) => {
    const { message } = await replayBytes(each.provider, [each.bytes])
    const calls = message.content.filter((block) => block.type === "toolCall")
    const messages = [user("Hi"), message, ...calls.map(({ id }) => result(id)), user("Go on.")]

    // Azure and the others are judged as OpenAI is; what DeepSeek and LM Studio read again is no secret.
    const isReadable = ["deepseek", "lmstudio", "openrouter"].includes(each.provider)
    const body = bodyFor(messages, modelOf(each.provider))

    if (!isReadable) expect(complaints(body)).toEqual([])
    const items = (body as { input: readonly Record<string, unknown>[] }).input.slice(1, -1)
    const sent = items.filter(({ type }) => type !== "function_call_output").map(kindOf)
    expect(sent).toEqual(message.stopReason === "error" ? [] : expectedKinds(message, isReadable))
  })
})

function kindOf({ type, role }: Record<string, unknown>): unknown {
  return type ?? role
}

/** Everything that can be sent back: reasoning if it is encrypted or may be read, and not at the end. */
function expectedKinds({ content }: AssistantMessage, isReadable: boolean): unknown[] {
  const isSent = (block: Content[number]): boolean =>
    block.type !== "thinking" || isReadable || /"encrypted_content":"./.test(block.thinkingSignature ?? "")
  const next = (index: number): Content[number] | undefined =>
    content.slice(index).find(({ type }) => type !== "thinking")
  const isBroken = content.some((block, index) => !isSent(block) && next(index)?.type === "opaque")
  return content.flatMap((block, index) => {
    if (!isSent(block) || (block.type === "thinking" && !isReadable && !next(index))) return []
    if (isBroken && (block.type === "opaque" || next(index)?.type === "opaque")) return []
    if (block.type === "text") return block.text.trim() === "" ? [] : ["assistant"]
    if (block.type === "thinking") return ["reasoning"]
    return [block.type === "opaque" ? block.kind : "function_call"]
  })
}
