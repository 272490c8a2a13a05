import { assertWellFormed, fold } from "@heddle/conformance"
import { AssistantMessageBuilder, emptyAssistantMessage, emptyUsage } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Context, StreamFn } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { callTool, faux, fauxModel, type Malformation, malformed, record, replay, say } from "../src/index.ts"
import { read } from "./read.ts"
import { json, replies } from "./replies.ts"

const model = fauxModel()
const nothing: Context = { messages: [] }

/** Records one call of a StreamFn and plays it back, to another model and later. */
async function roundTrip(streamFn: StreamFn) {
  const lines: string[] = []
  const recorded = await read(record(streamFn, (line) => lines.push(line))(model, nothing))
  const replayed = await read(replay(lines)(fauxModel({ id: "other", provider: "other" }), nothing))
  return { recorded, replayed }
}

/** One call of an adapter, by the name of its verb. */
type Verb = (message: AssistantMessageBuilder) => void

const text = fc.string({ unit: "binary", maxLength: 8 })
const key = fc.nat(3)
const maybe = fc.option(text, { nil: undefined })

const verb: fc.Arbitrary<Verb> = fc.oneof(
  fc.tuple(key, text).map(
    ([k, delta]): Verb =>
      (message) =>
        message.text(k, delta),
  ),
  fc.tuple(key, text).map(
    ([k, delta]): Verb =>
      (message) =>
        message.thinking(k, delta),
  ),
  fc.tuple(key, text).map(
    ([k, value]): Verb =>
      (message) =>
        message.signature(k, value),
  ),
  fc.tuple(key, text).map(
    ([k, data]): Verb =>
      (message) =>
        message.redactedThinking(k, data),
  ),
  fc.tuple(key, maybe, maybe).map(
    ([k, id, name]): Verb =>
      (message) =>
        message.toolCall(k, { ...(id !== undefined && { id }), ...(name !== undefined && { name }) }),
  ),
  fc.tuple(key, fc.constantFrom('{"a"', ":[1,", "2]", "}", "{}", "x", "null")).map(
    ([k, delta]): Verb =>
      (message) =>
        message.toolInput(k, delta),
  ),
  fc.tuple(key, fc.dictionary(text, json)).map(
    ([k, value]): Verb =>
      (message) =>
        message.toolArguments(k, value),
  ),
  fc.tuple(key, text, json).map(
    ([k, kind, data]): Verb =>
      (message) =>
        message.opaque(k, kind, data),
  ),
  key.map(
    (k): Verb =>
      (message) =>
        message.close(k),
  ),
  fc.tuple(fc.nat(), fc.option(fc.nat(), { nil: undefined })).map(
    ([output, total]): Verb =>
      (message) =>
        message.usage({ output, ...(total !== undefined && { cost: { total } }) }),
  ),
  text.map(
    (id): Verb =>
      (message) =>
        message.responseId(id),
  ),
  text.map(
    (name): Verb =>
      (message) =>
        message.responseModel(name),
  ),
  text.map(
    (word): Verb =>
      (message) =>
        message.rawStopReason(word),
  ),
)

const ending: fc.Arbitrary<Verb> = fc.oneof(
  fc.constantFrom("stop" as const, "length" as const, "toolUse" as const).map(
    (reason): Verb =>
      (message) =>
        message.done(reason),
  ),
  text.map(
    (reason): Verb =>
      (message) =>
        message.abort(reason),
  ),
  text.map(
    (reason): Verb =>
      (message) =>
        message.fail({ code: "server", retryable: true, status: 500, retryAfterMs: 1 }, reason),
  ),
)

