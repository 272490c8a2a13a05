/**
 * The laws of a StreamFn, on the scripted one and on what is wrapped around it. The conformance suite asks
 * the same of every adapter over its wire.
 */
import { assertWellFormed, fold } from "@heddle/conformance"
import {
  callTool,
  cut,
  fail,
  faux,
  fauxModel,
  hang,
  opaque,
  type Reply,
  record,
  replay,
  say,
  stop,
  think,
  usage,
} from "@heddle/faux"
import { routeByApi } from "@heddle/stream"
import type { AssistantMessageEvent, StreamFn } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { deepFreeze } from "./random-run.ts"

const text = fc.string({ unit: "grapheme", maxLength: 40 })
const part: fc.Arbitrary<Reply> = fc.oneof(
  text.map((said) => say(said)),
  fc.tuple(text, text).map(([thought, signature]) => think(thought, { signature })),
  text.map((cipher) => think(cipher, { redacted: true })),
  fc.jsonValue().map((value) => callTool("tool", { value })),
  fc.constant(callTool("tool", '{"cut":')),
  text.map((data) => opaque("vendor_block", { data })),
  fc.nat(1000).map((input) => usage({ input })),
)
const ending: fc.Arbitrary<Reply> = fc.constantFrom<Reply>(
  [],
  stop("length"),
  fail({ code: "server" }),
  cut(),
  hang(),
)
const scripted = fc.record({
  reply: fc.tuple(fc.array(part, { maxLength: 6 }), ending).map((parts): Reply => parts),
  chunkSize: fc.integer({ min: 1, max: 12 }),
  /** After how many events the signal fires. */
  abortAfter: fc.integer({ min: 0, max: 30 }),
})

const wrappers: { name: string; wrap: (streamFn: StreamFn) => StreamFn }[] = [
  { name: "faux", wrap: (streamFn) => streamFn },
  { name: "record", wrap: (streamFn) => record(streamFn, () => {}) },
  { name: "routeByApi", wrap: (streamFn) => routeByApi({ faux: streamFn }) },
]

describe.each(wrappers)("laws 1 to 4, of $name", ({ wrap }) => {
  test("one terminal event in grammar, folding to the result, nothing changed, nothing written", async () => {
    await fc.assert(
      fc.asyncProperty(scripted, async ({ reply, chunkSize, abortAfter }) => {
        const streamFn = wrap(faux([reply], { chunkSize, now: () => 0 }))
        const controller = new AbortController()
        const model = deepFreeze(fauxModel())
        const context = deepFreeze({ messages: [{ role: "user" as const, content: "go", timestamp: 0 }] })
        // A signal cannot be frozen; everything around it can.
        const options = Object.freeze({ signal: controller.signal, apiKey: "key" })

        const stream = await streamFn(model, context, options)
        const delivered: { event: AssistantMessageEvent; clone: AssistantMessageEvent }[] = []
        if (abortAfter === 0) controller.abort("enough")
        // A script that hangs ends by the signal only, whenever that comes.
        else if (JSON.stringify(reply).includes('"hang"')) setTimeout(() => controller.abort("enough"), 5)
        for await (const event of stream) {
          delivered.push({ event, clone: structuredClone(event) })
          if (delivered.length === abortAfter) controller.abort("enough")
        }
        const result = await stream.result()

        const events = delivered.map(({ event }) => event)
        assertWellFormed(events)
        expect(fold(events)).toEqual(result)
        for (const { event, clone } of delivered) expect(event).toEqual(clone)
        const last = events.at(-1)
        expect(last?.type === "done" ? last.message : last?.type === "error" && last.error).toBe(result)
        if (result.stopReason === "error" || result.stopReason === "aborted") {
          expect(result).toMatchObject({
            errorMessage: expect.any(String),
            failure: { code: expect.any(String) },
          })
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe("laws 1 to 4, of replay", () => {
  test("a recording plays back the very events", async () => {
    await fc.assert(
      fc.asyncProperty(scripted, async ({ reply, chunkSize }) => {
        fc.pre(!JSON.stringify(reply).includes('"hang"'))
        const lines: string[] = []
        const recorded = record(faux([reply], { chunkSize, now: () => 0 }), (line) => void lines.push(line))
        const original = await read(recorded)
        await recorded.flush()

        expect(await read(replay(lines.join("")))).toEqual(original)
      }),
      { numRuns: 100 },
    )
  })
})

async function read(streamFn: StreamFn): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const event of await streamFn(fauxModel(), { messages: [] })) events.push(event)
  return events
}
