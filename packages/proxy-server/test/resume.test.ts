import { faux, say } from "@heddle/faux"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { memoryResumeStore, type ResumeStore } from "../src/index.ts"
import {
  eventsOf,
  handlerOf,
  parse,
  postResumable,
  readerOf,
  remove,
  resume,
  settle,
  upstreamDouble,
} from "./asking.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})

afterEach(async () => {
  await vi.advanceTimersByTimeAsync(100_000)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const delta = (text: string) => ({ type: "text_delta", contentIndex: 0, delta: text })
const OPEN = [
  { type: "start", partial: {} },
  { type: "text_start", contentIndex: 0 },
]
const CLOSE = [
  { type: "text_end", contentIndex: 0 },
  { type: "done", reason: "stop", message: {} },
]

/** A stream of which the first events have been read. */
async function begun(options: Parameters<typeof handlerOf>[1] = {}, headers: Record<string, string> = {}) {
  const upstream = upstreamDouble()
  const authorize = (request: Request) => request.headers.get("authorization") ?? "alice"
  const handler = handlerOf(upstream.streamFn, { authorize, ...options })
  const response = await handler(postResumable(undefined, { headers }))
  const id = response.headers.get("heddle-stream-id") ?? ""
  const reader = readerOf(response)
  upstream.push(...OPEN, delta("a"))
  await settle()
  let text = ""
  while (parse(text).length < 3) text += (await reader.next()) ?? ""
  return { upstream, handler, id, reader, first: parse(text) }
}

describe("a stream whose connection dropped", () => {
  test("goes on, and is continued behind the last event the client has", async () => {
    const { upstream, handler, id, reader, first } = await begun()
    upstream.push(delta("b"))
    await reader.cancel()
    upstream.push(delta("c"))
    await vi.advanceTimersByTimeAsync(9_999)
    expect(upstream.signal?.aborted).toBe(false)

    const response = await handler(resume(id, 3))
    upstream.push(delta("d"), ...CLOSE)
    const rest = await eventsOf(response)

    expect(response.status).toBe(200)
    expect(response.headers.get("heddle-stream-id")).toBe(id)
    expect([...first, ...rest].map((event) => event.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(rest.map(({ type, delta: text }) => text ?? type)).toEqual(["b", "c", "d", "text_end", "done"])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(upstream.signal?.aborted).toBe(false)
  })

  test("is sent again from wherever the client says, more than once", async () => {
    const { upstream, handler, id, reader } = await begun()
    upstream.push(delta("b"), ...CLOSE)
    await reader.cancel()

    for (const after of [3, 1, undefined, 5, 6]) {
      const events = await eventsOf(await handler(resume(id, after)))
      expect(events.map((event) => event.id)).toEqual([1, 2, 3, 4, 5, 6].slice(after ?? 0))
    }
  })

  test("ends its upstream ten seconds later when nobody comes, and is forgotten", async () => {
    const { upstream, handler, id, reader } = await begun()
    await reader.cancel()

    await vi.advanceTimersByTimeAsync(9_999)
    expect(upstream.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)

    expect(upstream.signal?.aborted).toBe(true)
    expect((await handler(resume(id, 3))).status).toBe(404)
  })

  test("waits as long as it was told", async () => {
    const { upstream, reader } = await begun({ resumeGraceMs: 50 })
    await reader.cancel()

    await vi.advanceTimersByTimeAsync(49)
    expect(upstream.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(upstream.signal?.aborted).toBe(true)
  })

  test("is kept for a while after its end, for a client that missed it", async () => {
    const { upstream, handler, id, reader } = await begun()
    await reader.cancel()
    upstream.push(...CLOSE)
    await vi.advanceTimersByTimeAsync(9_000)

    expect(await eventsOf(await handler(resume(id, 3)))).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await handler(resume(id, 3))).status).toBe(404)
  })

  test("is taken over from a connection that is dead and does not know it", async () => {
    const { upstream, handler, id, reader } = await begun()
    const waiting = reader.next()

    const response = await handler(resume(id, 3))
    upstream.push(delta("b"), ...CLOSE)

    await expect(waiting).rejects.toThrow("The stream is read elsewhere")
    expect((await eventsOf(response)).map((event) => event.id)).toEqual([4, 5, 6])
    expect(upstream.signal?.aborted).toBe(false)
  })

  test("is taken over from a connection that takes nothing", async () => {
    const { upstream, handler, id, reader } = await begun({ limits: { maxBufferedChars: 1000 } })
    upstream.push(delta("b".repeat(20_000)), delta("c".repeat(2000)))
    await settle()

    const response = await handler(resume(id, 3))
    upstream.push(...CLOSE)

    expect((await eventsOf(response)).map((event) => event.id)).toEqual([4, 5, 6, 7])
    await expect(reader.next()).rejects.toThrow()
  })

  test("is lost when the client is further behind than what is kept", async () => {
    const { upstream, handler, id, reader } = await begun({ limits: { maxReplayChars: 5_000 } })
    upstream.push(...Array.from({ length: 20 }, () => delta("x".repeat(1000))))
    await settle()
    let text = ""
    while (parse(text).length < 20) text += (await reader.next()) ?? ""
    await reader.cancel()

    expect((await handler(resume(id, 3))).status).toBe(410)
    const late = await handler(resume(id, 20))
    upstream.push(...CLOSE)
    expect((await eventsOf(late)).map((event) => event.id)).toEqual([21, 22, 23, 24, 25])
  })

  test.each([
    { lastEventId: 99, status: 410 },
    { lastEventId: "abc", status: 400 },
    { lastEventId: "-1", status: 400 },
    { lastEventId: "1e3", status: 400 },
    { lastEventId: "9".repeat(30), status: 400 },
  ])("cannot be continued behind $lastEventId", async ({ lastEventId, status }) => {
    const { handler, id, reader } = await begun()
    await reader.cancel()

    expect((await handler(resume(id, lastEventId))).status).toBe(status)
  })

  test("is for the caller who began it, whom every request has to name", async () => {
    const { upstream, handler, id, reader } = await begun(
      { authorize: (request) => request.headers.get("authorization") },
      { authorization: "alice" },
    )
    await reader.cancel()

    expect((await handler(resume(id, 3, { authorization: "bob" }))).status).toBe(403)
    expect((await handler(resume(id, 3))).status).toBe(401)
    expect((await handler(remove(id, { authorization: "bob" }))).status).toBe(403)
    expect((await handler(remove(id))).status).toBe(401)
    expect(upstream.signal?.aborted).toBe(false)
    expect((await handler(resume(id, 3, { authorization: "alice" }))).status).toBe(200)
  })

  test("is for the caller who has the same claims", async () => {
    let user = { id: 1 }
    const { handler, id, reader } = await begun({ authorize: () => user })
    await reader.cancel()

    user = { id: 2 }
    expect((await handler(resume(id, 3))).status).toBe(403)
    user = { id: 1 }
    expect((await handler(resume(id, 3))).status).toBe(200)
  })

  test("does not exist under another name", async () => {
    const { handler, reader } = await begun()
    await reader.cancel()

    expect((await handler(resume("00000000-0000-0000-0000-000000000000", 3))).status).toBe(404)
    expect((await handler(remove("constructor"))).status).toBe(404)
  })
})

describe("a stream that is deleted", () => {
  test("ends its upstream at once, and its reader hears of it", async () => {
    const { upstream, handler, id, reader } = await begun()
    const reading = reader.next()

    const response = await handler(remove(id))

    expect(response.status).toBe(204)
    expect(upstream.signal?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(50)
    expect(parse((await reading) ?? "")).toMatchObject([
      { type: "error", reason: "aborted", failure: { code: "aborted", retryable: false } },
    ])
    expect(await reader.next()).toBeUndefined()
    expect((await handler(resume(id, 3))).status).toBe(404)
  })

  test("ends its upstream at once also after its connection dropped", async () => {
    const { upstream, handler, id, reader } = await begun()
    await reader.cancel()

    expect((await handler(remove(id))).status).toBe(204)

    expect(upstream.signal?.aborted).toBe(true)
    expect((await handler(remove(id))).status).toBe(404)
  })

  test("ends its upstream when the connection drops first by a moment or last", async () => {
    const { upstream, handler, id, reader } = await begun()
    await handler(remove(id))
    await reader.cancel()
    await vi.advanceTimersByTimeAsync(50)

    expect(upstream.left).toBe(true)
    expect((await handler(resume(id, 3))).status).toBe(404)
  })
})

/** A store that is somewhere else: everything takes a moment, and nothing but text gets through. */
function remoteStore(): ResumeStore & { readonly calls: string[] } {
  const memory = memoryResumeStore()
  const calls: string[] = []
  const after = <TArguments extends unknown[], TResult>(
    name: string,
    method: (...args: TArguments) => TResult,
  ) => {
    return async (...args: TArguments): Promise<Awaited<TResult>> => {
      calls.push(name)
      await settle()
      for (const argument of args) {
        if (typeof argument !== "function" && !(argument instanceof AbortSignal)) structuredClone(argument)
      }
      return await method(...args)
    }
  }
  return {
    calls,
    create: after("create", memory.create),
    owner: after("owner", memory.owner),
    append: after("append", memory.append),
    read: after("read", memory.read),
    publish: after("publish", memory.publish),
    subscribe: after("subscribe", memory.subscribe),
    expire: after("expire", memory.expire),
  }
}

describe.each([
  { name: "the store in memory", makeStore: memoryResumeStore },
  { name: "a store elsewhere", makeStore: remoteStore },
])("with $name, another process", ({ makeStore }) => {
  async function twoProcesses(limits = {}) {
    const store = makeStore()
    const here = await begun({ store, limits })
    const there = handlerOf(() => Promise.reject(new Error("There is no upstream here")), {
      store,
      authorize: (request) => request.headers.get("authorization") ?? "alice",
    })
    await here.reader.cancel()
    return { ...here, there, store }
  }

  test("continues a stream, as it comes, and keeps its upstream alive", async () => {
    const { upstream, there, id } = await twoProcesses()
    upstream.push(delta("b"))
    const reader = readerOf(await there(resume(id, 3)))
    expect(parse((await reader.next()) ?? "")).toMatchObject([{ id: 4, delta: "b" }])
    await vi.advanceTimersByTimeAsync(14_000)
    expect(upstream.signal?.aborted).toBe(false)

    upstream.push(delta("c"), delta("d"), ...CLOSE)
    let text = ""
    for (let more = await reader.next(); more !== undefined; more = await reader.next()) text += more

    expect(parse(text).map((event) => event.id)).toEqual([5, 6, 7, 8])
  })

  test("continues a stream that is longer than what waits for a reader here", async () => {
    const { upstream, there, id } = await twoProcesses({ maxBufferedChars: 1000 })
    const reading = eventsOf(await there(resume(id, 3)))

    for (let count = 0; count < 50; count++) {
      upstream.push(delta("x".repeat(500)))
      await settle()
    }
    upstream.push(...CLOSE)

    expect(await reading).toHaveLength(52)
  })

  test("keeps an idle connection alive", async () => {
    const { there, id } = await twoProcesses()
    const reader = readerOf(await there(resume(id, 3)))
    const reading = reader.next()

    await vi.advanceTimersByTimeAsync(15_000)

    expect(await reading).toBe(": heartbeat\n\n")
    await reader.cancel()
  })

  test("lets the upstream end when its reader goes, too", async () => {
    const { upstream, there, id } = await twoProcesses()
    const reader = readerOf(await there(resume(id, 3)))
    await vi.advanceTimersByTimeAsync(9_000)
    await reader.cancel()
    await settle()

    await vi.advanceTimersByTimeAsync(9_999)
    expect(upstream.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(upstream.signal?.aborted).toBe(true)
  })

  test("ends the upstream when the client deletes the stream there", async () => {
    const { upstream, there, id } = await twoProcesses()

    expect((await there(remove(id))).status).toBe(204)
    await settle()

    expect(upstream.signal?.aborted).toBe(true)
  })

  test("knows whose stream it is, and which are none", async () => {
    const { there, id } = await twoProcesses()

    expect((await there(resume(id, 3, { authorization: "bob" }))).status).toBe(403)
    expect((await there(remove(id, { authorization: "bob" }))).status).toBe(403)
    expect((await there(resume("another", 3))).status).toBe(404)
  })

  test("forgets a stream after its time", async () => {
    const { upstream, there, id } = await twoProcesses()
    upstream.push(...CLOSE)
    await settle()
    await vi.advanceTimersByTimeAsync(10_000)

    expect((await there(resume(id, 3))).status).toBe(404)
  })
})

test("a stream that is over hears nothing from its store any more", async () => {
  const unsubscribe = vi.fn()
  const store = { ...memoryResumeStore(), subscribe: () => unsubscribe }
  const { upstream, reader } = await begun({ store })
  upstream.push(...CLOSE)
  await reader.cancel()
  await settle()

  expect(unsubscribe).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(unsubscribe).toHaveBeenCalledOnce()
})

describe("a store that fails", () => {
  const failing = (method: keyof ResumeStore): ResumeStore => ({
    ...memoryResumeStore(),
    [method]: () => Promise.reject(new Error("The store is down")),
  })

  test.each<{ method: keyof ResumeStore }>([
    { method: "create" },
    { method: "append" },
    { method: "subscribe" },
    { method: "expire" },
  ])("at $method costs no answer, and the operator hears of it once", async ({ method }) => {
    const onError = vi.fn()
    const handler = handlerOf(faux([say("Hello")]), { store: failing(method), onError })

    const response = await handler(postResumable())
    const events = await eventsOf(response)
    await settle()

    expect(events.at(-1)).toMatchObject({ type: "done" })
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: "The store is down" }),
      expect.objectContaining({ where: "store" }),
    )
    // The process itself still has it.
    const id = response.headers.get("heddle-stream-id") ?? ""
    expect((await eventsOf(await handler(resume(id, 0)))).length).toBe(events.length)
  })

  test("at owner is a failure of the server", async () => {
    const onError = vi.fn()
    const handler = handlerOf(faux([]), { store: failing("owner"), onError })

    expect((await handler(resume("some-id", 0))).status).toBe(500)
    expect(onError).toHaveBeenCalledOnce()
  })

  test("at read ends the response without an end of the answer", async () => {
    const onError = vi.fn()
    const store = { ...memoryResumeStore(), read: () => Promise.reject(new Error("The store is down")) }
    await store.create("some-id", "alice")

    const response = await handlerOf(faux([]), { store, onError })(resume("some-id", 0))

    expect(await response.text()).toBe("")
    expect(onError).toHaveBeenCalledOnce()
  })
})
