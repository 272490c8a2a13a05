import type { AssistantMessage, AssistantMessageEvent, Model } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { AssistantMessageBuilder } from "../src/assistant-message-builder.ts"

const MODEL: Model = {
  id: "t-1",
  name: "Test",
  api: "test",
  provider: "tester",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 1000,
  maxTokens: 100,
}

/** A builder, and a reader of everything that has come out of it so far, cloned on delivery. */
function build(createToolCallId?: () => string) {
  const builder = new AssistantMessageBuilder(MODEL, { now: () => 42, createToolCallId })
  const iterator = builder.stream[Symbol.asyncIterator]()
  const delivered: { event: AssistantMessageEvent; clone: AssistantMessageEvent }[] = []
  const events = (): AssistantMessageEvent[] => {
    for (let event = iterator.take(); event; event = iterator.take()) {
      delivered.push({ event, clone: structuredClone(event) })
    }
    return delivered.map(({ event }) => event)
  }
  return { builder, events, delivered, leave: () => iterator.return() }
}

const types = (events: readonly AssistantMessageEvent[]) => events.map((event) => event.type)

/** What a stream of one call's deltas ends with. */
function callOf(deltas: readonly string[], finish: (builder: AssistantMessageBuilder) => void) {
  const { builder, events } = build(() => "made-up")
  builder.toolCall(0, { id: "a", name: "read" })
  for (const delta of deltas) builder.toolInput(0, delta)
  finish(builder)
  return { call: builder.message.content[0], message: builder.message, events: events() }
}

