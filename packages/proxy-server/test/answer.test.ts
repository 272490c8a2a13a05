import { fail, faux, hang, type Malformation, malformed, say } from "@heddle/faux"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { Model, StreamFn } from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { ProxyHandlerOptions } from "../src/index.ts"
import {
  BODY,
  eventsOf,
  handlerOf,
  model,
  parse,
  post,
  postResumable,
  readerOf,
  settle,
  upstreamDouble,
} from "./asking.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** A stream that is made when it is read, event by event, and counts how far that is. */
function pulled(count: number, size = 100) {
  let made = 0
  let signal: AbortSignal | undefined
  const streamFn: StreamFn = (_, __, options) => {
    signal = options?.signal
    return {
      async *[Symbol.asyncIterator]() {
        const partial = { content: [] } as never
        yield { type: "start", partial }
        yield { type: "text_start", contentIndex: 0, partial }
        while (made < count && !signal?.aborted) {
          made++
          yield { type: "text_delta", contentIndex: 0, delta: "x".repeat(size), partial }
        }
        yield { type: "done", reason: "stop", message: { usage: {} } as never }
      },
      result: () => Promise.reject(new Error("Nobody asks for the result")),
    }
  }
  return {
    streamFn,
    get made() {
      return made
    },
    get signal() {
      return signal
    },
  }
}

describe("an answer", () => {
  test("is kept alive by a comment every fifteen seconds in which nothing comes", async () => {
    const upstream = upstreamDouble()
    const reader = readerOf(await handlerOf(upstream.streamFn)(post()))

    const first = reader.next()
    await vi.advanceTimersByTimeAsync(14_999)
    upstream.push({ type: "text_start", contentIndex: 0 })
    expect(parse((await first) ?? "")).toMatchObject([{ type: "text_start" }])
    const second = reader.next()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await second).toBe(": heartbeat\n\n")
    const third = reader.next()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await third).toBe(": heartbeat\n\n")

    await reader.cancel()
    await vi.advanceTimersByTimeAsync(100)
  })

  test("has no heartbeat when there is to be none", async () => {
    const upstream = upstreamDouble()
    const reader = readerOf(await handlerOf(upstream.streamFn, { heartbeatMs: 0 })(post()))
    let isRead = false
    void reader.next().then(() => (isRead = true))

    await vi.advanceTimersByTimeAsync(1_000_000)

    expect(isRead).toBe(false)
    await reader.cancel()
    await vi.advanceTimersByTimeAsync(100)
  })

  test("that is not read holds the upstream back, and goes on when it is", async () => {
    const upstream = pulled(10_000)
    const handler = handlerOf(upstream.streamFn, { limits: { maxBufferedChars: 10_000 } })
    const response = await handler(post())
    for (let turn = 0; turn < 100; turn++) await settle()

    const ahead = upstream.made
    expect(ahead).toBeGreaterThan(10)
    expect(ahead).toBeLessThan(100)
    const reader = readerOf(response)
    await reader.next()
    for (let turn = 0; turn < 100; turn++) await settle()
    expect(upstream.made).toBeGreaterThan(ahead)
    expect(upstream.made).toBeLessThan(ahead * 3)

    let last = ""
    for (let text = await reader.next(); text !== undefined; text = await reader.next()) last = text
    expect(last).toContain('"type":"done"')
    expect(upstream.made).toBe(10_000)
  })

  test("whose reader takes nothing for a minute is given up", async () => {
    const upstream = pulled(10_000)
    const response = await handlerOf(upstream.streamFn)(post())
    const reader = readerOf(response)
    await reader.next()
    await settle()

    await vi.advanceTimersByTimeAsync(59_999)
    expect(upstream.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)

    expect(upstream.signal?.aborted).toBe(true)
    await expect(reader.next()).rejects.toThrow("The client took nothing for 60000 ms")
    await vi.advanceTimersByTimeAsync(100)
  })

  test("that comes faster than it is read, from a StreamFn that does not wait, is cut off", async () => {
    const onError = vi.fn()
    let message: AssistantMessageBuilder | undefined
    const streamFn: StreamFn = (asked: Model) => {
      message = new AssistantMessageBuilder(asked)
      message.start()
      return message.stream
    }
    const response = await handlerOf(streamFn, { onError })(post())
    await settle()
    for (let megabytes = 0; megabytes < 20; megabytes++) message?.text(0, "x".repeat(1_000_000))
    await settle()

    const events = await eventsOf(response)

    expect(message?.message.stopReason).toBe("aborted")
    expect(events.at(-1)).toMatchObject({ type: "error", failure: { code: "overloaded", retryable: true } })
    expect(onError).toHaveBeenCalledOnce()
  })

  test("asks fetch for no more of a response than it can pass on", async () => {
    let chunks = 0
    const bytes = new TextEncoder().encode("x".repeat(1000))
    const vendor: typeof fetch = async () =>
      new Response(
        new ReadableStream(
          {
            pull: (controller) => {
              if (++chunks > 1000) controller.close()
              else controller.enqueue(bytes)
            },
          },
          { highWaterMark: 0 },
        ),
        { status: 201, headers: { "x-vendor": "1" } },
      )
    let seen: Response | undefined
    /** An adapter that reads as fast as it can. */
    const streamFn: StreamFn = (asked, _, options) => {
      const message = new AssistantMessageBuilder(asked)
      void (async () => {
        seen = await options?.fetch?.("https://vendor.test")
        const reader = readerOf(seen as Response)
        for (let text = await reader.next(); text; text = await reader.next()) message.text(0, text)
        message.done("stop")
      })()
      return message.stream
    }
    const handler = handlerOf(streamFn, { fetch: vendor, limits: { maxBufferedChars: 10_000 } })
    const response = await handler(post())
    for (let turn = 0; turn < 200; turn++) await settle()

    expect(chunks).toBeGreaterThan(5)
    expect(chunks).toBeLessThan(50)
    expect(seen?.status).toBe(201)
    expect(seen?.headers.get("x-vendor")).toBe("1")
    const events = await eventsOf(response)
    expect(events.at(-1)?.type).toBe("done")
    expect(events.filter(({ type }) => type === "text_delta")).toHaveLength(1000)
  })

  test("leaves an adapter its own fetch when it was given none", async () => {
    const upstream = upstreamDouble()
    const response = await handlerOf(upstream.streamFn)(post())

    expect(upstream.calls[0]?.options).not.toHaveProperty("fetch")
    await response.body?.cancel()
    await vi.advanceTimersByTimeAsync(100)
  })
})

