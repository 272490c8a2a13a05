import { assertWellFormed, fold } from "@heddle/conformance"
import type { AssistantMessageEvent, Context } from "@heddle/types"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import {
  callTool,
  cut,
  fail,
  faux,
  fauxModel,
  hang,
  opaque,
  type Reply,
  say,
  stop,
  think,
  wait,
} from "../src/index.ts"
import { deltasOf, read } from "./read.ts"
import { replies } from "./replies.ts"

const model = fauxModel()
const nothing: Context = { messages: [] }
const now = () => 1

describe("a reply", () => {
  test("becomes the contract's events", async () => {
    const reply = [think("Hm", { signature: "s" }), say("Hello"), callTool("read", { path: "a.ts" })]

    const { events } = await read(faux([reply])(model, nothing))

    assertWellFormed(events)
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
      "text_delta",
      "text_end",
      "toolcall_start",
      "toolcall_delta",
      "toolcall_delta",
      "toolcall_delta",
      "toolcall_delta",
      "toolcall_end",
      "done",
    ])
  })

  test("becomes the message it describes", async () => {
    const reply = [
      think("Hm", { signature: "s1" }),
      think("hidden", { redacted: true }),
      think("", { redacted: true, signature: "payload" }),
      say("Hello", { signature: "s2" }),
      say(""),
      opaque("server_tool_use", { id: 1 }),
      callTool("read", { path: "a.ts" }, { id: "c", signature: "s3" }),
    ]

    const { result } = await read(faux([reply])(model, nothing))

    expect(result.content).toEqual([
      { type: "thinking", thinking: "Hm", thinkingSignature: "s1" },
      { type: "thinking", thinking: "", thinkingSignature: "hidden", redacted: true },
      { type: "thinking", thinking: "", thinkingSignature: "payload", redacted: true },
      { type: "text", text: "Hello", textSignature: "s2" },
      { type: "text", text: "" },
      { type: "opaque", kind: "server_tool_use", data: { id: 1 } },
      { type: "toolCall", id: "c", name: "read", arguments: { path: "a.ts" }, thoughtSignature: "s3" },
    ])
  })

  test.each<{ what: string; reply: Reply; ends: object }>([
    { what: "nothing", reply: [], ends: { stopReason: "stop", content: [] } },
    { what: "text", reply: say("a"), ends: { stopReason: "stop" } },
    { what: "a tool call", reply: callTool("a"), ends: { stopReason: "toolUse" } },
    { what: "stop(length)", reply: [say("a"), stop("length")], ends: { stopReason: "length" } },
    {
      what: "stop(stop) with the vendor's word",
      reply: [say("a"), stop("stop", "end_turn")],
      ends: { stopReason: "stop", rawStopReason: "end_turn" },
    },
    {
      what: "fail",
      reply: [say("a"), fail({ code: "overloaded", status: 529 }), say("b")],
      ends: {
        stopReason: "error",
        failure: { code: "overloaded", retryable: true, status: 529 },
        content: [{ type: "text", text: "a" }],
      },
    },
    {
      what: "fail(aborted)",
      reply: [say("a"), fail({ code: "aborted", message: "Enough" })],
      ends: { stopReason: "aborted", errorMessage: "Enough", failure: { code: "aborted", retryable: false } },
    },
    {
      what: "cut",
      reply: [say("a"), cut()],
      ends: {
        stopReason: "error",
        errorMessage: "The stream ended without a done or error event",
        failure: { code: "protocol", retryable: true },
        content: [{ type: "text", text: "a" }],
      },
    },
  ])("of $what ends as it says", async ({ reply, ends }) => {
    const { events, result } = await read(faux([reply])(model, nothing))

    assertWellFormed(events)
    expect(result).toMatchObject(ends)
  })

  test.each([{ part: fail({ code: "auth" }) }, { part: cut() }])(
    "that begins with $part.type is a lone error of the script's clock",
    async ({ part }) => {
      const { events, result } = await read(faux([part], { now })(model, nothing))

      expect(events.map(({ type }) => type)).toEqual(["error"])
      expect(result).toMatchObject({ content: [], timestamp: 1 })
    },
  )

  test("can call a tool with broken arguments", async () => {
    const { result } = await read(faux([callTool("read", '{"path": "a.t')])(model, nothing))

    expect(result.content).toMatchObject([
      { name: "read", arguments: { path: "a.t" }, argumentsError: expect.any(String) },
    ])
  })

  test("waits for the test's promise in the middle", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const stream = faux([[say("before"), wait(gate), say("after")]], { chunkSize: 10 })(model, nothing)
    const reader = stream[Symbol.asyncIterator]()
    const seen: AssistantMessageEvent[] = []
    while (seen.at(-1)?.type !== "text_end") seen.push((await reader.next()).value)

    const next = reader.next()
    open()

    expect((await next).value).toMatchObject({ type: "text_start", contentIndex: 1 })
    expect((await stream.result()).content).toHaveLength(2)
  })
})

