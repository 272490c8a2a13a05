import { assertWellFormed, fold } from "@heddle/conformance"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createProxyStreamFn } from "../src/index.ts"
import {
  CLOSE,
  context,
  DONE,
  events,
  HELLO,
  lines,
  model,
  OPEN,
  proxyDouble,
  read,
  START,
  say,
  textOf,
} from "./proxy-double.ts"

/** What the client makes of a response with this body. */
function readBody(body: BodyInit) {
  const { fetch } = proxyDouble(events(body))
  return read(createProxyStreamFn({ proxyUrl: "https://proxy.test", authToken: "t", fetch })(model, context))
}

function chunks(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const ends = [...cuts, bytes.length].sort((a, b) => a - b)
  return new ReadableStream({
    start(controller) {
      let from = 0
      for (const end of ends) {
        controller.enqueue(bytes.subarray(from, end))
        from = end
      }
      controller.close()
    },
  })
}

const UNICODE = "Grüße, 你好, 👩‍👩‍👧‍👦, \u2028\u2029, \r\n and \n\ndata: {}"

describe("the proxy client reads", () => {
  test.each([
    { what: "lines that end with LF", body: lines(...HELLO) },
    { what: "lines that end with CR LF", body: lines(...HELLO).replaceAll("\n", "\r\n") },
    { what: "lines that end with CR", body: lines(...HELLO).replaceAll("\n", "\r") },
    { what: "data without a space", body: lines(...HELLO).replaceAll("data: ", "data:") },
    {
      what: "data over several lines",
      body: HELLO.map((event) => `${JSON.stringify(event, null, 1).replace(/^/gm, "data: ")}\n\n`).join(""),
    },
    { what: "comments between events", body: HELLO.map((event) => `: beat\n\n:\n${lines(event)}`).join("") },
    { what: "a last line without its end", body: lines(...HELLO).trimEnd() },
    { what: "a byte order mark", body: `\uFEFF${lines(...HELLO)}` },
    { what: "names, ids and retry times", body: `retry: 5\nevent: x\nid: a\n${lines(...HELLO)}` },
  ])("$what", async ({ body }) => {
    const { events, message } = await readBody(body)

    assertWellFormed(events)
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "Hello" }] })
  })

  test("characters and events that are split over chunks anywhere", async () => {
    const bytes = new TextEncoder().encode(lines(START, OPEN, say(UNICODE), CLOSE, DONE))
    const whole = await readBody(bytes)
    const types = whole.events.map(({ type }) => type)
    expect(textOf(whole.message)).toBe(UNICODE)

    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const { events, message } = await readBody(chunks(bytes, cuts))

        expect(events.map(({ type }) => type)).toEqual(types)
        expect(message.content).toEqual(whole.message.content)
      }),
    )
  })

  test("an answer byte by byte", async () => {
    const bytes = new TextEncoder().encode(lines(START, OPEN, say(UNICODE), CLOSE, DONE))

    const { message } = await readBody(
      chunks(
        bytes,
        Array.from(bytes, (_, at) => at),
      ),
    )

    expect(textOf(message)).toBe(UNICODE)
  })

  test.each([
    { what: "[DONE]", after: lines("[DONE]") },
    { what: "another answer", after: lines(...HELLO) },
    { what: "an error", after: lines({ type: "error", reason: "error", errorMessage: "late" }) },
    { what: "something that is no event", after: lines("{") },
    { what: "no event stream at all", after: "<html>" },
  ])("nothing from $what after the terminal event", async ({ after }) => {
    const { events, message } = await readBody(lines(...HELLO) + after)

    assertWellFormed(events)
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test.each([
    { what: "the stream ends without a terminal event", body: lines(START, OPEN, say("Hel")) },
    { what: "the stream ends inside an event", body: `${lines(START, OPEN, say("Hel"))}data: {"type":"te` },
    { what: "[DONE] comes in place of a terminal event", body: lines(START, OPEN, say("Hel"), "[DONE]") },
    { what: "an event is no JSON", body: lines(START, OPEN, say("Hel"), '{"secret', DONE) },
    {
      what: "a delta is for a block that was never opened",
      body: lines(START, OPEN, say("Hel"), { type: "text_delta", contentIndex: 1, delta: "x" }, DONE),
    },
    {
      what: "a delta is for a block that has ended",
      body: lines(START, OPEN, say("Hel"), CLOSE, say("lo"), DONE),
    },
  ])("a protocol failure, and keeps what came, when $what", async ({ body }) => {
    const { events, message } = await readBody(body)

    assertWellFormed(events)
    expect(fold(events)).toEqual(message)
    expect(message).toMatchObject({
      stopReason: "error",
      content: [{ type: "text", text: "Hel" }],
      failure: { code: "protocol", retryable: true },
    })
    expect(message.errorMessage).not.toContain("secret")
  })

  test.each([
    { what: "a page", body: "<html>Sign in</html>" },
    { what: "JSON", body: '{"hello":"world"}' },
    { what: "nothing", body: "" },
    { what: "comments only", body: ": beat\n\n" },
  ])("a lone protocol failure when the response is $what", async ({ body }) => {
    const { events, message } = await readBody(body)

    expect(events.map(({ type }) => type)).toEqual(["error"])
    expect(message.failure?.code).toBe("protocol")
    expect(message.errorMessage).not.toMatch(/Sign in|world/)
  })

  test("past events and fields it does not know", async () => {
    const { events, message } = await readBody(
      lines(
        { ...START, future: [1] },
        { type: "hologram_start", contentIndex: 7 },
        { ...OPEN, future: null },
        say("Hel"),
        "null",
        "5",
        "[]",
        {},
        say("lo"),
        CLOSE,
        { ...DONE, future: {} },
      ),
    )

    assertWellFormed(events)
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("whatever JSON a server sends, as a proper stream", async () => {
    const event = fc.oneof(
      fc.constantFrom<object>(...HELLO),
      fc.record({
        type: fc.constantFrom("start", "text_start", "text_delta", "toolcall_start", "toolcall_end", "done"),
        contentIndex: fc.jsonValue({ maxDepth: 1 }),
        delta: fc.jsonValue({ maxDepth: 1 }),
        toolCall: fc.jsonValue({ maxDepth: 1 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 10 }), async (list) => {
        const { events, message } = await readBody(lines(...list))

        assertWellFormed(events)
        expect(fold(events)).toEqual(message)
      }),
    )
  })

  test("arguments that are nested too deeply to be handled, as a protocol failure", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000)
    const call = { type: "toolcall_start", contentIndex: 0, id: "a", toolName: "read" }
    const end = `{"type":"toolcall_end","contentIndex":0,"toolCall":{"arguments":{"a":${deep}}}}`

    const { events, message } = await readBody(lines(START, call, end, DONE))

    assertWellFormed(events)
    expect(message.failure?.code).toBe("protocol")
  })
})

describe("a server of the original wire", () => {
  test("is understood: data lines without ids, bare starts, ends without content", async () => {
    const usage = {
      input: 3,
      output: 4,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 7,
      cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 },
    }
    const { events, message } = await readBody(
      lines(
        { type: "start" },
        { type: "thinking_start", contentIndex: 0 },
        { type: "thinking_delta", contentIndex: 0, delta: "hm" },
        { type: "thinking_end", contentIndex: 0, contentSignature: "signed" },
        { type: "text_start", contentIndex: 1 },
        { type: "text_delta", contentIndex: 1, delta: "Hi" },
        { type: "text_end", contentIndex: 1 },
        { type: "toolcall_start", contentIndex: 2, id: "call_1", toolName: "read" },
        { type: "toolcall_delta", contentIndex: 2, delta: '{"path":' },
        { type: "toolcall_delta", contentIndex: 2, delta: '"a.ts"}' },
        { type: "toolcall_end", contentIndex: 2 },
        { type: "done", reason: "toolUse", usage },
      ),
    )

    assertWellFormed(events)
    expect(message).toMatchObject({
      api: model.api,
      provider: model.provider,
      model: model.id,
      stopReason: "toolUse",
      usage,
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "signed" },
        { type: "text", text: "Hi" },
        { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a.ts" } },
      ],
    })
  })

  test("may fail without saying how", async () => {
    const { events, message } = await readBody(
      lines(START, { type: "error", reason: "error", errorMessage: "The vendor is down" }),
    )

    assertWellFormed(events)
    expect(message).toMatchObject({ errorMessage: "The vendor is down", failure: { code: "unknown" } })
  })
})
