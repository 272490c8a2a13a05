/**
 * Law 5: a StreamFn behind the proxy pair gives the events it gives without it, over real HTTP, whatever happens to
 * the connection on the way.
 */
import {
  callTool,
  cut,
  fail,
  faux,
  fauxModel,
  opaque,
  type Reply,
  say,
  stop,
  think,
  usage,
} from "@heddle/faux"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessageEvent, StreamFn } from "@heddle/types"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Listening, pairUp } from "../proxy/pair.ts"

const text = fc.string({ unit: "grapheme", maxLength: 30 })
const counts = fc
  .record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() })
  .map((report) => usage({ ...report, cost: { total: report.input } }))
/** As it comes back from its text, which knows no -0. */
const json: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)))
const part: fc.Arbitrary<Reply> = fc.oneof(
  text.map((said) => say(said)),
  fc.tuple(text, text).map(([said, signature]) => say(said, { signature })),
  fc.tuple(text, text).map(([thought, signature]) => think(thought, { signature })),
  text.map((cipher) => think(cipher, { redacted: true })),
  json.map((value) => callTool("tool", { value })),
  fc.constant(callTool("tool", '{"cut":')),
  json.map((data) => opaque("vendor_block", data)),
  counts,
)
const ending: fc.Arbitrary<Reply> = fc.constantFrom<Reply>(
  [],
  stop("stop", "end_turn"),
  stop("length"),
  fail({ code: "rate_limit", status: 429, retryAfterMs: 5 }),
  fail({ code: "aborted" }),
  cut(),
)
const reply: fc.Arbitrary<Reply> = fc.tuple(fc.array(part, { maxLength: 6 }), ending)

const model = fauxModel()

/** Cuts what the server sends after so many bytes, response by response. */
function cutting(cuts: readonly number[]): typeof fetch {
  const left = [...cuts]
  return async (input, init) => {
    const response = await fetch(input, init)
    let bytes = left.shift()
    if (bytes === undefined || !response.body) return response
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        bytes = (bytes ?? 0) - value.length
        if (bytes > 0) return controller.enqueue(value)
        await reader.cancel()
        controller.enqueue(value.subarray(0, value.length + bytes))
        controller.close()
      },
      cancel: () => reader.cancel(),
    })
    return new Response(body, response)
  }
}

async function eventsOf(streamFn: StreamFn, options: { fetch?: typeof fetch } = {}) {
  const events: AssistantMessageEvent[] = []
  const stream = await streamFn(model, { messages: [] }, options)
  for await (const event of stream) events.push(event)
  return { events, result: await stream.result() }
}

/** A request that fails before its first byte is an error of the moment when its reader learns of it. */
function withoutTime(events: readonly AssistantMessageEvent[]): readonly AssistantMessageEvent[] {
  return events.map((event) =>
    events.length === 1 && event.type === "error"
      ? { ...event, error: { ...event.error, timestamp: 0 } }
      : event,
  )
}

describe("the proxy pair is the identity", () => {
  let pair: Listening & { streamFn: StreamFn }
  let upstream: StreamFn

  beforeAll(async () => {
    pair = await pairUp(model, (...request) => upstream(...request))
  })

  afterAll(() => pair.close())

  test("on the events of any script, snapshots included", async () => {
    await fc.assert(
      fc.asyncProperty(reply, fc.integer({ min: 1, max: 9 }), async (script, chunkSize) => {
        const play = () => faux([script], { chunkSize, now: () => 7 })
        const direct = await eventsOf(play())
        upstream = play()

        const proxied = await eventsOf(pair.streamFn)

        expect(withoutTime(proxied.events)).toEqual(withoutTime(direct.events))
        expect(proxied.result.content).toEqual(direct.result.content)
      }),
      { numRuns: 60 },
    )
  })

  test("also when the connection drops at any byte, again and again", async () => {
    await fc.assert(
      fc.asyncProperty(reply, fc.array(fc.nat(900), { maxLength: 4 }), async (script, cuts) => {
        const play = () => faux([script], { chunkSize: 3, now: () => 7 })
        const direct = await eventsOf(play())
        upstream = play()

        const proxied = await eventsOf(pair.streamFn, { fetch: cutting(cuts) })

        expect(withoutTime(proxied.events)).toEqual(withoutTime(direct.events))
      }),
      { numRuns: 25 },
    )
  })

  test("on a message of interleaved blocks whose parts come late", async () => {
    const make: StreamFn = (asked) => {
      const message = new AssistantMessageBuilder(asked, { now: () => 7, createToolCallId: () => "made-up" })
      message.responseId("r-1")
      message.toolCall("a", {})
      message.text("b", "x")
      message.toolInput("a", '{"n":')
      message.usage({ input: 5 })
      message.signature("b", "sealed")
      message.toolCall("a", { name: "read" })
      message.toolInput("a", "1}")
      message.opaque("c", "search", { query: 1 })
      message.close("b")
      message.opaque("c", "search", { query: 1, hits: [2] })
      message.close("a")
      message.done("stop")
      return message.stream
    }
    upstream = make

    const [direct, proxied] = [await eventsOf(make), await eventsOf(pair.streamFn)]

    // Between a block's start and its end, its late parts show in snapshots on one side only.
    const tell = ({ partial: _, ...event }: AssistantMessageEvent & { partial?: unknown }) => event
    expect(proxied.events.map(tell)).toEqual(direct.events.map(tell))
    expect(proxied.result).toEqual(direct.result)
  })
})