describe("AssistantMessageBuilder", () => {
  test("streams text in the contract's grammar", () => {
    const { builder, events } = build()

    builder.text("t", "Hel")
    builder.text("t", "lo")
    builder.done("stop")

    expect(types(events())).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"])
    expect(events().at(-2)).toMatchObject({ contentIndex: 0, content: "Hello" })
    expect(events().at(-1)).toEqual({
      type: "done",
      reason: "stop",
      message: {
        role: "assistant",
        content: [{ type: "text", text: "Hello" }],
        api: "test",
        provider: "tester",
        model: "t-1",
        usage: {
          input: 0,
          output: 0,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 0,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        stopReason: "stop",
        timestamp: 42,
      },
    })
  })

  test("opens a block without a delta for empty text", () => {
    const { builder, events } = build()

    builder.text("t", "")

    expect(types(events())).toEqual(["start", "text_start"])
  })

  test("keeps parallel tool calls apart when their argument deltas interleave", () => {
    const { builder, events } = build()

    builder.toolCall(0, { id: "a", name: "read" })
    builder.toolCall(1, { id: "b", name: "read" })
    builder.toolInput(0, '{"path":')
    builder.toolInput(1, '{"path":"b.ts"}')
    builder.toolInput(0, '"a.ts"}')
    builder.done("toolUse")

    expect(events().at(-1)).toMatchObject({
      type: "done",
      message: {
        content: [
          { id: "a", arguments: { path: "a.ts" } },
          { id: "b", arguments: { path: "b.ts" } },
        ],
      },
    })
  })

  test("numbers blocks in the order they open and closes what is open at the end, in that order", () => {
    const { builder, events } = build()

    builder.thinking("b", "hm")
    builder.text("a", "x")
    builder.thinking("b", "m")
    builder.done("stop")

    expect(
      events().map((event) => ("contentIndex" in event ? [event.type, event.contentIndex] : event.type)),
    ).toEqual([
      "start",
      ["thinking_start", 0],
      ["thinking_delta", 0],
      ["text_start", 1],
      ["text_delta", 1],
      ["thinking_delta", 0],
      ["thinking_end", 0],
      ["text_end", 1],
      "done",
    ])
  })

  test("opens a new block when a closed key is used again", () => {
    const { builder } = build()

    builder.text("t", "one")
    builder.close("t")
    builder.text("t", "two")

    expect(builder.message.content).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ])
  })

  test("closes a block when its key is used for another kind", () => {
    const { builder, events } = build()

    builder.thinking(0, "hm")
    builder.text(0, "so")

    expect(types(events())).toEqual([
      "start",
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
    ])
  })

  test("puts each kind's signature into its own field and into the end event", () => {
    const { builder, events } = build()

    builder.text(0, "x")
    builder.signature(0, "text-signature")
    builder.thinking(1, "")
    builder.signature(1, "thinking-signature")
    builder.toolCall(2, { id: "a", name: "read" })
    builder.signature(2, "call-signature")
    builder.signature("unknown", "ignored")
    builder.done("toolUse")

    expect(builder.message.content).toEqual([
      { type: "text", text: "x", textSignature: "text-signature" },
      { type: "thinking", thinking: "", thinkingSignature: "thinking-signature" },
      { type: "toolCall", id: "a", name: "read", arguments: {}, thoughtSignature: "call-signature" },
    ])
    const ends = events().filter((event) => event.type === "text_end" || event.type === "thinking_end")
    expect(ends).toMatchObject([
      { content: "x", signature: "text-signature" },
      { content: "", signature: "thinking-signature" },
    ])
  })

  test("carries redacted thinking in its signature", () => {
    const { builder, events } = build()

    builder.redactedThinking(0, "cipher")
    builder.close(0)

    expect(builder.message.content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: "cipher", redacted: true },
    ])
    expect(events().at(-1)).toMatchObject({ type: "thinking_end", signature: "cipher", redacted: true })
  })

  test("streams opaque blocks without deltas, whole at their end", () => {
    const { builder, events } = build()

    builder.opaque(0, "server_tool_use", { id: 1 })
    builder.opaque(0, "server_tool_use", { id: 1, input: {} })
    builder.close(0)

    expect(types(events())).toEqual(["start", "opaque_start", "opaque_end"])
    expect(events().at(-1)).toMatchObject({
      content: { type: "opaque", kind: "server_tool_use", data: { id: 1, input: {} } },
    })
  })

  describe("with tool calls", () => {
    test("shows a prefix of the arguments at every delta", () => {
      const { events } = callOf(['{"pa', 'th":"a.', 'ts","n":1', "2}"], (builder) => builder.done("toolUse"))

      const shown = events
        .filter((event) => event.type === "toolcall_delta")
        .map((event) => (event.partial.content[0] as { arguments: unknown }).arguments)

      expect(shown).toEqual([{}, { path: "a." }, { path: "a.ts" }, { path: "a.ts", n: 12 }])
    })

    test("takes arguments as a whole, and streams them as one delta", () => {
      const { builder, events } = build()

      builder.toolCall(0, { id: "a", name: "read" })
      builder.toolArguments(0, { path: "a.ts" })
      builder.done("toolUse")

      expect(events().find((event) => event.type === "toolcall_delta")).toMatchObject({
        delta: '{"path":"a.ts"}',
        partial: { content: [{ arguments: { path: "a.ts" } }] },
      })
    })

    test("takes of whole arguments only what the pieces lacked, and nothing where they differ", () => {
      const { builder, events } = build()
      builder.toolInput(0, '{"a":')
      builder.toolArguments(0, '{"a":1}')
      builder.toolInput(1, '{"b":2}')
      builder.toolArguments(1, '{"b":3}')
      builder.done("toolUse")

      expect(events().filter((event) => event.type === "toolcall_delta")).toMatchObject([
        { delta: '{"a":' },
        { delta: "1}" },
        { delta: '{"b":2}' },
      ])
      expect(builder.message.content).toMatchObject([{ arguments: { a: 1 } }, { arguments: { b: 2 } }])
    })

    test("takes an id and a name that come late, and keeps what came first", () => {
      const { builder } = build()

      builder.toolInput(0, "{}")
      builder.toolCall(0, { id: "", name: null })
      builder.toolCall(0, { id: "a" })
      builder.toolCall(0, { id: "", name: "read" })
      builder.toolCall(0, { id: "b", name: "write" })
      builder.close(0)

      expect(builder.message.content).toEqual([{ type: "toolCall", id: "a", name: "read", arguments: {} }])
    })

    test("makes up an id that never comes, and makes ids unique within the message", () => {
      const { builder } = build(() => "made-up")

      builder.toolCall(0, { id: "same", name: "read" })
      builder.toolCall(1, { id: "same", name: "read" })
      builder.toolCall(2, { name: "read" })
      builder.toolCall(3, { name: "read" })
      builder.done("toolUse")

      expect(builder.message.content).toMatchObject([
        { id: "same" },
        { id: "same_2" },
        { id: "made-up" },
        { id: "made-up_2" },
      ])
    })

    test("makes up ids by itself that look like a vendor's", () => {
      const builder = new AssistantMessageBuilder(MODEL)
      builder.toolCall(0, { name: "read" })
      builder.close(0)

      expect(builder.message.content[0]).toMatchObject({ id: expect.stringMatching(/^call_[0-9a-f]{24}$/) })
    })

    test.each([
      { input: "", means: "no arguments" },
      { input: "null", means: "no arguments" },
      { input: "  {} ", means: "an empty object" },
    ])("reads $means from $input", ({ input }) => {
      const { call } = callOf([input], (builder) => builder.done("toolUse"))

      expect(call).toEqual({ type: "toolCall", id: "a", name: "read", arguments: {} })
    })

    test.each([
      { finish: "done with length", run: (builder: AssistantMessageBuilder) => builder.done("length") },
      { finish: "abort", run: (builder: AssistantMessageBuilder) => builder.abort() },
      {
        finish: "failure",
        run: (builder: AssistantMessageBuilder) => builder.fail({ code: "network", retryable: true }, "gone"),
      },
    ])("says that arguments were cut off before they began at a $finish", ({ run }) => {
      expect(callOf([], run).call).toMatchObject({
        arguments: {},
        argumentsError: "The arguments were cut off before they began",
      })
    })

    test("keeps what can be read of arguments that were cut off, and says so", () => {
      const { call } = callOf(['{"path":"a.ts","text":"half'], (builder) => builder.done("length"))

      expect(call).toMatchObject({
        arguments: { path: "a.ts", text: "half" },
        argumentsError: expect.any(String),
      })
    })

    test("keeps all that can be read of wide arguments that were cut off, not an earlier snapshot", () => {
      const rows = Array.from({ length: 2000 }, (_, row) => row)
      const { call } = callOf([`{"rows":[${rows}`, ",7,8,9", ",1"], (builder) => builder.done("length"))

      expect(call).toMatchObject({ arguments: { rows: [...rows, 7, 8, 9] } })
    })

    test("takes arguments that are whole as whole, also when the message was cut off after them", () => {
      const { call } = callOf(['{"path":"a.ts"}'], (builder) => builder.done("length"))

      expect(call).toEqual({ type: "toolCall", id: "a", name: "read", arguments: { path: "a.ts" } })
    })

    test.each([
      { input: '{"a":1}}' },
      { input: "{a:1}" },
      { input: "[1]" },
      { input: '"text"' },
      { input: "7" },
    ])("refuses $input as arguments and says how it fails", ({ input }) => {
      const { call } = callOf([input], (builder) => builder.done("toolUse"))

      expect(call).toMatchObject({ argumentsError: expect.stringMatching(/\w+/) })
    })

    test("keeps a __proto__ key as a key", () => {
      const { call } = callOf(['{"__proto__":{"polluted":true}}'], (builder) => builder.done("toolUse"))

      expect(Object.keys((call as { arguments: object }).arguments)).toEqual(["__proto__"])
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })

    test("ignores input for a call that was closed", () => {
      const { builder, events } = build()
      builder.toolCall(0, { id: "a", name: "read" })
      builder.close(0)
      const before = events().length

      builder.toolInput(0, "{}")
      builder.toolArguments(0, {})

      expect(events()).toHaveLength(before)
    })

    test("reports a stop with calls as toolUse, and leaves other reasons alone", () => {
      expect(callOf(["{}"], (builder) => builder.done("stop")).message.stopReason).toBe("toolUse")
      expect(callOf(["{}"], (builder) => builder.done("length")).message.stopReason).toBe("length")
    })
  })

  describe("counting usage", () => {
    test("lets present counters replace and absent ones keep, and adds up tokens and dollars", () => {
      const { builder } = build()

      builder.usage({ input: 1_000_000, cacheRead: 5 })
      builder.usage({ output: 500_000, cacheRead: 0, reasoning: 100 })
      builder.done("stop")

      expect(builder.message.usage).toEqual({
        input: 1_000_000,
        output: 500_000,
        cacheRead: 0,
        cacheWrite: 0,
        reasoning: 100,
        totalTokens: 1_500_000,
        cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
      })
    })

    test("prices an hour's cache writes at twice the input price", () => {
      const { builder } = build()

      builder.usage({ cacheWrite: 3_000_000, cacheWriteLong: 1_000_000 })

      expect(builder.message.usage.cost.cacheWrite).toBeCloseTo(2 * 1.25 + 2)
    })

    test("lets a total that the vendor states win, whatever comes after it", () => {
      const { builder } = build()

      builder.usage({ input: 1_000_000, cost: { total: 5 } })
      builder.usage({ output: 1 })

      expect(builder.message.usage.cost).toMatchObject({ input: 1, total: 5 })
    })

    test("ignores what is no count", () => {
      const { builder } = build()

      builder.usage({
        input: -1,
        output: Number.NaN,
        cacheRead: undefined,
        cacheWrite: Number.POSITIVE_INFINITY,
      })

      expect(builder.message.usage).toMatchObject({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })
    })

    test("ignores a stated cost that is no sum of money", () => {
      const { builder } = build()

      builder.usage({ input: 1_000_000, cost: { total: 5, input: undefined } })
      builder.usage({ cost: { total: Number.NaN, output: undefined, cacheRead: -1 } })

      expect(builder.message.usage.cost).toEqual({
        input: 1,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        total: 5,
      })
    })

    test("keeps usage on a failed message", () => {
      const { builder } = build()
      builder.usage({ input: 10 })

      builder.fail({ code: "network", retryable: true }, "gone")

      expect(builder.message).toMatchObject({ stopReason: "error", usage: { input: 10, totalTokens: 10 } })
    })
  })

  test.each([{ nothing: "" }, { nothing: null }, { nothing: undefined }])(
    "never lets $nothing overwrite an id, a model or a stop word",
    ({ nothing }) => {
      const { builder } = build()

      builder.responseId("r")
      builder.responseId(nothing)
      builder.responseModel("m")
      builder.responseModel(nothing)
      builder.rawStopReason("end_turn")
      builder.rawStopReason(nothing)

      expect(builder.message).toMatchObject({
        responseId: "r",
        responseModel: "m",
        rawStopReason: "end_turn",
      })
    },
  )

  test("leaves out what the vendor did not say", () => {
    const { builder } = build()

    builder.responseId(undefined)
    builder.responseModel(null)
    builder.rawStopReason(undefined)

    expect(Object.keys(builder.message)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(response|raw)/)]),
    )
  })

  test("tells a failure before anything arrived as a lone error", () => {
    const { builder, events } = build()

    builder.fail({ code: "auth", retryable: false, status: 401 }, "The key is wrong")
    builder.text(0, "late")
    builder.done("stop")
    builder.abort()

    expect(events()).toMatchObject([
      {
        type: "error",
        reason: "error",
        error: { content: [], errorMessage: "The key is wrong", failure: { code: "auth", status: 401 } },
      },
    ])
  })

  test.each([
    { reason: "enough", message: "enough" },
    { reason: new Error("too slow"), message: "too slow" },
    { reason: undefined, message: "The request was aborted" },
    { reason: { odd: true }, message: "The request was aborted" },
  ])("says why it was aborted: $message", ({ reason, message }) => {
    const { builder, events } = build()
    builder.text(0, "half")

    builder.abort(reason)

    expect(events().at(-1)).toMatchObject({
      type: "error",
      reason: "aborted",
      error: {
        content: [{ type: "text", text: "half" }],
        errorMessage: message,
        failure: { code: "aborted", retryable: false },
      },
    })
    expect(types(events())).toContain("text_end")
  })

  test("aborts when the reader leaves", async () => {
    const { builder, leave } = build()
    builder.text(0, "half")

    await leave()

    expect(builder.ended).toBe(true)
    expect(await builder.stream.result()).toMatchObject({
      stopReason: "aborted",
      content: [{ type: "text", text: "half" }],
    })
  })

  test("shares every block that did not change with the snapshot before", () => {
    const { builder } = build()
    builder.thinking("a", "hm")
    builder.text("b", "x")
    const before = builder.message

    builder.text("b", "y")

    expect(builder.message).not.toBe(before)
    expect(builder.message.content[0]).toBe(before.content[0])
    expect(builder.message.usage).toBe(before.usage)
    expect(before.content[1]).toEqual({ type: "text", text: "x" })
  })

  test("never changes a delivered event, and folds to the terminal message, whatever is called", () => {
    const key = fc.integer({ min: 0, max: 3 })
    const verb = fc.oneof(
      fc.record({ verb: fc.constant("text"), key, text: fc.string() }),
      fc.record({ verb: fc.constant("thinking"), key, text: fc.string() }),
      fc.record({ verb: fc.constant("toolCall"), key, text: fc.string() }),
      fc.record({
        verb: fc.constant("toolInput"),
        key,
        text: fc.constantFrom('{"a":', "[1,2", "]}", "{}", '"x'),
      }),
      fc.record({ verb: fc.constant("signature"), key, text: fc.string() }),
      fc.record({ verb: fc.constant("opaque"), key, text: fc.string() }),
      fc.record({ verb: fc.constant("close"), key, text: fc.constant("") }),
    )
    const finish = fc.constantFrom("stop", "length", "abort", "fail")
    fc.assert(
      fc.property(fc.array(verb, { maxLength: 30 }), finish, (verbs, ending) => {
        const { builder, events, delivered } = build()
        for (const { verb, key, text } of verbs) {
          if (verb === "text") builder.text(key, text)
          else if (verb === "thinking") builder.thinking(key, text)
          else if (verb === "toolCall") builder.toolCall(key, { id: text, name: text })
          else if (verb === "toolInput") builder.toolInput(key, text)
          else if (verb === "signature") builder.signature(key, text)
          else if (verb === "opaque") builder.opaque(key, text, { text })
          else builder.close(key)
          events()
        }
        if (ending === "abort") builder.abort()
        else if (ending === "fail") builder.fail({ code: "unknown", retryable: false }, "failed")
        else builder.done(ending as "stop" | "length")
        const all = events()

        for (const { event, clone } of delivered) expect(event).toEqual(clone)
        expect(all.filter((event) => event.type === "done" || event.type === "error")).toHaveLength(1)
        expect(foldContent(all)).toEqual(builder.message.content)
      }),
    )
  })
})

