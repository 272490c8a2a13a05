import { assertWellFormed } from "@heddle/conformance"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createProxyStreamFn, type ProxyClientConfig } from "../src/index.ts"
import {
  CLOSE,
  context,
  DONE,
  events,
  HELLO,
  lines,
  model,
  numbered,
  OPEN,
  openBody,
  proxyDouble,
  read,
  START,
  say,
  settle,
} from "./proxy-double.ts"

const NAMED = { "heddle-stream-id": "s 1" }

/** A response that drops after these events. */
function dropping(text: string, headers: Record<string, string> = NAMED): () => Response {
  return () => {
    const { body, write, drop } = openBody()
    write(text)
    // An error takes away what is queued: it comes when that has been read.
    const relay = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk)
        setTimeout(drop, 1)
      },
    })
    return events(body.pipeThrough(relay), headers)
  }
}

function refusing(status: number): Response {
  return new Response("{}", { status })
}

function call(double: ReturnType<typeof proxyDouble>, config: Partial<ProxyClientConfig> = {}) {
  const controller = new AbortController()
  const streamFn = createProxyStreamFn({
    proxyUrl: "https://proxy.test",
    authToken: "t",
    fetch: double.fetch,
    ...config,
  })
  return { controller, reading: read(streamFn(model, context, { signal: controller.signal })) }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe("a dropped connection", () => {
  test("is taken up again after the last event that came", async () => {
    const double = proxyDouble(
      dropping(numbered(1, START, OPEN, say("Hel"))),
      events(numbered(4, say("lo"), CLOSE, DONE)),
    )
    const { reading } = call(double)

    await vi.runAllTimersAsync()
    const { events: received, message } = await reading

    assertWellFormed(received)
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
    expect(double.asked).toMatchObject([
      { method: "POST" },
      {
        method: "GET",
        url: "https://proxy.test/api/stream/s%201",
        headers: { authorization: "Bearer t", "heddle-protocol": "1", "last-event-id": "3" },
        body: undefined,
      },
    ])
  })

  test("is taken up again also when the response ends without a terminal event", async () => {
    const double = proxyDouble(
      events(`${numbered(1, START, OPEN, say("Hel"))}id: 4\ndata: {"type":"text_de`, NAMED),
      events(numbered(4, say("lo"), CLOSE, DONE)),
    )
    const { reading } = call(double)

    await vi.runAllTimersAsync()

    expect((await reading).message.content).toMatchObject([{ text: "Hello" }])
    expect(double.asked[1]?.headers["last-event-id"]).toBe("3")
  })

  test("is taken up again from the start when nothing had come", async () => {
    const double = proxyDouble(dropping(": beat\n\n"), events(numbered(1, ...HELLO)))
    const { reading } = call(double)

    await vi.runAllTimersAsync()

    expect((await reading).message.stopReason).toBe("stop")
    expect(double.asked[1]?.headers).not.toHaveProperty("last-event-id")
  })

  test("shows no event twice, whatever the server sends again", async () => {
    const double = proxyDouble(dropping(numbered(1, START, OPEN, say("Hel"))), events(numbered(1, ...HELLO)))
    const { reading } = call(double)

    await vi.runAllTimersAsync()
    const { events: received, message } = await reading

    assertWellFormed(received)
    expect(message.content).toMatchObject([{ text: "Hello" }])
  })

  test("is taken up again through refusals that may pass, each with a token of its own", async () => {
    let count = 0
    const double = proxyDouble(
      dropping(numbered(1, START, OPEN)),
      refusing(503),
      () => Promise.reject(new TypeError("fetch failed")),
      refusing(429),
      events(numbered(3, say("Hello"), CLOSE, DONE)),
    )
    const { reading } = call(double, { authToken: () => `t-${++count}` })

    await vi.runAllTimersAsync()

    expect((await reading).message.stopReason).toBe("stop")
    expect(double.asked.map(({ headers }) => headers.authorization)).toEqual(
      [1, 2, 3, 4, 5].map((each) => `Bearer t-${each}`),
    )
  })

  test.each([{ status: 400 }, { status: 401 }, { status: 403 }, { status: 404 }, { status: 410 }])(
    "is given up at a refusal with $status, as the network failure it is",
    async ({ status }) => {
      const double = proxyDouble(dropping(numbered(1, START, OPEN, say("Hel"))), refusing(status))
      const { reading } = call(double)

      await vi.runAllTimersAsync()
      const { message } = await reading

      expect(message).toMatchObject({
        content: [{ text: "Hel" }],
        errorMessage: "The connection to the proxy failed: other side closed",
        failure: { code: "network", retryable: true },
      })
      expect(double.of("GET")).toHaveLength(1)
    },
  )

  test("is given up after five tries in a row, within ten seconds, and the server is told", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999)
    const double = proxyDouble(dropping(numbered(1, START)), refusing(503))
    const { reading } = call(double)

    await vi.advanceTimersByTimeAsync(10_000)
    const { message } = await reading
    await settle()

    expect(message.failure?.code).toBe("network")
    expect(double.of("GET")).toHaveLength(5)
    expect(double.of("DELETE")).toHaveLength(1)
    vi.restoreAllMocks()
  })

  test("is given up in the end also when every try brings one more event", async () => {
    let id = 1
    const double = proxyDouble(dropping(numbered(1, START, OPEN)), () =>
      events(`id: ${++id + 1}\n${lines(say("x"))}`),
    )
    const { reading } = call(double)

    await vi.runAllTimersAsync()
    const { message } = await reading

    expect(message.failure?.code).toBe("protocol")
    expect(message.content).toMatchObject([{ text: "x".repeat(50) }])
    expect(double.of("GET")).toHaveLength(50)
  })

  test("is final where the server names no stream", async () => {
    const double = proxyDouble(dropping(lines(START, OPEN, say("Hel")), {}))
    const { reading } = call(double)

    await vi.runAllTimersAsync()

    expect((await reading).message.failure?.code).toBe("network")
    expect(double.asked).toHaveLength(1)
  })

  test("is final where the events have no ids: nobody could tell what has come already", async () => {
    const double = proxyDouble(dropping(lines(START, OPEN, say("Hel"))), events(lines(...HELLO)))
    const { reading } = call(double)

    await vi.runAllTimersAsync()

    expect((await reading).message).toMatchObject({
      content: [{ text: "Hel" }],
      failure: { code: "network" },
    })
    expect(double.of("GET")).toHaveLength(0)
  })

  test("is final where the client is not to come back", async () => {
    const double = proxyDouble(dropping(numbered(1, START)))
    const { reading } = call(double, { maxReconnects: 0 })

    await vi.runAllTimersAsync()

    expect((await reading).message.failure?.code).toBe("network")
    expect(double.of("GET")).toHaveLength(0)
  })

  test("is not taken up again after an abort during the wait", async () => {
    const double = proxyDouble(dropping(numbered(1, START, OPEN, say("Hel"))))
    vi.spyOn(Math, "random").mockReturnValue(0.999)
    const { controller, reading } = call(double)
    await vi.advanceTimersByTimeAsync(100)

    controller.abort()
    const { message } = await reading
    await vi.runAllTimersAsync()

    expect(message).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
    expect(double.of("GET")).toHaveLength(0)
    expect(double.of("DELETE")).toHaveLength(1)
    vi.restoreAllMocks()
  })

  test("counts as silence only while a request is open", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999)
    const double = proxyDouble(dropping(numbered(1, START)), events(numbered(2, DONE)))
    const { reading } = call(double, { idleTimeoutMs: 200 })

    await vi.runAllTimersAsync()

    expect((await reading).message.stopReason).toBe("stop")
    vi.restoreAllMocks()
  })
})