describe("a recording", () => {
  test("of a script plays the very same events", async () => {
    await fc.assert(
      fc.asyncProperty(replies, async (reply) => {
        const { recorded, replayed } = await roundTrip(faux([reply]))

        expect(replayed).toEqual(recorded)
      }),
    )
  })

  test("of anything that an adapter may tell its builder plays the very same events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(verb, { maxLength: 20 }), ending, async (verbs, end) => {
        const { recorded, replayed } = await roundTrip((asked) => {
          let count = 0
          const message = new AssistantMessageBuilder(asked, {
            now: () => 7,
            createToolCallId: () => `id${count++}`,
          })
          for (const tell of [...verbs, end]) tell(message)
          return message.stream
        })

        expect(replayed).toEqual(recorded)
      }),
      { numRuns: 300 },
    )
  })

  test.each<{ how: Malformation }>([
    { how: "after-terminal" },
    { how: "no-start" },
    { how: "delta-before-start" },
    { how: "unknown-event" },
    { how: "mutates" },
    { how: "no-result" },
  ])("of a stream that is malformed by $how plays a proper stream of the same message", async ({ how }) => {
    const reply = [say("Hello", { signature: "s" }), callTool("read", { path: "a.ts" })]
    const lines: string[] = []
    const streamFn = record(faux([[...reply, malformed(how)]], { now: () => 7 }), (line) => lines.push(line))
    for await (const _ of await streamFn(model, nothing));

    const { events, result } = await read(replay(lines)(model, nothing))

    assertWellFormed(events)
    expect(fold(events)).toEqual(result)
    expect(result).toEqual(await faux([reply], { now: () => 7 })(model, nothing).result())
  })

  test("of events that say too little plays the message they tell", async () => {
    const toolCall = { type: "toolCall", id: "c", name: "read", arguments: { path: "a.ts" } } as const
    const usage = { ...emptyUsage(), input: 3, totalTokens: 3 }
    const message = { ...emptyAssistantMessage(model, 7), content: [toolCall], stopReason: "toolUse", usage }
    const events = [
      null,
      {},
      { type: "thinking_start", contentIndex: 0 },
      { type: "opaque_start", contentIndex: 1 },
      { type: "opaque_end", contentIndex: 1 },
      { type: "toolcall_start", contentIndex: 2 },
      {
        type: "toolcall_end",
        contentIndex: 2,
        toolCall,
        partial: { content: [undefined, undefined, toolCall] },
      },
      { type: "toolcall_end", contentIndex: 3 },
      { type: "done", reason: "toolUse", message },
    ]
    const lines: string[] = []
    const streamFn = record(
      () => ({
        async *[Symbol.asyncIterator]() {
          yield* events as AssistantMessageEvent[]
        },
        result: async () => message as AssistantMessage,
      }),
      (line) => lines.push(line),
    )
    const passed: unknown[] = []
    for await (const event of await streamFn(model, nothing)) passed.push(event)

    const replayed = await read(replay(lines)(model, nothing))

    expect(passed).toEqual(events)
    assertWellFormed(replayed.events)
    expect(replayed.result).toMatchObject({
      stopReason: "toolUse",
      usage: { input: 3 },
      content: [{ type: "thinking", thinking: "" }, { type: "opaque", kind: "", data: null }, toolCall],
    })
  })

  test.each<{ how: Malformation; says: string }>([
    { how: "throw", says: "The script asked the StreamFn to throw" },
    { how: "reject", says: "The script asked the StreamFn to reject" },
    { how: "iterator-throws", says: "The script asked the stream to throw" },
    { how: "no-terminal", says: "The recording of this answer stops before its end" },
    { how: "no-stream", says: "The StreamFn returned no stream" },
  ])("of a StreamFn that is malformed by $how plays an error", async ({ how, says }) => {
    const lines: string[] = []
    const streamFn = record(faux([[say("Hello"), malformed(how)]]), (line) => lines.push(line))
    try {
      for await (const _ of (await streamFn(model, nothing)) ?? []);
    } catch {
      // As it would be without the recording.
    }

    const { events, result } = await read(replay(lines)(model, nothing))

    assertWellFormed(events)
    expect(result).toMatchObject({ stopReason: "error", errorMessage: says, failure: { code: "protocol" } })
  })
})