describe("every script", () => {
  test("is streamed in grammar, folds to its result and never changes what was delivered", async () => {
    await fc.assert(
      fc.asyncProperty(replies, fc.integer({ min: 1, max: 9 }), async (reply, chunkSize) => {
        const stream = faux([reply], { chunkSize, now })(model, nothing)
        const events: AssistantMessageEvent[] = []
        const clones: AssistantMessageEvent[] = []
        for await (const event of stream) {
          events.push(event)
          clones.push(structuredClone(event))
        }

        assertWellFormed(events)
        expect(fold(events)).toEqual(await stream.result())
        expect(events).toEqual(clones)
      }),
      { numRuns: 50 },
    )
  })

  test("becomes the same message in chunks of any size", async () => {
    await fc.assert(
      fc.asyncProperty(replies, fc.integer({ min: 1, max: 9 }), async (reply, chunkSize) => {
        const whole = await faux([reply], { chunkSize: Number.POSITIVE_INFINITY, now })(
          model,
          nothing,
        ).result()
        const pieces = await faux([reply], { chunkSize, now })(model, nothing).result()

        expect(pieces).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })

  test("ends aborted at whichever event its reader aborts, with what had come by then", async () => {
    await fc.assert(
      fc.asyncProperty(replies, fc.nat(30), async (reply, abortAt) => {
        const controller = new AbortController()
        const stream = faux([reply], { now })(model, nothing, { signal: controller.signal })
        const events: AssistantMessageEvent[] = []
        for await (const event of stream) {
          if (events.push(event) === abortAt) controller.abort(new Error("Enough"))
        }

        assertWellFormed(events)
        if (!controller.signal.aborted || events.length === abortAt) return
        expect(events.at(-1)).toMatchObject({ reason: "aborted", error: { errorMessage: "Enough" } })
        // A block that was open is closed, and that is all that comes after the abort.
        const late = events.slice(abortAt, -1)
        expect(late.length).toBeLessThanOrEqual(1)
        expect(late.every(({ type }) => type.endsWith("_end"))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

describe("abort", () => {
  test("before the request is a lone aborted error", async () => {
    const { events, result } = await read(
      faux([say("a")])(model, nothing, { signal: AbortSignal.abort(new Error("Too late")) }),
    )

    expect(events).toHaveLength(1)
    expect(result).toMatchObject({ stopReason: "aborted", errorMessage: "Too late", content: [] })
  })

  test.each<{ what: string; script: Parameters<typeof faux>[0] }>([
    { what: "a hang", script: [hang()] },
    { what: "a long wait", script: [wait(1e6)] },
    { what: "a wait for what never comes", script: [wait(new Promise(() => {}))] },
    { what: "a function that never answers", script: () => new Promise(() => {}) },
  ])("ends $what", async ({ script }) => {
    const controller = new AbortController()
    const stream = faux(script)(model, nothing, { signal: controller.signal })

    controller.abort()

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", failure: { code: "aborted" } })
  })

  test("keeps content and usage", async () => {
    const controller = new AbortController()
    const context: Context = { systemPrompt: "12345678", messages: [] }
    const stream = faux([[say("Hello"), hang()]])(model, context, { signal: controller.signal })
    for await (const event of stream) if (event.type === "text_end") controller.abort()

    expect(await stream.result()).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      usage: { input: 2, output: 0 },
    })
  })

  test("leaves no listener on the caller's signal, however the stream ended", async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, "addEventListener")
    const remove = vi.spyOn(signal, "removeEventListener")
    const streamFn = faux([say("a"), fail({ code: "server" }), cut(), [say("a"), hang()]])

    for (let count = 0; count < 3; count++) await streamFn(model, nothing, { signal }).result()
    for await (const event of streamFn(model, nothing, { signal })) if (event.type === "text_end") break
    await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(4))

    expect(add).toHaveBeenCalledTimes(4)
  })
})

describe("a reader that leaves", () => {
  test("ends the stream as aborted", async () => {
    const stream = faux([say("Hello to you.")])(model, nothing)
    for await (const event of stream) if (event.type === "text_delta") break

    expect(await stream.result()).toMatchObject({
      stopReason: "aborted",
      content: [{ type: "text", text: "Hell" }],
    })
  })
})

describe("pace", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test("needs no timer unless a speed is asked for", async () => {
    await read(faux([say("a".repeat(1000))])(model, nothing))

    expect(vi.getTimerCount()).toBe(0)
  })

  test("streams so many tokens a second, of four characters each", async () => {
    const stream = faux([say("x".repeat(400))], { tokensPerSecond: 30, chunkSize: 4 })(model, nothing)
    let isOver = false
    void stream.result().then(() => {
      isOver = true
    })

    await vi.advanceTimersByTimeAsync(3_332)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isOver).toBe(true)
  })

  test("pauses for so many milliseconds", async () => {
    const stream = faux([[wait(500), say("a")]])(model, nothing)
    let hasBegun = false
    void stream[Symbol.asyncIterator]()
      .next()
      .then(() => {
        hasBegun = true
      })

    await vi.advanceTimersByTimeAsync(499)
    expect(hasBegun).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(hasBegun).toBe(true)
  })

  test("leaves no timer behind when it is aborted or left", async () => {
    const controller = new AbortController()
    const streamFn = faux([wait(500), [say("a"), wait(500)], say("Hello")], { tokensPerSecond: 1 })
    const aborted = streamFn(model, nothing, { signal: controller.signal })
    const reader = streamFn(model, nothing)[Symbol.asyncIterator]()
    await vi.advanceTimersByTimeAsync(1)
    expect(vi.getTimerCount()).toBe(2)

    controller.abort()
    await reader.return?.()
    await aborted.result()

    expect(vi.getTimerCount()).toBe(0)
  })

  test("waits with the sleep that is given", async () => {
    const slept: number[] = []
    const sleep = async (milliseconds: number) => {
      slept.push(milliseconds)
    }

    await faux([[say("x".repeat(12)), wait(7)]], { tokensPerSecond: 100, sleep })(model, nothing).result()

    expect(slept).toEqual([10, 10, 10, 7])
  })

  test("ends the stream when the sleep that is given fails", async () => {
    const sleep = () => Promise.reject(new Error("No bed"))
    const { errorMessage } = await faux([wait(7)], { sleep })(model, nothing).result()

    expect(errorMessage).toBe("The script failed at request 1: No bed")
  })
})

describe("chunks", () => {
  test.each([
    { chunkSize: 1, deltas: ["a", "👍", "b", "👍", "👍"] },
    { chunkSize: 2, deltas: ["a👍", "b👍", "👍"] },
    { chunkSize: 3, deltas: ["a👍", "b👍", "👍"] },
    { chunkSize: 4, deltas: ["a👍b", "👍👍"] },
    { chunkSize: Number.POSITIVE_INFINITY, deltas: ["a👍b👍👍"] },
  ])("of $chunkSize characters never split a surrogate pair", async ({ chunkSize, deltas }) => {
    const { events } = await read(faux([say("a👍b👍👍")], { chunkSize })(model, nothing))

    expect(deltasOf(events)).toEqual(deltas)
  })

  test("keep lone surrogates as they are", async () => {
    const text = "\ud83d\ud83d\udc4d\udc4d"
    const { events } = await read(faux([say(text)], { chunkSize: 1 })(model, nothing))

    expect(deltasOf(events)).toEqual(["\ud83d", "👍", "\udc4d"])
  })
})
