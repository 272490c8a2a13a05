/**
 * The load test of the proxy: prints the figures that are in the README of the server.
 *
 *     node_modules/.bin/node test/proxy/load.ts
 *
 * The server runs in a process of its own, so that what it takes can be told from what its clients take. Nothing
 * waits for real time: ten minutes' worth of events are as many events as a model says in ten minutes.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fauxModel } from "@heddle/faux"
import { contextOf, countingUpstream } from "./counting-upstream.ts"
import { disturb } from "./disturbance.ts"
import { pairUp, TOKEN } from "./pair.ts"

const CLIENTS = 500
/** Ten minutes at fifty events a second. */
const TEN_MINUTES = 30_000

const model = fauxModel()

interface Gauge {
  readonly heapMb: number
  readonly rssMb: number
  readonly cpuSeconds: number
  readonly sockets: number
  readonly timers: number
  readonly started: number
  readonly ended: number
  readonly deltas: number
  readonly listeners: number
}

if (process.argv[2] === "server") await serve()
else await measure()

async function serve(): Promise<void> {
  const { streamFn, counted } = countingUpstream()
  const { url, sockets } = await pairUp(model, streamFn)
  process.send?.(url)
  process.on("message", () => {
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    process.send?.({
      heapMb: Math.round(heapUsed / 1024 ** 2),
      rssMb: Math.round(rss / 1024 ** 2),
      cpuSeconds: (user + system) / 1e6,
      sockets: sockets.size,
      timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
      ...counted,
    } satisfies Gauge)
  })
}

async function startServer() {
  const child = fork(import.meta.filename, ["server"], { execArgv: ["--expose-gc"] })
  const [url] = (await once(child, "message")) as [string]
  const gauge = async (): Promise<Gauge> => {
    child.send("gauge")
    const [answer] = (await once(child, "message")) as [Gauge]
    return answer
  }
  return { url, gauge, stop: () => child.kill() }
}

async function measure(): Promise<void> {
  console.log(`Node.js ${process.version}`)
  await manyStreams("whose clients can come back", { "heddle-protocol": "1" })
  await manyStreams("whose clients cannot", {})
  await slowReader()
  await disturbance()
}

/** Reads an answer as bytes; says how far it is, and whether every id came once and in order. */
async function readBytes(
  url: string,
  headers: Record<string, string>,
  upTo: number,
  onEvents: (count: number) => void,
): Promise<void> {
  const response = await fetch(`${url}/api/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify({ model, context: contextOf({ upTo }) }),
  })
  const decoder = new TextDecoder()
  let rest = ""
  let expected = 1
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      if (!block.startsWith(`id: ${expected}\n`)) throw new Error(`Event ${expected} is not there: ${block}`)
      expected++
    }
    onEvents(blocks.length)
  }
  if (expected !== upTo + 4) throw new Error(`${expected - 1} events came, ${upTo + 3} were made`)
}

async function manyStreams(which: string, headers: Record<string, string>): Promise<void> {
  const { url, gauge, stop } = await startServer()
  const total = CLIENTS * TEN_MINUTES
  console.log(`\n${CLIENTS} streams at once ${which}, ${TEN_MINUTES} events each`)
  const begun = performance.now()
  let events = 0
  let isDone = false
  const reading = Promise.all(
    Array.from({ length: CLIENTS }, () => readBytes(url, headers, TEN_MINUTES, (count) => (events += count))),
  ).then(() => {
    isDone = true
  })
  let mark = 0.1
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (events / total < mark && !isDone) continue
    const { heapMb, rssMb } = await gauge()
    console.log(
      `  ${String(Math.round((events / total) * 100)).padStart(3)} %  heap ${heapMb} MB, resident ${rssMb} MB`,
    )
    mark = Math.floor((events / total) * 10 + 1) / 10
  }
  await reading
  const seconds = (performance.now() - begun) / 1000
  const { cpuSeconds } = await gauge()
  console.log(
    `  ${total} events in ${seconds.toFixed(0)} s; ${((cpuSeconds / total) * 1e6).toFixed(1)} µs of CPU each`,
  )
  await settled(gauge)
  stop()
}

/** What is left when everybody is gone. */
async function settled(gauge: () => Promise<Gauge>): Promise<void> {
  // As long as the server keeps streams for clients that may come back, and a moment.
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  const { heapMb, sockets, timers, listeners, started, ended } = await gauge()
  console.log(
    `  afterwards: heap ${heapMb} MB, ${sockets} sockets, ${timers} timers, ${listeners} listeners; ` +
      `${ended} of ${started} upstreams have ended`,
  )
}

async function slowReader(): Promise<void> {
  const { url, gauge, stop } = await startServer()
  const upTo = 200_000
  console.log(`\nA reader a hundred times slower than its upstream, ${upTo} events`)
  const before = await gauge()
  const fast = performance.now()
  await readBytes(url, {}, upTo, () => {})
  const restMs = ((performance.now() - fast) * 100) / (upTo / 200)
  let read = 0
  let lead = 0
  let heap = 0
  const first = (await gauge()).deltas
  const controller = new AbortController()
  const begun = performance.now()
  const response = await fetch(`${url}/api/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ model, context: contextOf({ upTo }) }),
    signal: controller.signal,
  })
  const reader = response.body?.getReader()
  while (performance.now() - begun < 20_000) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    read += value.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0) / 3
    await new Promise((resolve) => setTimeout(resolve, (restMs * value.length) / (200 * 75)))
    const now = await gauge()
    lead = Math.max(lead, now.deltas - first - read)
    heap = Math.max(heap, now.heapMb - before.heapMb)
  }
  console.log(
    `  at most ${Math.round(lead)} events ahead of the reader, who read ${Math.round(read)}; heap +${heap} MB`,
  )
  controller.abort()
  await settled(gauge)
  stop()
}

async function disturbance(): Promise<void> {
  const { url, gauge, stop } = await startServer()
  const upTo = 2000
  console.log(
    `\n${CLIENTS} clients at once, of which some abort, lose connections, lag, or get answers that fail`,
  )
  for (const seed of [1, 2]) {
    const tally = await disturb(url, model, { clients: CLIENTS, upTo, seed })
    const { completed, failed, aborted, cuts, wrong } = tally
    console.log(
      `  ${completed} whole, ${failed} failed upstream, ${aborted} aborted, ${cuts} connections cut; ` +
        `${wrong.length} events lost, doubled or made up`,
    )
    for (const line of wrong.slice(0, 5)) console.log(`    ${line}`)
  }
  await settled(gauge)
  stop()
}
