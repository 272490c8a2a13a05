import { assertWellFormed, fold } from "@heddle/conformance"
import type { AssistantMessageEvent, ProxyAssistantMessageEvent } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { AssistantMessageBuilder } from "../src/assistant-message-builder.ts"
import { applyProxyEvent, createProxyEncoder, toProxyEvent } from "../src/proxy-wire.ts"

const MODEL = { api: "test", provider: "tester", id: "t-1" }
const PRICED = { ...MODEL, cost: { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 } }

function drain(builder: AssistantMessageBuilder): AssistantMessageEvent[] {
  const iterator = builder.stream[Symbol.asyncIterator]()
  const events: AssistantMessageEvent[] = []
  for (let event = iterator.take(); event; event = iterator.take()) events.push(event)
  return events
}

/** Over the wire as JSON, into a builder of another model and clock. */
function acrossTheWire(events: readonly AssistantMessageEvent[]): AssistantMessageEvent[] {
  const target = new AssistantMessageBuilder(
    { api: "proxy", provider: "elsewhere", id: "alias" },
    { now: () => 99 },
  )
  const encode = createProxyEncoder()
  for (const event of events) applyProxyEvent(target, JSON.parse(JSON.stringify(encode(event))))
  return drain(target)
}

function apply(...events: readonly object[]) {
  const builder = new AssistantMessageBuilder(MODEL, { now: () => 1 })
  for (const event of events) applyProxyEvent(builder, event as ProxyAssistantMessageEvent)
  return builder
}

