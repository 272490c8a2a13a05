import type { AssistantMessage, AssistantMessageEvent } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { AssistantMessageBuilder } from "../src/assistant-message-builder.ts"
import {
  AssistantMessageEventStream,
  abortMessage,
  createAssistantMessageEventStream,
  emptyAssistantMessage,
} from "../src/assistant-message-stream.ts"

const MODEL = { api: "test", provider: "tester", id: "t-1" }
const EMPTY = emptyAssistantMessage(MODEL, 1)
const HELLO: AssistantMessage = { ...EMPTY, content: [{ type: "text", text: "Hello" }] }

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

describe("AssistantMessageEventStream", () => {
  test("resolves with the message of its terminal event", async () => {
    const done = new AssistantMessageEventStream()
    done.push({ type: "done", reason: "stop", message: HELLO })
    const failed = new AssistantMessageEventStream()
    const error: AssistantMessage = { ...EMPTY, stopReason: "error" }
    failed.push({ type: "error", reason: "error", error })

    expect(await done.result()).toBe(HELLO)
    expect(await failed.result()).toBe(error)
  })

  test("makes a protocol error of an end without a terminal event, and keeps the content", async () => {
    const stream = createAssistantMessageEventStream(MODEL)
    stream.push({ type: "start", partial: EMPTY })
    stream.push({ type: "text_start", contentIndex: 0, partial: HELLO })

    stream.end()

    const expected = {
      ...HELLO,
      stopReason: "error",
      errorMessage: "The stream ended without a done or error event",
      failure: { code: "protocol", retryable: true },
    }
    expect((await collect(stream)).at(-1)).toEqual({ type: "error", reason: "error", error: expected })
    expect(await stream.result()).toEqual(expected)
  })

  test("ends the blocks that its producer left open before it fails", async () => {
    const stream = createAssistantMessageEventStream(MODEL)
    const call = { type: "toolCall", id: "a", name: "read", arguments: {} } as const
    const partial: AssistantMessage = {
      ...EMPTY,
      content: [
        { type: "text", text: "Hello", textSignature: "s" },
        { type: "thinking", thinking: "hm" },
        call,
      ],
    }
    stream.push({ type: "text_start", contentIndex: 0, partial })
    stream.push({ type: "thinking_start", contentIndex: 1, partial })
    stream.push({ type: "thinking_end", contentIndex: 1, content: "hm", partial })
    stream.push({ type: "toolcall_start", contentIndex: 2, partial })

    stream.end()

    expect((await collect(stream)).slice(4)).toMatchObject([
      { type: "text_end", contentIndex: 0, content: "Hello", signature: "s" },
      { type: "toolcall_end", contentIndex: 2, toolCall: call },
      { type: "error" },
    ])
  })

  test("ends the blocks of a builder whose stream is ended from outside", async () => {
    const builder = new AssistantMessageBuilder(MODEL, { now: () => 1 })
    builder.text("a", "half")

    builder.stream.end()
    builder.text("a", " and more")

    const events = await collect(builder.stream)
    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "error"])
  })

  test("names the model on a message that it makes up before any event", async () => {
    const known = new AssistantMessageEventStream(MODEL)
    known.end()
    const unknown = new AssistantMessageEventStream()
    unknown.end()

    expect(await known.result()).toMatchObject({ api: "test", provider: "tester", model: "t-1", content: [] })
    expect(await unknown.result()).toMatchObject({ api: "unknown", provider: "unknown", model: "unknown" })
  })

  test.each([
    { stopReason: "stop", event: "done" },
    { stopReason: "length", event: "done" },
    { stopReason: "toolUse", event: "done" },
    { stopReason: "error", event: "error" },
    { stopReason: "aborted", event: "error" },
  ] as const)("turns end(message) with $stopReason into a $event event", async ({ stopReason, event }) => {
    const stream = new AssistantMessageEventStream()
    const message: AssistantMessage = { ...HELLO, stopReason }

    stream.end(message)

    expect(await collect(stream)).toMatchObject([{ type: event, reason: stopReason }])
    expect(await stream.result()).toBe(message)
  })

  test("ignores end after a terminal event", async () => {
    const stream = new AssistantMessageEventStream()
    stream.push({ type: "done", reason: "stop", message: HELLO })

    stream.end()
    stream.end(EMPTY)

    expect(await collect(stream)).toHaveLength(1)
    expect(await stream.result()).toBe(HELLO)
  })

  test("resolves with the aborted message when the reader leaves", async () => {
    const stream = new AssistantMessageEventStream(MODEL)
    stream.push({ type: "start", partial: HELLO })

    for await (const _ of stream) break

    expect(await stream.result()).toEqual({
      ...HELLO,
      stopReason: "aborted",
      errorMessage: "The reader left the stream",
      failure: { code: "aborted", retryable: false },
    })
  })

  test("resolves with the aborted message also when a cancel callback throws", async () => {
    const stream = new AssistantMessageEventStream(MODEL)
    stream.onCancel(() => {
      throw new Error("cleaning up failed")
    })

    await expect(stream[Symbol.asyncIterator]().return()).rejects.toThrow("cleaning up failed")

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", failure: { code: "aborted" } })
  })

  test("lets its producer write the aborted message when the reader leaves", async () => {
    const stream = new AssistantMessageEventStream(MODEL)
    const own: AssistantMessage = { ...HELLO, stopReason: "aborted", errorMessage: "mine" }
    stream.onCancel(() => stream.push({ type: "error", reason: "aborted", error: own }))

    await stream[Symbol.asyncIterator]().return()

    expect(await stream.result()).toBe(own)
  })
})

describe("abortMessage", () => {
  const unreadable = new Proxy(new Error(), {
    get: () => {
      throw new Error("not to be read")
    },
  })

  test.each([
    { given: "a text", reason: "stop it", message: "stop it" },
    { given: "an error", reason: new Error("stop it"), message: "stop it" },
    { given: "an error of another realm", reason: { message: "stop it" }, message: "stop it" },
    { given: "nothing", reason: undefined, message: "The request was aborted" },
    { given: "an empty text", reason: "", message: "The request was aborted" },
    { given: "an error that cannot be read", reason: unreadable, message: "The request was aborted" },
  ])("makes $message of $given", ({ reason, message }) => {
    expect(abortMessage(reason)).toBe(message)
  })
})
