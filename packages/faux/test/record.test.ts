import { AssistantMessageEventStream, type BufferedAsyncIterator } from "@heddle/stream"
import type { AssistantMessageEvent, Context, StreamFn } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { fail, faux, fauxModel, hang, malformed, opaque, record, replay, say } from "../src/index.ts"
import { deepFreeze, read } from "./read.ts"

/** An error that throws when it is looked at. */
const unreadable = new Proxy(new Error(), {
  get: () => {
    throw new Error("not to be read")
  },
})

const model = fauxModel()
const nothing: Context = { messages: [] }

/** Records into a list, whose lines are read as JSON. */
function recorder(streamFn: StreamFn, options?: Parameters<typeof record>[2]) {
  const lines: string[] = []
  const recording = record(streamFn, (line) => lines.push(line), options)
  return { recording, lines, entries: () => lines.map((line) => JSON.parse(line)) }
}

describe("record", () => {
  test("writes one line for each thing that happened, each with its newline", async () => {
    let time = 1000
    const { recording, lines } = recorder(faux([say("Hello")], { now: () => 7, usage: { input: 3 } }), {
      now: () => time++,
    })

    await read(recording(model, { systemPrompt: "Be brief", messages: [] }, { temperature: 0 }))

    expect(lines).toEqual([
      '{"call":1,"recording":1,"model":{"api":"faux","provider":"faux","id":"faux-1"},' +
        '"request":{"systemPrompt":"Be brief","messages":[],"options":{"temperature":0}}}\n',
      '{"call":1,"ms":1,"as":{"api":"faux","provider":"faux","model":"faux-1","timestamp":7}}\n',
      '{"call":1,"ms":2,"do":["start"]}\n',
      '{"call":1,"ms":3,"do":["usage",{"input":3,"output":0,"cacheRead":0,"cacheWrite":0,' +
        '"cost":{"input":0.000003,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.000003}}]}\n',
      '{"call":1,"ms":4,"do":["text",0,""]}\n',
      '{"call":1,"ms":5,"do":["text",0,"Hell"]}\n',
      '{"call":1,"ms":6,"do":["text",0,"o"]}\n',
      '{"call":1,"ms":7,"do":["close",0]}\n',
      '{"call":1,"ms":8,"do":["done","stop"]}\n',
    ])
  })

  test("writes the conversation, and neither keys nor headers nor what only the application knows", async () => {
    const { recording, lines, entries } = recorder(faux([say("Hello")]))
    const context: Context = deepFreeze({
      messages: [
        { role: "user", content: "Hi", timestamp: 12345 },
        await faux([say("Hello")], { now: () => 12345 })(model, nothing).result(),
        {
          role: "toolResult",
          toolCallId: "c",
          toolName: "read",
          content: [{ type: "text", text: "file" }],
          details: { secret: "sesame" },
          isError: false,
          timestamp: 12345,
        },
      ],
      tools: [{ name: "read", description: "Reads", parameters: { type: "object" } }],
    })

    await read(
      recording(model, context, {
        apiKey: "sesame",
        headers: { authorization: "sesame" },
        metadata: { user: "sesame" },
        sessionId: "sesame",
        fetch: () => Promise.reject(),
        reasoning: "low",
      }),
    )

    expect(lines.join("")).not.toMatch(/sesame|12345/)
    expect(entries()[0].request).toEqual({
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "text", text: "Hello" }], stopReason: "stop" },
        {
          role: "toolResult",
          toolCallId: "c",
          toolName: "read",
          content: [{ type: "text", text: "file" }],
          isError: false,
        },
      ],
      tools: [{ name: "read", description: "Reads", parameters: { type: "object" } }],
      options: { reasoning: "low" },
    })
  })

  test("passes on the very objects, promises and answers of the stream behind", async () => {
    const stream = faux([say("Hello")])(model, nothing)
    const asked: unknown[] = []
    const streamFn: StreamFn = (...request) => {
      asked.push(...request)
      return stream
    }
    const options = {}
    const events: AssistantMessageEvent[] = []
    const push = AssistantMessageEventStream.prototype.push
    AssistantMessageEventStream.prototype.push = function (event) {
      events.push(event)
      push.call(this, event)
    }
    try {
      const recorded = record(streamFn, () => {})(model, nothing, options)
      const reading = await read(recorded)

      expect(asked[0]).toBe(model)
      expect(asked[1]).toBe(nothing)
      expect(asked[2]).toBe(options)
      expect(reading.events).toHaveLength(events.length)
      reading.events.forEach((event, index) => {
        expect(event).toBe(events[index])
      })
      expect(reading.result).toBe(await stream.result())
    } finally {
      AssistantMessageEventStream.prototype.push = push
    }
  })

  test("lets events be taken without a promise where the stream behind does", async () => {
    const { recording, entries } = recorder(() => {
      const stream = new AssistantMessageEventStream(model, { snapshots: true })
      stream.end()
      return stream
    })
    const stream = await recording(model, nothing)
    const iterator = stream[Symbol.asyncIterator]() as BufferedAsyncIterator<AssistantMessageEvent>

    expect(iterator.take()).toMatchObject({ type: "error" })
    expect(iterator.take()).toBeUndefined()
    expect(await iterator.next()).toEqual({ value: undefined, done: true })
    expect(entries().at(-1)).toMatchObject({ do: ["fail", { code: "protocol" }, expect.any(String)] })
    expect(stream).toMatchObject({ snapshots: true })
  })

  test("promises no snapshots for streams that do not", async () => {
    const { recording } = recorder(faux([[say("a"), malformed("mutates")]]))

    expect(await recording(model, nothing)).toMatchObject({ snapshots: false })
  })

  test("records all of a stream of which only the result is awaited", async () => {
    const { recording, lines } = recorder(faux([say("Hello to you.")], { now: () => 7 }))

    const result = await (await recording(model, nothing)).result()

    expect(await read(replay(lines)(model, nothing))).toEqual(
      await read(faux([say("Hello to you.")], { now: () => 7 })(model, nothing)),
    )
    expect(result.content).toEqual([{ type: "text", text: "Hello to you." }])
  })

  test.each([{ turns: 0 }, { turns: 1 }, { turns: 2 }, { turns: 5 }, { turns: 50 }])(
    "gives every event once to a reader that comes $turns turns after the result was asked for",
    async ({ turns }) => {
      const proper = await read(faux([say("Hello to you.")], { now: () => 7 })(model, nothing))
      const { recording, lines } = recorder(faux([say("Hello to you.")], { now: () => 7 }))
      const stream = await recording(model, nothing)

      const result = stream.result()
      for (let turn = 0; turn < turns; turn++) await undefined
      const events: AssistantMessageEvent[] = []
      for await (const event of stream) events.push(event)

      expect({ events, result: await result }).toEqual(proper)
      expect(await read(replay(lines)(model, nothing))).toEqual(proper)
    },
  )

  test("lets a reader take what was read ahead of it", async () => {
    const { recording } = recorder(faux([say("Hello")]))
    const stream = await recording(model, nothing)
    await stream.result()
    const iterator = stream[Symbol.asyncIterator]() as BufferedAsyncIterator<AssistantMessageEvent>

    const types: string[] = []
    for (;;) {
      const event = iterator.take() ?? (await iterator.next()).value
      if (!event) break
      types.push(event.type)
    }

    expect(types).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"])
  })

  test("refuses a second reader as the stream behind does", async () => {
    const { recording } = recorder(faux([say("Hello")]))
    const stream = await recording(model, nothing)
    await read(stream)

    expect(() => stream[Symbol.asyncIterator]()).toThrow("This stream already has a reader")
  })

  test("cancels the stream behind when its reader leaves, and records that it left", async () => {
    const { recording, lines, entries } = recorder(faux([[say("Hello"), hang()]]))
    const stream = await recording(model, nothing)

    for await (const event of stream) if (event.type === "text_delta") break

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hell" }] })
    expect(entries().at(-1)).toMatchObject({ do: ["abort", "The reader left the stream"] })
    expect((await read(replay(lines)(model, nothing))).result).toMatchObject({
      stopReason: "aborted",
      content: [{ text: "Hell" }],
    })
  })

  test("records an abort and a failure as they came", async () => {
    const { recording, entries } = recorder(
      faux([[say("a"), hang()], fail({ code: "rate_limit", status: 429 })]),
    )
    const controller = new AbortController()
    const reading = read(recording(model, nothing, { signal: controller.signal }))
    controller.abort(new Error("Enough"))
    await reading
    await read(recording(model, nothing))

    const said = entries().flatMap((entry) => (entry.do ? [entry.do] : []))
    expect(said).toContainEqual(["abort", "Enough"])
    expect(said.at(-1)).toEqual([
      "fail",
      { code: "rate_limit", retryable: true, status: 429 },
      "The script failed the request: rate_limit",
    ])
  })

  test("throws, rejects and returns no stream as the StreamFn behind does", async () => {
    const { recording, entries } = recorder(
      faux([malformed("throw"), malformed("reject"), malformed("no-stream")]),
    )

    expect(() => recording(model, nothing)).toThrow("The script asked the StreamFn to throw")
    await expect(recording(model, nothing)).rejects.toThrow("The script asked the StreamFn to reject")
    expect(recording(model, nothing)).toBeUndefined()
    const broken = entries().filter((entry) => entry.broke)
    expect(broken.sort((one, other) => one.call - other.call)).toMatchObject([
      { call: 1, broke: "The script asked the StreamFn to throw" },
      { call: 2, broke: "The script asked the StreamFn to reject" },
      { call: 3, broke: "The StreamFn returned no stream" },
    ])
  })

  test("throws what the StreamFn behind throws, also where it cannot be read", () => {
    const { recording, entries } = recorder(() => {
      throw unreadable
    })

    let thrown: unknown
    try {
      recording(model, nothing)
    } catch (error) {
      thrown = error
    }

    expect(thrown === unreadable).toBe(true)
    expect(entries().at(-1)).toMatchObject({ call: 1, broke: "an error without a message" })
  })

  test("takes StreamFns that answer with a promise", async () => {
    const { recording, lines } = recorder(async (...request) =>
      faux([say("Hello")], { now: () => 7 })(...request),
    )

    const recorded = await read(recording(model, nothing))

    expect(await read(replay(lines)(model, nothing))).toEqual(recorded)
  })

  test("keeps streams apart that run at the same time", async () => {
    const { recording, lines, entries } = recorder(
      faux([say("a".repeat(40)), say("b".repeat(40))], { now: () => 7 }),
    )

    const recorded = await Promise.all([read(recording(model, nothing)), read(recording(model, nothing))])

    const calls = entries().map(({ call }) => call)
    expect(calls.indexOf(2)).toBeLessThan(calls.lastIndexOf(1))
    const streamFn = replay(lines)
    expect([await read(streamFn(model, nothing)), await read(streamFn(model, nothing))]).toEqual(recorded)
  })
})

