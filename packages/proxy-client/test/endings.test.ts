import { assertWellFormed, fold } from "@heddle/conformance"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createProxyStreamFn, type ProxyClientConfig } from "../src/index.ts"
import {
  CLOSE,
  context,
  DONE,
  events,
  lines,
  model,
  OPEN,
  openBody,
  proxyDouble,
  read,
  START,
  say,
  settle,
} from "./proxy-double.ts"

/** Counts the listeners of a signal. */
class CountingController extends AbortController {
  readonly #listeners = new Set<unknown>()

  constructor() {
    super()
    const { signal } = this
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...parameters: Parameters<typeof add>) => {
      this.#listeners.add(parameters[1])
      add(...parameters)
    }
    signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
      this.#listeners.delete(parameters[1])
      remove(...parameters)
    }
  }

  get listeners(): number {
    return this.#listeners.size
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** A call whose response the test writes. */
function call(config: Partial<ProxyClientConfig> = {}, headers: Record<string, string> = {}) {
  const body = openBody()
  const double = proxyDouble(() => events(body.body, headers))
  const controller = new CountingController()
  const streamFn = createProxyStreamFn({
    proxyUrl: "https://proxy.test",
    authToken: "t",
    fetch: double.fetch,
    ...config,
  })
  const reading = read(streamFn(model, context, { signal: controller.signal }))
  return { body, double, controller, reading }
}

describe("a silent server", () => {
  test("ends the stream after a minute without a byte, with what came", async () => {
    const { body, double, reading } = call()
    body.write(lines(START, OPEN, say("Hel")))
    await settle()

    await vi.advanceTimersByTimeAsync(59_999)
    expect(double.asked[0]?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const { events, message } = await reading

    assertWellFormed(events)
    expect(message).toMatchObject({
      stopReason: "error",
      content: [{ type: "text", text: "Hel" }],
      errorMessage: "The proxy was silent for 60000 ms",
      failure: { code: "timeout", retryable: true },
    })
    expect(double.asked[0]?.signal.aborted).toBe(true)
    expect(body.cancelled).toBe(true)
  })

  test("is one that sends heartbeats not", async () => {
    const { body, reading } = call({ idleTimeoutMs: 1000 })
    body.write(lines(START, OPEN, say("Hel")))
    for (let beat = 0; beat < 10; beat++) {
      await vi.advanceTimersByTimeAsync(900)
      body.write(": beat\n\n")
      await settle()
    }
    body.write(lines(say("lo"), CLOSE, DONE))
    body.end()

    expect((await reading).message.stopReason).toBe("stop")
  })

  test("ends the stream also when it never answers at all", async () => {
    const double = proxyDouble(() => new Promise<Response>(() => {}))
    const streamFn = createProxyStreamFn({
      proxyUrl: "",
      authToken: "t",
      fetch: double.fetch,
      idleTimeoutMs: 50,
    })
    const reading = read(streamFn(model, context))

    await vi.advanceTimersByTimeAsync(50)

    expect((await reading).message.failure?.code).toBe("timeout")
  })

  test("has a minute for its first byte once it has answered", async () => {
    const body = openBody()
    let answer = (_: Response): void => {}
    const double = proxyDouble(() => new Promise<Response>((resolve) => (answer = resolve)))
    const streamFn = createProxyStreamFn({ proxyUrl: "", authToken: "t", fetch: double.fetch })
    const reading = read(streamFn(model, context))
    await vi.advanceTimersByTimeAsync(40_000)
    answer(events(body.body))
    await vi.advanceTimersByTimeAsync(40_000)
    body.write(lines(START, DONE))
    body.end()

    expect((await reading).message.stopReason).toBe("stop")
  })

  test("is waited for as long as it takes, when asked to", async () => {
    const { body, reading } = call({ idleTimeoutMs: 0 })
    body.write(lines(START))
    await vi.advanceTimersByTimeAsync(1e9)
    body.write(lines(DONE))
    body.end()

    expect((await reading).message.stopReason).toBe("stop")
  })

  test.each([
    { what: "that only sends heartbeats", beat: ": beat\n\n", code: "timeout" },
    { what: "that has begun", beat: lines(START), code: "timeout" },
  ])("$what fails for timeoutMs only when the answer has not begun", async ({ beat }) => {
    const body = openBody()
    const double = proxyDouble(() => events(body.body))
    const streamFn = createProxyStreamFn({ proxyUrl: "", authToken: "t", fetch: double.fetch })
    const reading = read(streamFn(model, context, { timeoutMs: 100 }))
    body.write(beat)
    await vi.advanceTimersByTimeAsync(100)
    body.write(lines(DONE))
    body.end()

    const { message } = await reading

    expect(message.stopReason).toBe(beat.startsWith(":") ? "error" : "stop")
    expect(message.failure?.code).toBe(beat.startsWith(":") ? "timeout" : undefined)
  })
})

describe("an abort", () => {
  test("before the call sends nothing", async () => {
    const double = proxyDouble()
    const streamFn = createProxyStreamFn({ proxyUrl: "", authToken: "t", fetch: double.fetch })

    const { events, message } = await read(
      streamFn(model, context, { signal: AbortSignal.abort(new Error("enough")) }),
    )

    expect(events.map(({ type }) => type)).toEqual(["error"])
    expect(message).toMatchObject({
      stopReason: "aborted",
      errorMessage: "enough",
      failure: { code: "aborted" },
    })
    expect(double.asked).toHaveLength(0)
  })

  test("while the token is fetched ends the stream, and no request follows", async () => {
    let resolve = (_: string): void => {}
    const authToken = () => new Promise<string>((resolveToken) => (resolve = resolveToken))
    const { double, controller, reading } = call({ authToken })
    await settle()

    controller.abort()
    const { message } = await reading
    resolve("late")
    await settle()

    expect(message.stopReason).toBe("aborted")
    expect(double.asked).toHaveLength(0)
    expect(controller.listeners).toBe(0)
  })

  test("during connect ends the stream, and a late response is closed unread", async () => {
    const body = openBody()
    let answer = (_: Response): void => {}
    const double = proxyDouble(() => new Promise<Response>((resolve) => (answer = resolve)))
    const controller = new CountingController()
    const onResponse = vi.fn()
    const streamFn = createProxyStreamFn({ proxyUrl: "", authToken: "t", fetch: double.fetch })
    const reading = read(streamFn(model, context, { signal: controller.signal, onResponse }))
    await settle()

    controller.abort()
    const { events: received, message } = await reading
    answer(events(body.body))
    await settle()

    expect(received.map(({ type }) => type)).toEqual(["error"])
    expect(message.failure?.code).toBe("aborted")
    expect(double.asked[0]?.signal.aborted).toBe(true)
    expect(body.cancelled).toBe(true)
    expect(onResponse).not.toHaveBeenCalled()
    expect(controller.listeners).toBe(0)
  })

  test("in the middle of the answer keeps what came, usage included, and hangs up", async () => {
    const { body, double, controller, reading } = call()
    const usage = { input: 7, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 7, cost: { total: 1 } }
    body.write(lines(START, { ...OPEN, usage }, say("Hel")))
    await settle()

    controller.abort()
    const { events, message } = await reading

    assertWellFormed(events)
    expect(fold(events)).toEqual(message)
    expect(message).toMatchObject({
      stopReason: "aborted",
      content: [{ type: "text", text: "Hel" }],
      usage: { input: 7, cost: { total: 1 } },
    })
    expect(double.asked[0]?.signal.aborted).toBe(true)
    expect(body.cancelled).toBe(true)
    expect(controller.listeners).toBe(0)
  })

  test("is listened for while the answer comes", async () => {
    const { body, controller, reading } = call()
    body.write(lines(START))
    await settle()

    expect(controller.listeners).toBe(1)
    controller.abort()
    await reading
  })

  test("after the end changes nothing, and nobody listens to it any more", async () => {
    const { body, controller, reading } = call()
    body.write(lines(START, DONE))
    body.end()
    const { message } = await reading
    await settle()

    expect(controller.listeners).toBe(0)
    controller.abort()
    expect(message.stopReason).toBe("stop")
  })

  test("of a stream that can be taken up again tells the server", async () => {
    const { body, double, controller, reading } = call({}, { "heddle-stream-id": "s-1" })
    body.write(lines(START, OPEN, say("Hel")))
    await settle()

    controller.abort()
    await reading
    await settle()

    expect(double.of("DELETE")).toMatchObject([
      { url: "https://proxy.test/api/stream/s-1", headers: { authorization: "Bearer t" } },
    ])
  })
})

describe("a reader who leaves", () => {
  test("hangs up, and tells the server of a stream that can be taken up again", async () => {
    const body = openBody()
    const double = proxyDouble(() => events(body.body, { "heddle-stream-id": "s-1" }))
    const streamFn = createProxyStreamFn({ proxyUrl: "", authToken: "t", fetch: double.fetch })
    const stream = streamFn(model, context)
    body.write(lines(START, OPEN, say("Hel")))

    for await (const { type } of stream) if (type === "text_delta") break
    const message = await stream.result()
    await settle()

    expect(message).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
    expect(body.cancelled).toBe(true)
    expect(double.of("DELETE")).toHaveLength(1)
  })
})

describe("a connection that stays open after the terminal event", () => {
  test("is closed after a moment, and the reader does not wait for it", async () => {
    const { body, double, reading } = call({}, { "heddle-stream-id": "s-1" })
    body.write(lines(START, DONE))

    const { message } = await reading
    expect(message.stopReason).toBe("stop")
    expect(body.cancelled).toBe(false)
    body.write(": beat\n\n")
    await vi.advanceTimersByTimeAsync(100)

    expect(body.cancelled).toBe(true)
    expect(double.of("DELETE")).toHaveLength(0)
  })

  test("is closed at once when the server broke the protocol", async () => {
    const { body, double, reading } = call({}, { "heddle-stream-id": "s-1" })
    body.write(lines(START, say("x")))

    const { message } = await reading
    await settle()

    expect(message.failure?.code).toBe("protocol")
    expect(body.cancelled).toBe(true)
    expect(double.of("DELETE")).toHaveLength(1)
  })
})
