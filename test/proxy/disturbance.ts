/** Many clients at once, and everything that may happen to them. */
import { createProxyStreamFn } from "@heddle/proxy-client"
import type { Model } from "@heddle/types"
import { contextOf, saying } from "./counting-upstream.ts"
import { TOKEN } from "./pair.ts"

export interface Tally {
  completed: number
  failed: number
  aborted: number
  /** Connections that were cut. */
  cuts: number
  /** What is wrong: nothing ever should be. */
  readonly wrong: string[]
}

/** Numbers between 0 and 1 that are the same every time. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Runs so many clients at once. A third of them aborts, a third loses connections, and a fifth of the answers fails. */
export async function disturb(
  url: string,
  model: Model,
  { clients, upTo, seed }: { clients: number; upTo: number; seed: number },
): Promise<Tally> {
  const tally: Tally = { completed: 0, failed: 0, aborted: 0, cuts: 0, wrong: [] }
  const whole = saying(upTo)
  const random = randomFrom(seed)
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const fails = random() < 0.2
      const abortAt = random() < 0.33 ? Math.floor(random() * upTo) : undefined
      const cutsLeft = random() < 0.33 ? 1 + Math.floor(random() * 3) : 0
      const lag = random() < 0.1
      const controller = new AbortController()
      const fetch = cutting(cutsLeft, () => Math.floor(random() * upTo * 40), tally)
      const streamFn = createProxyStreamFn({ proxyUrl: url, authToken: TOKEN, fetch })
      const context = contextOf({ upTo, ...(fails && { failAt: Math.floor(random() * upTo) }) })
      const stream = streamFn(model, context, { signal: controller.signal })
      let deltas = 0
      for await (const { type } of stream) {
        if (type === "text_delta") deltas++
        if (deltas === abortAt) controller.abort()
        if (lag && deltas % 500 === 499) await new Promise((resolve) => setTimeout(resolve, 1))
      }
      const { content, stopReason, failure } = await stream.result()
      const text = content[0]?.type === "text" ? content[0].text : ""
      const report = (says: string) => tally.wrong.push(`client ${client}: ${says}`)
      if (!whole.startsWith(text)) report("what it read is not what was said")
      if (text.split(" ").length - 1 !== deltas)
        report("it read more or fewer deltas than there are in the text")
      if (stopReason === "stop") {
        tally.completed++
        if (text !== whole) report("its answer is not whole")
        if (fails) report("its answer should have failed")
      } else if (stopReason === "aborted") {
        tally.aborted++
        if (abortAt === undefined) report("nobody aborted it")
      } else {
        tally.failed++
        if (!fails || failure?.code !== "server") report(`it failed with ${failure?.code}`)
      }
    }),
  )
  return tally
}

/** Cuts the connection after so many bytes, so many times. */
function cutting(times: number, bytes: () => number, tally: Tally): typeof fetch {
  let left = times
  return async (input, init) => {
    if (left === 0 || init?.method === "DELETE") return fetch(input, init)
    left--
    const cut = new AbortController()
    const signal = AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])])
    const response = await fetch(input, { ...init, signal })
    const reader = response.body?.getReader()
    let rest = bytes()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) return controller.close()
        rest -= value.length
        if (rest > 0) return controller.enqueue(value)
        tally.cuts++
        cut.abort()
        controller.error(new TypeError("The test cut the connection"))
      },
      cancel: () => reader?.cancel(),
    })
    return new Response(body, response)
  }
}