describe("the proxy wire", () => {
  test("carries no snapshots", () => {
    const builder = new AssistantMessageBuilder(PRICED, { now: () => 7 })
    builder.text(0, "x")
    builder.toolCall(1, { id: "a", name: "read" })
    builder.done("toolUse")

    expect(drain(builder).map(toProxyEvent)).toEqual([
      { type: "start", api: "test", provider: "tester", model: "t-1", timestamp: 7 },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "x" },
      { type: "toolcall_start", contentIndex: 1, id: "a", toolName: "read" },
      { type: "text_end", contentIndex: 0 },
      {
        type: "toolcall_end",
        contentIndex: 1,
        toolCall: { type: "toolCall", id: "a", name: "read", arguments: {} },
      },
      { type: "done", reason: "toolUse", usage: builder.message.usage },
    ])
  })

  test("restores every event of a message that uses everything", () => {
    const source = new AssistantMessageBuilder(PRICED, { now: () => 7 })
    source.responseId("r-1")
    source.responseModel("t-1-2026")
    source.thinking("think", "hm")
    source.signature("think", "signed")
    source.close("think")
    source.opaque("search", "web_search_call", { status: "done" })
    source.close("search")
    source.text("say", "hi")
    source.signature("say", "cited")
    source.close("say")
    source.toolCall("late", {})
    source.toolInput("late", '{"a":')
    source.toolCall("late", { id: "call-a", name: "read" })
    source.signature("late", "thought")
    source.toolInput("late", "1}")
    source.close("late")
    source.toolCall("cut", { id: "call-b", name: "read" })
    source.usage({ input: 10, output: 20, reasoning: 5, cost: { total: 9 } })
    source.rawStopReason("max_tokens")
    source.done("length")

    const original = drain(source)
    const restored = acrossTheWire(original)

    expect(restored.map(({ type }) => type)).toEqual(original.map(({ type }) => type))
    expect(restored.at(-1)).toEqual(original.at(-1))
    expect(restored.map(toProxyEvent)).toEqual(original.map(toProxyEvent))
  })

  test("restores a call without arguments that streamed nothing", () => {
    const source = new AssistantMessageBuilder(MODEL, { now: () => 7 })
    source.toolCall(0, { id: "a", name: "now" })
    source.done("toolUse")

    const original = drain(source)

    expect(acrossTheWire(original)).toEqual(original)
  })

  test("restores redacted thinking", () => {
    const source = new AssistantMessageBuilder(MODEL, { now: () => 7 })
    source.redactedThinking(0, "cipher")
    source.done("stop")

    const original = drain(source)

    expect(acrossTheWire(original)).toEqual(original)
  })

  test("restores the snapshots, with all that is known of the message by then", () => {
    const source = new AssistantMessageBuilder(PRICED, { now: () => 7 })
    source.usage({ input: 10, cacheRead: 2 })
    source.responseId("r-1")
    source.text(0, "a")
    source.responseModel("t-1-2026")
    source.text(0, "b")
    source.opaque(1, "search", { query: "c" })
    source.usage({ output: 3, reasoning: 1, cost: { total: 9 } })
    source.close(0)
    source.rawStopReason("end")
    source.opaque(1, "search", { query: "c", hits: [1] })
    source.close(1)
    source.redactedThinking(2, "cipher")
    source.done("stop")

    const original = drain(source)

    expect(acrossTheWire(original)).toEqual(original)
  })

  test("keeps the usage seen so far for a reader that aborts", () => {
    const source = new AssistantMessageBuilder(PRICED)
    source.usage({ input: 10 })
    source.text(0, "a")
    const encode = createProxyEncoder()
    const target = new AssistantMessageBuilder(MODEL)

    for (const event of drain(source)) applyProxyEvent(target, encode(event))
    target.abort()

    expect(target.message.usage).toEqual(source.message.usage)
  })

  test("says what is new about the message once", () => {
    const source = new AssistantMessageBuilder(PRICED, { now: () => 7 })
    source.responseId("r-1")
    source.usage({ input: 10 })
    source.text(0, "a")
    source.text(0, "b")

    expect(drain(source).map(createProxyEncoder())).toEqual([
      { type: "start", api: "test", provider: "tester", model: "t-1", timestamp: 7 },
      { type: "text_start", contentIndex: 0, responseId: "r-1", usage: source.message.usage },
      { type: "text_delta", contentIndex: 0, delta: "a" },
      { type: "text_delta", contentIndex: 0, delta: "b" },
    ])
  })

  test("encodes events whose snapshots are not proper", () => {
    const events = [
      { type: "thinking_start", contentIndex: 0, partial: { content: [] } },
      { type: "toolcall_start", contentIndex: 1 },
      { type: "opaque_start", contentIndex: 2, partial: {} },
    ] as unknown as AssistantMessageEvent[]

    expect(events.map(createProxyEncoder())).toEqual([
      { type: "thinking_start", contentIndex: 0 },
      { type: "toolcall_start", contentIndex: 1, id: "", toolName: "" },
      { type: "opaque_start", contentIndex: 2, content: { type: "opaque", kind: "", data: null } },
    ])
  })

  test("counts a field of another type than it should have as absent", () => {
    const usage = { input: "3", output: 2, cost: { input: "1", total: 4, tip: 1 } }
    const builder = apply(
      { type: "start", api: 1, timestamp: "now", usage },
      { type: "toolcall_start", contentIndex: 0, id: 5, toolName: {} },
      { type: "toolcall_end", contentIndex: 0, toolCall: { id: [], name: "read", argumentsError: {} } },
      { type: "error", reason: "error", errorMessage: {}, failure: { code: "__proto__", status: "500" } },
    )

    expect(builder.message).toMatchObject({
      api: "test",
      timestamp: 1,
      usage: { input: 0, output: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 4 } },
      content: [{ id: expect.stringMatching(/^call_/), name: "read", arguments: {} }],
      errorMessage: "The upstream failed",
      failure: { code: "unknown", retryable: false },
    })
    expect(builder.message.usage.cost).not.toHaveProperty("tip")
    expect(builder.message.content[0]).not.toHaveProperty("argumentsError")
  })

  test("makes a proper message of whatever JSON comes", () => {
    const junk = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom("aborted", "", 0, 1, "__proto__"),
      fc.record({ code: fc.constantFrom("auth", "aborted", "odd", 1), status: fc.jsonValue() }),
      fc.record({
        input: fc.jsonValue(),
        cost: fc.dictionary(fc.constantFrom("total", "odd"), fc.jsonValue()),
      }),
    )
    const types = [
      ...["start", "done", "error", "future"],
      ...["text", "thinking", "toolcall", "opaque"].flatMap((kind) =>
        ["start", "delta", "end"].map((step) => `${kind}_${step}`),
      ),
    ]
    const fields = [
      ..."api provider model timestamp usage responseId responseModel rawStopReason reason errorMessage".split(
        " ",
      ),
      ..."failure delta contentSignature redacted id toolName toolCall content".split(" "),
    ]
    const event = fc
      .tuple(fc.constantFrom(...types), fc.nat(2), fc.dictionary(fc.constantFrom(...fields), junk))
      .map(([type, contentIndex, rest]) => ({ ...rest, type, contentIndex }))

    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const builder = apply(...events)
        builder.done("stop")

        const read = drain(builder)
        assertWellFormed(read)
        expect(fold(read)).toEqual(builder.message)
      }),
      { numRuns: 200 },
    )
  })

  test.each([{ how: "failed" }, { how: "aborted" }])(
    "restores a message that $how in the middle",
    ({ how }) => {
      const source = new AssistantMessageBuilder(PRICED, { now: () => 7 })
      source.text(0, "half")
      source.usage({ input: 10 })
      if (how === "failed") source.fail({ code: "overloaded", retryable: true, retryAfterMs: 5 }, "busy")
      else source.abort("enough")

      const original = drain(source)

      expect(acrossTheWire(original).at(-1)).toEqual(original.at(-1))
    },
  )

  test("restores a lone error as a lone error", () => {
    const source = new AssistantMessageBuilder(MODEL, { now: () => 7 })
    source.fail({ code: "auth", retryable: false }, "no key")

    expect(acrossTheWire(drain(source))).toMatchObject([
      { type: "error", reason: "error", error: { errorMessage: "no key", failure: { code: "auth" } } },
    ])
  })

  test.each([
    {
      what: "a delta for a block that was never opened",
      events: [{ type: "text_delta", contentIndex: 0, delta: "x" }],
      message: "text_delta is for block 0, which is not open",
    },
    {
      what: "a delta for a block that was closed",
      events: [
        { type: "text_start", contentIndex: 0 },
        { type: "text_end", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: "x" },
      ],
      message: "text_delta is for block 0, which is not open",
    },
    {
      what: "a delta of another kind",
      events: [
        { type: "text_start", contentIndex: 0 },
        { type: "thinking_delta", contentIndex: 0, delta: "x" },
      ],
      message: "thinking_delta is for block 0, which is of type text",
    },
    {
      what: "an index that skips",
      events: [{ type: "toolcall_start", contentIndex: 1, id: "a", toolName: "read" }],
      message: "toolcall_start opens block 1 where block 0 is next",
    },
    {
      what: "a block that is opened twice",
      events: [
        { type: "text_start", contentIndex: 0 },
        { type: "text_start", contentIndex: 0 },
      ],
      message: "text_start opens block 0 where block 1 is next",
    },
    {
      what: "an index that is no number",
      events: [{ type: "text_delta", contentIndex: "__proto__", delta: "x" }],
      message: "text_delta is for block __proto__, which is not open",
    },
    {
      what: "a delta without text",
      events: [
        { type: "text_start", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: { toString: 1 } },
      ],
      message: "text_delta has no text",
    },
    {
      what: "an opaque block without content",
      events: [
        { type: "opaque_start", contentIndex: 0 },
        { type: "opaque_end", contentIndex: 0 },
      ],
      message: "opaque_end has no content",
    },
    {
      what: "a reason that is none",
      events: [{ type: "done", reason: "tired" }],
      message: "done has an unknown reason",
    },
  ])("fails the message on $what", ({ events, message }) => {
    const builder = apply({ type: "start" }, ...events)

    expect(builder.message).toMatchObject({
      stopReason: "error",
      errorMessage: `The stream broke its protocol: ${message}`,
      failure: { code: "protocol" },
    })
  })

  test("skips events from the future and fields it does not know", () => {
    const builder = apply(
      { type: "start", future: 1 },
      { type: "hologram_start", contentIndex: 0 },
      { type: "text_start", contentIndex: 0, future: 1 },
      { type: "text_delta", contentIndex: 0, delta: "x" },
      { type: "done", reason: "stop" },
    )

    expect(builder.message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "x" }] })
  })

  test("reads servers that send neither the finished call nor usage", () => {
    const builder = apply(
      { type: "start" },
      { type: "toolcall_start", contentIndex: 0, id: "a", toolName: "read" },
      { type: "toolcall_delta", contentIndex: 0, delta: '{"a":1}' },
      { type: "toolcall_end", contentIndex: 0 },
      { type: "toolcall_start", contentIndex: 1, id: "b", toolName: "read" },
      { type: "toolcall_end", contentIndex: 1, toolCall: { id: "b", name: "read" } },
      { type: "toolcall_start", contentIndex: 2, id: "c", toolName: "read" },
      { type: "toolcall_end", contentIndex: 2, toolCall: "odd" },
      { type: "done", reason: "toolUse" },
    )

    expect(builder.message).toMatchObject({
      api: "test",
      stopReason: "toolUse",
      content: [
        { id: "a", name: "read", arguments: { a: 1 } },
        { id: "b", name: "read", arguments: {} },
        { id: "c", name: "read", arguments: {} },
      ],
    })
  })

  test("takes the server's bill as it is, not the prices of the client's model", () => {
    const usage = {
      input: 1_000_000,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 1_000_000,
      cost: { input: 7, output: 0, cacheRead: 0, cacheWrite: 0, total: 8 },
    }
    const builder = new AssistantMessageBuilder(PRICED)
    applyProxyEvent(builder, { type: "done", reason: "stop", usage })

    expect(builder.message.usage).toEqual(usage)
  })
})
