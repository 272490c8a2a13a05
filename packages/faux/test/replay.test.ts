import { assertWellFormed } from "@heddle/conformance"
import type { Context, StreamFn } from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { callTool, faux, fauxModel, RecordingError, record, replay, say, wait } from "../src/index.ts"
import { deepFreeze, read } from "./read.ts"

const model = fauxModel()
const nothing: Context = { messages: [] }

function ask(text: string): Context {
  return { messages: [{ role: "user", content: text, timestamp: Math.random() }] }
}

/** The lines of a recording of these requests. */
async function recordingOf(streamFn: StreamFn, ...contexts: Context[]): Promise<string[]> {
  const lines: string[] = []
  const recording = record(streamFn, (line) => lines.push(line))
  for (const context of contexts) await read(recording(model, context))
  return lines
}

async function* later(lines: Iterable<string>) {
  for (const line of lines) {
    await undefined
    yield line
  }
}

describe("replay", () => {
  test("gives each request the answer to the call at its place", async () => {
    const streamFn = replay(await recordingOf(faux([say("One"), say("Two")]), nothing, nothing))

    expect((await read(streamFn(model, nothing))).result.content).toEqual([{ type: "text", text: "One" }])
    expect((await read(streamFn(model, nothing))).result.content).toEqual([{ type: "text", text: "Two" }])
  })

  test("refuses a request beyond the recording with an error event", async () => {
    const { events, result } = await read(replay("")(fauxModel({ id: "asked" }), nothing))

    assertWellFormed(events)
    expect(events).toHaveLength(1)
    expect(result).toMatchObject({
      model: "asked",
      errorMessage: "The recording has no answer to request 1: it has 0",
      failure: { code: "invalid_request", retryable: false },
    })
  })

  test.each<{ what: string; source: (lines: string[]) => Parameters<typeof replay>[0] }>([
    { what: "one text", source: (lines) => lines.join("") },
    { what: "a text with CRLF and empty lines", source: (lines) => `\n${lines.join("\r\n")}\r\n\r\n` },
    { what: "a text with a byte order mark", source: (lines) => `\ufeff${lines.join("")}` },
    { what: "a list of lines", source: (lines) => lines },
    { what: "lines without their newlines", source: (lines) => new Set(lines.map((line) => line.trim())) },
    { what: "lines that arrive later", source: (lines) => later(lines) },
  ])("reads $what", async ({ source }) => {
    const lines: string[] = []
    const recorded = await read(record(faux([say("Hello")]), (line) => lines.push(line))(model, nothing))

    expect(await read(replay(source(lines))(model, nothing))).toEqual(recorded)
  })

  test("reads recordings that were joined", async () => {
    const first = await recordingOf(faux([say("One")]), nothing)
    const second = await recordingOf(faux([say("Two")]), nothing)
    const streamFn = replay([...first, ...second].join(""))

    await read(streamFn(model, nothing))

    expect((await read(streamFn(model, nothing))).result.content).toEqual([{ type: "text", text: "Two" }])
  })

  test("reads lines that arrive later only once", async () => {
    const streamFn = replay(later(await recordingOf(faux([say("One"), say("Two")]), nothing, nothing)))

    const results = await Promise.all([read(streamFn(model, nothing)), read(streamFn(model, nothing))])

    expect(results.map(({ result }) => result.content)).toEqual([
      [{ type: "text", text: "One" }],
      [{ type: "text", text: "Two" }],
    ])
  })

  test("writes nothing of the caller's", async () => {
    const lines = deepFreeze(await recordingOf(faux([say("One")]), nothing))
    const streamFn = replay(lines, { match: "strict" })

    const { result } = await read(
      streamFn(deepFreeze(fauxModel()), deepFreeze({ messages: [] }), deepFreeze({})),
    )

    expect(result.stopReason).toBe("stop")
  })
})

const HEADER = '{"call":1,"recording":1,"model":{"api":"a","provider":"p","id":"m"}}'