/** An independent reading of the events: content from starts, deltas and ends alone. */
function foldContent(events: readonly AssistantMessageEvent[]): AssistantMessage["content"] {
  const content: AssistantMessage["content"][number][] = []
  const texts: string[] = []
  for (const event of events) {
    switch (event.type) {
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
      case "opaque_start":
        expect(event.contentIndex).toBe(texts.length)
        texts.push("")
        break
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        texts[event.contentIndex] += event.delta
        break
      case "text_end":
        expect(event.content).toBe(texts[event.contentIndex])
        content[event.contentIndex] = {
          type: "text",
          text: event.content,
          ...(event.signature !== undefined && { textSignature: event.signature }),
        }
        break
      case "thinking_end":
        expect(event.content).toBe(texts[event.contentIndex])
        content[event.contentIndex] = {
          type: "thinking",
          thinking: event.content,
          ...(event.signature !== undefined && { thinkingSignature: event.signature }),
        }
        break
      case "toolcall_end":
        if (event.toolCall.argumentsError === undefined) {
          const input = texts[event.contentIndex]?.trim()
          expect(event.toolCall.arguments).toEqual(input ? JSON.parse(input) : {})
        }
        content[event.contentIndex] = event.toolCall
        break
      case "opaque_end":
        content[event.contentIndex] = event.content
        break
    }
  }
  return content
}
