import { describe, expect, test } from "vitest"
import { EventStream } from "../src/event-stream.ts"

type Event = { readonly type: "item" | "end"; readonly value: number }

function newStream(): EventStream<Event, number> {
  return new EventStream<Event, number>(
    (event) => event.type === "end",
    (event) => event.value,
  )
}

const item = (value: number): Event => ({ type: "item", value })
const end = (value: number): Event => ({ type: "end", value })

async function collect(stream: AsyncIterable<Event>): Promise<number[]> {
  const values: number[] = []
  for await (const event of stream) values.push(event.value)
  return values
}

describe("EventStream", () => {
  test("keeps events that are pushed before anybody reads", async () => {
    const stream = newStream()
    stream.push(item(1))
    stream.push(end(2))

    expect(await collect(stream)).toEqual([1, 2])
    expect(await stream.result()).toBe(2)
  })

  test("delivers events that are pushed while the reader waits, in order", async () => {
    const stream = newStream()
    const reading = collect(stream)
    await Promise.resolve()

    stream.push(item(1))
    stream.push(item(2))
    stream.push(end(3))

    expect(await reading).toEqual([1, 2, 3])
  })

  test("answers several pending calls of next in order", async () => {
    const stream = newStream()
    const iterator = stream[Symbol.asyncIterator]()
    const reads = [iterator.next(), iterator.next(), iterator.next()]

    stream.push(item(1))
    stream.push(end(2))

    expect(await Promise.all(reads)).toEqual([
      { value: item(1), done: false },
      { value: end(2), done: false },
      { value: undefined, done: true },
    ])
  })

  test("hands out waiting events without a promise", () => {
    const stream = newStream()
    const iterator = stream[Symbol.asyncIterator]()
    expect(iterator.take()).toBeUndefined()

    stream.push(item(1))
    stream.push(item(2))

    expect(iterator.take()).toEqual(item(1))
    expect(iterator.take()).toEqual(item(2))
    expect(iterator.take()).toBeUndefined()
  })

  test("stays in order across many events that are read while others arrive", async () => {
    const stream = newStream()
    const iterator = stream[Symbol.asyncIterator]()
    const seen: number[] = []

    for (let value = 0; value < 10_000; value++) {
      stream.push(item(value))
      if (value % 3 !== 0) seen.push((await iterator.next()).value?.value ?? -1)
    }
    for (let event = iterator.take(); event; event = iterator.take()) seen.push(event.value)

    expect(seen).toEqual(Array.from({ length: 10_000 }, (_, value) => value))
  })

  test("ignores what is pushed after the end", async () => {
    const stream = newStream()
    stream.push(end(1))
    stream.push(item(2))
    stream.end(3)

    expect(await collect(stream)).toEqual([1])
    expect(await stream.result()).toBe(1)
  })

  test("ends without an end event, with the result it is given", async () => {
    const stream = newStream()
    stream.push(item(1))
    stream.end(7)

    expect(await collect(stream)).toEqual([1])
    expect(await stream.result()).toBe(7)
  })

  test("rejects the result with a clear error when it ends with neither event nor result", async () => {
    const early = newStream()
    const asked = early.result()
    early.end()

    await expect(asked).rejects.toMatchObject({
      code: "STREAM_ENDED_WITHOUT_RESULT",
      message: "The stream ended without an end event and without a result. Its producer stopped too early.",
    })
    await expect(early.result()).rejects.toThrow("without a result")
  })

  test("leaves no rejection unhandled where nobody asks for the result", async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on("unhandledRejection", listen)

    newStream().end()
    await new Promise((resolve) => setTimeout(resolve, 0))

    process.off("unhandledRejection", listen)
    expect(unhandled).toEqual([])
  })

  test("refuses a second reader and leaves the first one alone", async () => {
    const stream = newStream()
    const reading = collect(stream)

    expect(() => stream[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({
        code: "STREAM_ALREADY_READ",
        message: "This stream already has a reader. Read it once and share what you read, or await result().",
      }),
    )

    stream.push(end(1))
    expect(await reading).toEqual([1])
  })

  test("cancels the producer once when the reader leaves early", async () => {
    const stream = newStream()
    const cancelled: string[] = []
    stream.onCancel(() => cancelled.push("first"))
    stream.onCancel(() => {
      cancelled.push("second")
      stream.end(9)
    })
    stream.push(item(1))
    stream.push(item(2))

    for await (const event of stream) {
      expect(event).toEqual(item(1))
      break
    }

    expect(cancelled).toEqual(["first", "second"])
    expect(await stream.result()).toBe(9)
  })

  test("runs every cancel callback when one throws, and then rejects with what it threw", async () => {
    const stream = newStream()
    const cancelled: string[] = []
    stream.onCancel(() => {
      throw new Error("first")
    })
    stream.onCancel(() => cancelled.push("second"))
    const iterator = stream[Symbol.asyncIterator]()
    const pending = iterator.next()

    await expect(iterator.return()).rejects.toThrow("first")

    expect(cancelled).toEqual(["second"])
    expect(await pending).toEqual({ value: undefined, done: true })
  })

  test("rejects its result when no result can be extracted from the end event", async () => {
    const stream = new EventStream<Event, number>(
      (event) => event.type === "end",
      () => {
        throw new Error("no value")
      },
    )
    stream.push(end(1))

    expect(await collect(stream)).toEqual([1])
    await expect(stream.result()).rejects.toThrow("no value")
  })

  test("runs a cancel callback at once when the reader has left already", async () => {
    const stream = newStream()
    await stream[Symbol.asyncIterator]().return()
    let cancelled = 0

    stream.onCancel(() => cancelled++)

    expect(cancelled).toBe(1)
  })

  test("cancels nothing when the stream has ended first", async () => {
    const stream = newStream()
    let cancelled = 0
    stream.onCancel(() => cancelled++)
    stream.push(end(1))

    await stream[Symbol.asyncIterator]().return()
    stream.onCancel(() => cancelled++)

    expect(cancelled).toBe(0)
  })

  test("gives a reader that left nothing more, and the result all the same", async () => {
    const stream = newStream()
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.return()

    stream.push(item(1))
    stream.push(end(2))

    expect(await iterator.next()).toEqual({ value: undefined, done: true })
    expect(iterator.take()).toBeUndefined()
    expect(await stream.result()).toBe(2)
  })

  test("lets a read that is pending end when the reader leaves", async () => {
    const iterator = newStream()[Symbol.asyncIterator]()
    const pending = iterator.next()

    await iterator.return()

    expect(await pending).toEqual({ value: undefined, done: true })
  })
})