describe("a bad line", () => {
  const bad = [
    { line: '{"call":1,', says: "is not JSON" },
    { line: "[]", says: "is not a JSON object" },
    { line: "null", says: "is not a JSON object" },
    { line: '{"call":2,"ms":0,"do":["start"]}', says: "belongs to a call that no line before it begins" },
    { line: '{"call":2,"recording":2}', says: "is of version 2; this package reads version 1" },
    { line: '{"call":1,"do":["start"]}', says: "does not say when: ms is not a number" },
    { line: '{"call":1,"ms":0}', says: "says nothing that can be played" },
    { line: '{"call":1,"ms":0,"as":{"api":"a"}}', says: "says nothing that can be played" },
    ...[
      '"start"',
      '["toString"]',
      '["explode",0]',
      '["text",0]',
      '["text","0","a"]',
      '["text",-1,"a"]',
      '["text",0.5,"a"]',
      '["toolCall",0,null]',
      '["toolArguments",0,[]]',
      '["close",0,1]',
      '["usage"]',
      '["responseId",1]',
      '["done","error"]',
      '["fail",{"code":"server"},"a"]',
      '["fail",{"code":"server","retryable":true}]',
      '["abort"]',
    ].map((call) => ({ line: `{"call":1,"ms":0,"do":${call}}`, says: "says nothing that can be played" })),
  ]

  test.each(bad)("such as $line is refused with its number and a reason", ({ line, says }) => {
    const source = `${HEADER}\n\n${line}\n`

    expect(() => replay(source)).toThrow(new RecordingError(3, says))
    expect(() => replay(source.split("\n"))).toThrow(`Line 3 of the recording ${says}`)
  })

  test("that is no text is refused", () => {
    expect(() => replay([HEADER, 5 as never])).toThrow("Line 2 of the recording is not text")
  })

  test("that arrives later is an error event of every request", async () => {
    const streamFn = replay(later([HEADER, "oops"]))

    for (let count = 0; count < 2; count++) {
      expect((await read(streamFn(model, nothing))).result).toMatchObject({
        errorMessage: "Line 2 of the recording is not JSON",
        failure: { code: "invalid_request" },
      })
    }
  })
})

describe("a recording that stops in the middle", () => {
  test("ends as a protocol error that keeps what was recorded", async () => {
    const lines = await recordingOf(faux([say("Hello to you.")]), nothing)

    const { events, result } = await read(replay(lines.slice(0, 5))(model, nothing))

    assertWellFormed(events)
    expect(result).toMatchObject({
      stopReason: "error",
      errorMessage: "The recording of this answer stops before its end",
      failure: { code: "protocol", retryable: true },
      content: [{ type: "text", text: "Hell" }],
    })
  })

  test("before its first event is a lone error of the model that was asked", async () => {
    const { events } = await read(replay(HEADER)(model, nothing))

    expect(events).toMatchObject([{ type: "error", error: { model: "faux-1" } }])
  })
})

describe("a strict replay", () => {
  const tools = [{ name: "read", description: "Reads", parameters: { type: "object" } }]
  const asked: Context = {
    systemPrompt: "Be brief",
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi" }], timestamp: 1 },
      {
        role: "toolResult",
        toolCallId: "c",
        toolName: "read",
        content: [{ type: "text", text: "file" }],
        details: 1,
        isError: false,
        timestamp: 2,
      },
    ],
    tools,
  }
  const changed = (context: Partial<Context>): Context => ({ ...asked, ...context })
  const later = asked.messages.map((message) => ({ ...message, timestamp: 99, details: 2 }))

  test.each<{ what: string; context: Context }>([
    { what: "the same", context: asked },
    { what: "the same at another time, with other details", context: changed({ messages: later }) },
    { what: "the same, with fields that are undefined", context: changed({ extra: undefined } as object) },
  ])("answers a request that is $what", async ({ context }) => {
    const streamFn = replay(await recordingOf(faux([say("Hello")]), asked), { match: "strict" })

    expect((await read(streamFn(model, context))).result.stopReason).toBe("stop")
  })

  test.each<{ where: string; context: Context }>([
    { where: "systemPrompt", context: changed({ systemPrompt: "Be long" }) },
    {
      where: "messages[0].content[0].text",
      context: changed({
        messages: [
          { role: "user", content: [{ type: "text", text: "Ho" }], timestamp: 1 },
          ...asked.messages.slice(1),
        ],
      }),
    },
    {
      where: "messages[0].content",
      context: changed({
        messages: [{ role: "user", content: "Hi", timestamp: 1 }, ...asked.messages.slice(1)],
      }),
    },
    { where: "messages[1]", context: changed({ messages: asked.messages.slice(0, 1) }) },
    { where: "messages[2]", context: changed({ messages: [...asked.messages, ...asked.messages] }) },
    { where: "tools", context: { messages: asked.messages, systemPrompt: "Be brief" } },
    { where: "tools[0].description", context: changed({ tools: [{ ...tools[0]!, description: "" }] }) },
  ])("refuses a request that differs, and says that $where does", async ({ where, context }) => {
    const streamFn = replay(await recordingOf(faux([say("Hello")]), asked), { match: "strict" })

    expect((await read(streamFn(model, context))).result).toMatchObject({
      errorMessage: `Request 1 is not the recorded one: ${where} differs`,
      failure: { code: "invalid_request" },
    })
  })

  test("compares the options that change the answer", async () => {
    const streamFn = replay(await recordingOf(faux([say("a"), say("b")]), asked, asked), { match: "strict" })

    expect((await read(streamFn(model, asked, { temperature: 1 }))).result.errorMessage).toBe(
      "Request 1 is not the recorded one: options.temperature differs",
    )
    expect((await read(streamFn(model, asked, { apiKey: "k", sessionId: "s" }))).result.stopReason).toBe(
      "stop",
    )
  })

  test("refuses a call that was recorded without its request", async () => {
    const { result } = await read(replay(HEADER, { match: "strict" })(model, nothing))

    expect(result.errorMessage).toBe("Call 1 was recorded without its request, so nothing can be compared")
  })

  test("refuses a request that has no JSON", async () => {
    const streamFn = replay(await recordingOf(faux([say("Hello")]), asked), { match: "strict" })
    const context = { messages: [{ role: "user", content: 1n, timestamp: 1 }] } as never

    expect((await read(streamFn(model, context))).result.errorMessage).toBe(
      "Request 1 is not the recorded one: the request differs",
    )
  })

  test("does not compare unless it is asked to", async () => {
    const streamFn = replay(await recordingOf(faux([say("Hello")]), asked))

    expect((await read(streamFn(model, ask("something else")))).result.stopReason).toBe("stop")
  })
})