describe("the sink of a recording", () => {
  test("may be anything with write", async () => {
    const sink = {
      text: "",
      write(line: string) {
        this.text += line
        return true
      },
    }

    const recorded = await read(record(faux([say("a")]), sink)(model, nothing))

    expect(await read(replay(sink.text)(model, nothing))).toEqual(recorded)
  })

  test("gets one line at a time, in order, however slow it is", async () => {
    const lines: string[] = []
    let writing = 0
    const sink = async (line: string) => {
      expect(++writing).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
      lines.push(line)
      writing--
    }
    const recording = record(faux([say("Hello")]), sink)

    const recorded = await read(recording(model, nothing))
    expect(lines.length).toBeLessThan(8)
    await recording.flush()

    expect(await read(replay(lines)(model, nothing))).toEqual(recorded)
  })

  test.each([
    {
      what: "throws",
      sink: () => {
        throw new Error("disk full")
      },
    },
    { what: "rejects", sink: () => Promise.reject(new Error("disk full")) },
  ])("that $what does not disturb the stream, is told once and gets nothing more", async ({ sink }) => {
    const errors: unknown[] = []
    let writes = 0
    const recording = record(
      faux([say("Hello")]),
      () => {
        writes++
        return sink()
      },
      { onError: (error) => errors.push(error) },
    )

    const { result } = await read(recording(model, nothing))

    expect(result.content).toEqual([{ type: "text", text: "Hello" }])
    await expect(recording.flush()).rejects.toThrow("disk full")
    expect(errors).toEqual([new Error("disk full")])
    expect(writes).toBe(1)
  })

  test("does not disturb the stream even when nobody listens, or the listener throws", async () => {
    const sink = () => {
      throw new Error("disk full")
    }
    const silent = record(faux([say("a")]), sink)
    const loud = record(faux([say("a")]), sink, {
      onError: (error) => {
        throw error
      },
    })

    expect((await read(silent(model, nothing))).result.stopReason).toBe("stop")
    expect((await read(loud(model, nothing))).result.stopReason).toBe("stop")
  })

  test("is told of a block that has no JSON, and the stream goes on", async () => {
    const recording = record(faux([[opaque("k", { size: 1n }), say("a")]]), () => {})

    expect((await read(recording(model, nothing))).result.stopReason).toBe("stop")
    await expect(recording.flush()).rejects.toThrow("BigInt")
  })

  test("has flushed at once when nothing is left to write", async () => {
    await expect(record(faux([]), () => {}).flush()).resolves.toBeUndefined()
  })
})