describe("a disconnect", () => {
  const disconnects: { how: string; via: (response: Response, gone: AbortController) => unknown }[] = [
    { how: "its body is cancelled", via: (response) => response.body?.cancel() },
    { how: "its reader leaves", via: (response) => readerOf(response).cancel() },
    { how: "its request's signal fires", via: (_, gone) => gone.abort() },
  ]

  test.each(disconnects)("ends the upstream at once when $how", async ({ via }) => {
    const upstream = upstreamDouble()
    const gone = new AbortController()
    const response = await handlerOf(upstream.streamFn)(post(undefined, { signal: gone.signal }))
    await settle()

    await via(response, gone)
    await settle()

    expect(upstream.signal?.aborted).toBe(true)
    expect(upstream.left).toBe(false)
    await vi.advanceTimersByTimeAsync(99)
    expect(upstream.left).toBe(true)
  })

  test("before there is a response ends the upstream, too", async () => {
    const upstream = upstreamDouble()
    let resolve = (_: Model): void => {}
    const handler = handlerOf(upstream.streamFn, {
      resolveModel: () => new Promise((done) => (resolve = done)),
    })
    const gone = new AbortController()
    const answering = handler(post(undefined, { signal: gone.signal }))
    await vi.advanceTimersByTimeAsync(0)
    gone.abort()
    resolve(model)
    await answering
    await settle()

    expect(upstream.signal?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(100)
  })

  test.each<{ what: string; options: Partial<ProxyHandlerOptions>; request: () => Request }>([
    { what: "the client does not speak the protocol", options: {}, request: () => post() },
    {
      what: "the client speaks another one",
      options: {},
      request: () => post(undefined, { headers: { "heddle-protocol": "2" } }),
    },
    { what: "there is no store", options: { store: false }, request: () => postResumable() },
    { what: "the store is null", options: { store: null }, request: () => postResumable() },
  ])("is final when $what", async ({ options, request }) => {
    const upstream = upstreamDouble()
    const response = await handlerOf(upstream.streamFn, options)(request())

    expect(response.headers.get("heddle-stream-id")).toBeNull()
    await response.body?.cancel()
    expect(upstream.signal?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(100)
  })

  test("aborts a StreamFn that has not even given a stream", async () => {
    let signal: AbortSignal | undefined
    const onError = vi.fn()
    const streamFn: StreamFn = (_, __, options) => {
      signal = options?.signal
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal?.reason)))
    }
    const response = await handlerOf(streamFn, { onError, limits: { maxStreams: 1 } })(post())

    await response.body?.cancel()
    await vi.advanceTimersByTimeAsync(100)

    expect(signal?.aborted).toBe(true)
    expect(onError).not.toHaveBeenCalled()
  })

  test("is not one when the answer has ended", async () => {
    const streamFn = faux([say("Hi")])
    const gone = new AbortController()
    const response = await handlerOf(streamFn)(post(undefined, { signal: gone.signal }))
    await response.text()

    gone.abort()
    await settle()

    expect(streamFn.requests[0]?.options.signal?.aborted).toBe(false)
  })
})