describe("abort of a replay", () => {
  test.each([{ delay: "at once" }, { delay: "later" }])(
    "before it begins is a lone aborted error, $delay",
    async ({ delay }) => {
      const lines = await recordingOf(faux([say("Hello")]), nothing)
      const streamFn = replay(delay === "later" ? later(lines) : lines)
      const signal = AbortSignal.abort(new Error("Too late"))

      const { events, result } = await read(streamFn(model, nothing, { signal }))

      expect(events).toHaveLength(1)
      expect(result).toMatchObject({ stopReason: "aborted", errorMessage: "Too late" })
    },
  )

  test("ends the wait for lines that never arrive", async () => {
    const controller = new AbortController()
    const never: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    }
    const reading = read(replay(never)(model, nothing, { signal: controller.signal }))

    controller.abort()

    expect((await reading).result.stopReason).toBe("aborted")
  })

  test("at any event keeps what had come by then", async () => {
    const lines = await recordingOf(faux([[say("Hello"), callTool("read", { path: "a.ts" })]]), nothing)
    const whole = await read(replay(lines)(model, nothing))
    for (let abortAt = 1; abortAt < whole.events.length; abortAt++) {
      const controller = new AbortController()
      const stream = await replay(lines)(model, nothing, { signal: controller.signal })
      const events = []
      for await (const event of stream) if (events.push(event) === abortAt) controller.abort()

      assertWellFormed(events)
      expect(events.at(-1)).toMatchObject({ type: "error", reason: "aborted" })
      expect(events.slice(0, abortAt)).toEqual(whole.events.slice(0, abortAt))
      expect(events.length).toBeLessThanOrEqual(abortAt + 2)
    }
  })

  test("comes with the reader that leaves", async () => {
    const lines = await recordingOf(faux([say("Hello to you.")]), nothing)
    const stream = await replay(lines)(model, nothing)
    for await (const event of stream) if (event.type === "text_delta") break

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hell" }] })
  })
})

describe("the pace of a replay", () => {
  let lines: string[] = []
  beforeEach(async () => {
    vi.useFakeTimers()
    lines = []
    const reply = [say("a"), wait(300), say("b")]
    const reading = read(record(faux([reply]), (line) => lines.push(line))(model, nothing))
    await vi.advanceTimersByTimeAsync(300)
    await reading
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test("is instant by default", async () => {
    await read(replay(lines)(model, nothing))

    expect(vi.getTimerCount()).toBe(0)
  })

  test("can be that of the recording", async () => {
    let isOver = false
    void read(replay(lines, { pace: "recorded" })(model, nothing)).then(() => {
      isOver = true
    })

    await vi.advanceTimersByTimeAsync(299)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isOver).toBe(true)
  })

  test("leaves no timer behind when it is aborted", async () => {
    const controller = new AbortController()
    const reading = read(replay(lines, { pace: "recorded" })(model, nothing, { signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(100)
    expect(vi.getTimerCount()).toBe(1)

    controller.abort()

    expect((await reading).result).toMatchObject({ stopReason: "aborted", content: [{ text: "a" }] })
    expect(vi.getTimerCount()).toBe(0)
  })

  test("waits with the sleep that is given, and survives one that fails", async () => {
    const slept: number[] = []
    const sleep = async (milliseconds: number) => {
      slept.push(milliseconds)
    }
    await read(replay(lines, { pace: "recorded", sleep })(model, nothing))
    const failing = replay(lines, { pace: "recorded", sleep: () => Promise.reject(new Error("No bed")) })

    expect(slept).toEqual([300])
    expect((await read(failing(model, nothing))).result.errorMessage).toBe("The replay failed: No bed")
  })
})
