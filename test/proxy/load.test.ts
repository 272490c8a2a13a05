/** The load test in small: `load.ts` is the whole one, and its figures are in the README of the server. */
import { fauxModel } from "@heddle/faux"
import { afterEach, describe, expect, test } from "vitest"
import { contextOf, countingUpstream, saying } from "./counting-upstream.ts"
import { disturb } from "./disturbance.ts"
import { type Listening, pairUp } from "./pair.ts"

const model = fauxModel()

let listening: Listening | undefined

afterEach(async () => {
  await listening?.close()
  listening = undefined
})

async function until(isSo: () => boolean): Promise<void> {
  const begun = performance.now()
  while (!isSo()) {
    if (performance.now() - begun > 10_000) throw new Error("It was not so within 10 seconds")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe("the proxy pair", () => {
  test("loses, doubles and leaks nothing when clients, connections and upstreams fail at random", async () => {
    const { streamFn, counted } = countingUpstream()
    listening = await pairUp(model, streamFn, { server: { resumeGraceMs: 2000 } })

    const tally = await disturb(listening.url, model, { clients: 60, upTo: 400, seed: 7 })

    expect(tally.wrong).toEqual([])
    expect(tally.completed + tally.failed + tally.aborted).toBe(60)
    for (const kind of ["completed", "failed", "aborted", "cuts"] as const)
      expect(tally[kind]).toBeGreaterThan(3)
    await until(() => counted.ended === counted.started && counted.listeners === 0)
    expect(counted.started).toBe(60)
  })

  test("holds a fast upstream back for a slow reader, and loses nothing", async () => {
    const { streamFn, counted } = countingUpstream()
    const upTo = 60_000
    const pair = await pairUp(model, streamFn, { server: { limits: { maxBufferedChars: 65_536 } } })
    listening = pair
    let read = 0
    let furthest = 0
    // The reader takes 64 KiB at a time, and then rests; the upstream would be done before its first rest.
    const slowFetch: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      const reader = response.body?.getReader()
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
            if (done) return controller.close()
            furthest = Math.max(furthest, counted.deltas - read)
            await new Promise((resolve) => setTimeout(resolve, 2))
            controller.enqueue(value)
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, response)
    }

    const stream = await pair.streamFn(model, contextOf({ upTo }), { fetch: slowFetch })
    for await (const { type } of stream) if (type === "text_delta") read++
    const { content } = await stream.result()

    expect(read).toBe(upTo)
    expect(content).toEqual([{ type: "text", text: saying(upTo) }])
    expect(furthest).toBeLessThan(upTo)
  })
})