describe("an upstream", () => {
  test("that never waits and does not hear is left no time once it is aborted", async () => {
    let made = 0
    const streamFn: StreamFn = () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          made++
          return {
            value: { type: "text_delta", contentIndex: 0, delta: "x", partial: {} as never },
            done: false,
          }
        },
      }),
      result: () => new Promise(() => {}),
    })
    const response = await handlerOf(streamFn, { limits: { maxBufferedChars: 1000 } })(post())
    await settle()
    const before = made

    await response.body?.cancel()
    await vi.advanceTimersByTimeAsync(100)

    expect(made - before).toBeLessThan(200)
  })

  test("that is a generator is finished when its answer is, and when it is aborted", async () => {
    let finished = 0
    const streamFn: StreamFn = (_, __, options) => ({
      async *[Symbol.asyncIterator]() {
        const partial = {} as never
        try {
          yield { type: "start", partial }
          if (options?.sessionId === "wait") {
            await new Promise((resolve) => options.signal?.addEventListener("abort", resolve))
          }
          yield { type: "done", reason: "stop", message: {} as never }
        } finally {
          finished++
        }
      },
      result: () => new Promise(() => {}),
    })
    const handler = handlerOf(streamFn)

    await (await handler(post())).text()
    await settle()
    expect(finished).toBe(1)

    const response = await handler(post({ ...BODY, options: { sessionId: "wait" } }))
    await settle()
    await response.body?.cancel()
    await settle()
    expect(finished).toBe(2)
    // It heard, so there is nothing left to wait for.
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("a StreamFn that misbehaves", () => {
  const ends: Partial<Record<Malformation, { type: string; code?: string }>> = {
    throw: { type: "error", code: "server" },
    reject: { type: "error", code: "server" },
    "no-stream": { type: "error", code: "server" },
    "iterator-throws": { type: "error", code: "server" },
    "no-terminal": { type: "error", code: "protocol" },
    "after-terminal": { type: "done" },
    "no-result": { type: "done" },
    "no-start": { type: "done" },
    "unknown-event": { type: "done" },
    mutates: { type: "done" },
  }

  test.each(Object.entries(ends).map(([how, end]) => ({ how: how as Malformation, end })))(
    "by $how is answered with one $end.type",
    async ({ how, end }) => {
      const onError = vi.fn()
      const streamFn = faux([[say("Hello"), malformed(how)]])

      const events = await eventsOf(await handlerOf(streamFn, { onError })(post()))

      const terminal = events.filter(({ type }) => type === "done" || type === "error")
      expect(terminal).toHaveLength(1)
      expect(terminal[0]).toMatchObject({ type: end.type, ...(end.code && { failure: { code: end.code } }) })
      expect(events.at(-1)).toBe(terminal[0])
      expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
      expect(onError).toHaveBeenCalledTimes(end.code === "server" ? 1 : 0)
      if (end.code === "server")
        expect(terminal[0]).toMatchObject({ errorMessage: "The server failed to answer" })
    },
  )

  test("by what has no JSON is answered with an error, and told to stop", async () => {
    const upstream = upstreamDouble()
    const onError = vi.fn()
    const response = await handlerOf(upstream.streamFn, { onError })(post())
    upstream.push({ type: "toolcall_end", contentIndex: 0, toolCall: { arguments: { a: 1n } } })

    const events = await eventsOf(response)

    expect(events).toMatchObject([{ type: "error", failure: { code: "server" } }])
    expect(upstream.signal?.aborted).toBe(true)
    expect(onError).toHaveBeenCalledOnce()
  })

  test("by ignoring an abort is left behind", async () => {
    const onForgotten = vi.fn()
    const streamFn: StreamFn = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(onForgotten) }),
      result: () => new Promise(() => {}),
    })
    const handler = handlerOf(streamFn, { limits: { maxStreams: 1 } })
    const response = await handler(post())
    await response.body?.cancel()

    await vi.advanceTimersByTimeAsync(100)

    const again = await handler(post())
    expect(again.status).toBe(200)
    await again.body?.cancel()
    await vi.advanceTimersByTimeAsync(100)
  })
})

