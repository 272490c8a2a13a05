import type { AssistantMessageEvent, AssistantMessageEventStream, Context } from "@heddle/types"
import { describe, expect, test, vi } from "vitest"
import {
  callTool,
  faux,
  fauxModel,
  hang,
  type Malformation,
  malformed,
  opaque,
  say,
  wait,
} from "../src/index.ts"

const model = fauxModel()
const nothing: Context = { messages: [] }

function open(how: Malformation, signal?: AbortSignal): AssistantMessageEventStream {
  const reply = [say("Hello"), malformed(how), callTool("read", { path: "a.ts" })]
  return faux([reply])(model, nothing, signal && { signal })
}

async function collect(stream: AssistantMessageEventStream) {
  const events: AssistantMessageEvent[] = []
  let error: unknown
  try {
    for await (const event of stream) events.push(event)
  } catch (thrown) {
    error = thrown
  }
  return { events, types: events.map(({ type }) => type), error }
}

/** Whether a promise settles while the event loop turns a few times. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  return settled
}

const PROPER = [
  "start",
  "text_start",
  "text_delta",
  "text_delta",
  "text_end",
  "toolcall_start",
  ...Array(4).fill("toolcall_delta"),
  "toolcall_end",
  "done",
]

describe("malformed", () => {
  test("throw throws", () => {
    expect(() => open("throw")).toThrow("The script asked the StreamFn to throw")
  })

  test("reject rejects", async () => {
    await expect(open("reject")).rejects.toThrow("The script asked the StreamFn to reject")
  })

  test("never-resolves is a promise that never settles, aborted or not", async () => {
    const controller = new AbortController()
    const promise = Promise.resolve(open("never-resolves", controller.signal))
    controller.abort()

    expect(await settles(promise)).toBe(false)
  })

  test("no-stream is undefined", () => {
    expect(open("no-stream")).toBeUndefined()
  })

  test.each<{ how: Malformation; types: string[]; says?: string; hasResult: boolean }>([
    {
      how: "iterator-throws",
      types: PROPER.slice(0, -1),
      says: "The script asked the stream to throw",
      hasResult: false,
    },
    { how: "no-terminal", types: PROPER.slice(0, -1), hasResult: false },
    { how: "after-terminal", types: [...PROPER, "toolcall_end", "done"], hasResult: true },
    { how: "no-result", types: PROPER, hasResult: false },
    { how: "ignores-abort", types: PROPER, hasResult: true },
    { how: "no-start", types: PROPER.slice(1), hasResult: true },
    {
      how: "delta-before-start",
      types: [
        "start",
        "text_delta",
        "text_start",
        "text_delta",
        "text_end",
        "toolcall_delta",
        "toolcall_start",
        ...Array(3).fill("toolcall_delta"),
        "toolcall_end",
        "done",
      ],
      hasResult: true,
    },
    { how: "unknown-event", types: PROPER.flatMap((type) => ["weather_report", type]), hasResult: true },
    { how: "mutates", types: PROPER, hasResult: true },
  ])("$how spoils the events as its name says", async ({ how, types, says, hasResult }) => {
    const stream = open(how)
    const read = await collect(stream)

    expect(read.types).toEqual(types)
    expect(read.error).toEqual(says && new Error(says))
    expect(await settles(stream.result())).toBe(hasResult)
  })

  test("ignores-abort hears neither the signal nor a reader that leaves", async () => {
    const controller = new AbortController()
    const streamFn = faux([[say("a"), hang(), malformed("ignores-abort")]])
    const stream = streamFn(model, nothing, { signal: controller.signal })
    const iterator = stream[Symbol.asyncIterator]()
    for (let count = 0; count < 4; count++) await iterator.next()

    controller.abort()

    expect(await settles(iterator.next())).toBe(false)
    expect(await settles(iterator.return?.() ?? Promise.resolve())).toBe(false)
  })

  test("ignores-abort goes on talking after the abort", async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const streamFn = faux([[wait(50), say("late"), malformed("ignores-abort")]])
    const reading = collect(streamFn(model, nothing, { signal: controller.signal }))

    controller.abort()
    await vi.advanceTimersByTimeAsync(50)
    vi.useRealTimers()

    expect((await reading).types).toEqual(["start", "text_start", "text_delta", "text_end", "done"])
  })

  test("mutates gives the same objects with every event, whose earlier states are lost", async () => {
    const reply = [
      say("Hello"),
      callTool("read", { path: "a.ts" }),
      opaque("k", { a: 1 }),
      malformed("mutates"),
    ]
    const events: AssistantMessageEvent[] = []
    const clones: AssistantMessageEvent[] = []
    for await (const event of faux([reply])(model, nothing)) {
      events.push(event)
      clones.push(structuredClone(event))
    }

    const messages = new Set(
      events.map((event) => (event.type === "done" ? event.message : "partial" in event && event.partial)),
    )
    expect(messages.size).toBe(1)
    expect(events.at(-1)).toEqual(clones.at(-1))
    expect(events.at(3)).not.toEqual(clones.at(3))
    const end = events.find((event) => event.type === "toolcall_end")
    expect(end?.toolCall).toBe(end?.partial.content[1])
    // What a reader sees at the time is right.
    const proper = await collect(faux([reply.slice(0, 3)], { now: () => 1 })(model, nothing))
    expect(clones.map(({ type }) => type)).toEqual(proper.types)
    expect(clones.at(4)).toMatchObject({ type: "text_end", partial: { content: [{ text: "Hello" }] } })
  })

  test("kinds can be combined", async () => {
    const { types } = await collect(
      faux([[say("a"), malformed("no-start"), malformed("no-terminal")]])(model, nothing),
    )

    expect(types).toEqual(["text_start", "text_delta", "text_end"])
  })

  test("takes its reply and is remembered like any other", () => {
    const streamFn = faux([malformed("no-stream")])
    streamFn(model, nothing)

    expect(streamFn.requests).toHaveLength(1)
    expect(streamFn.remaining).toBe(0)
  })
})