describe("a failure of the upstream", () => {
  test("keeps what came, its code, and the vendor's sentence", async () => {
    const streamFn = faux([
      [say("Hel"), fail({ code: "overloaded", status: 529, retryAfterMs: 7, message: "Overloaded, sorry" })],
    ])
    const onError = vi.fn()

    const events = await eventsOf(await handlerOf(streamFn, { onError })(post()))

    expect(events.at(-1)).toMatchObject({
      type: "error",
      reason: "error",
      errorMessage: "Overloaded, sorry",
      failure: { code: "overloaded", retryable: true, status: 529, retryAfterMs: 7 },
    })
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: "Overloaded, sorry" }),
      expect.objectContaining({
        where: "upstream",
        identity: "alice",
        model: { provider: model.provider, id: model.id },
      }),
    )
  })

  test("is told without what only the operator may know", async () => {
    const secret =
      "POST https://vendor.test/v1/chat failed for sk-of-the-server at 10.1.2.3:443\n    at send (/srv/app.js:1:2)"
    const streamFn = faux([fail({ code: "server", message: secret })])
    const onError = vi.fn()

    const text = await (await handlerOf(streamFn, { onError })(post())).text()

    expect(text).not.toMatch(/vendor\.test|sk-of|10\.1\.2\.3|app\.js/)
    expect(text).toContain("POST … failed for … at …")
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: secret }), expect.anything())
  })

  test("of a caller's making is no error of the operator's", async () => {
    const onError = vi.fn()
    const streamFn = faux([hang()])
    const response = await handlerOf(streamFn, { onError })(post())

    await response.body?.cancel()
    await vi.advanceTimersByTimeAsync(100)

    expect(onError).not.toHaveBeenCalled()
  })

  test("cannot smuggle events into the stream", async () => {
    const evil = 'x\n\ndata: {"type":"done","reason":"stop"}\r\rid: 99\r\n\r\n\u2028: '
    const streamFn = faux([[say(evil), fail({ code: "server", message: evil })]], { chunkSize: 1000 })

    const events = await eventsOf(await handlerOf(streamFn)(post()))

    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "error"])
    expect(events[2]?.delta).toBe(evil)
  })
})
