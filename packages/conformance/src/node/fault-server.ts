/**
 * A server on loopback that answers like a vendor, and fails like one. It speaks HTTP/1.1 and HTTP/2.
 *
 * It knows no wire: what a reply looks like is the encoder's, when and how its bytes travel is decided here.
 * Bytes that precede a fault have left before it happens, so a client that keeps what came can keep all of it.
 */
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises"
import { toBeats } from "../beat.ts"
import type { ReceivedRequest } from "../harness.ts"
import type { Reply, Scenario } from "../scenario.ts"
import type { Wire } from "../wire.ts"
import { cutConnection, listenOnLoopback, type Response, type ServerRequest } from "./loopback.ts"

/** A running fault server. */
export interface FaultServer {
  /** Root of everything it serves: any path and method. For example `http://127.0.0.1:49152`. */
  readonly url: string
  /** What has arrived so far, without `HEAD` and `OPTIONS`. */
  readonly requests: readonly ReceivedRequest[]
  /** Ends the server and every connection that is still open. */
  close(): Promise<void>
}

/** How a fault server is set up. */
export interface FaultServerOptions {
  /** What vendors quote when they refuse it: put in place of `{key}` in what a refusal says. */
  readonly key?: string
}

/** How long written bytes get to arrive before the connection is cut. Milliseconds. */
const ARRIVAL_MS = 20

/** Starts a server that answers its first request with the first reply, and so on. */
export async function startFaultServer(
  wire: Wire,
  scenario: Scenario,
  { key = "" }: FaultServerOptions = {},
): Promise<FaultServer> {
  const requests: Received[] = []
  const server = await listenOnLoopback((request, response) => {
    if (request.method === "HEAD" || request.method === "OPTIONS") return answerProbe(request, response)
    const at = Math.min(requests.length, scenario.replies.length - 1)
    const exchange = new Exchange(request, response)
    requests.push(exchange.received)
    // What cannot be said to a client that is gone is no failure of the server.
    exchange.answer(scenario.replies[at] ?? scenario.replies[0], wire, key).catch(() => {})
  })
  if (scenario.replies[0].type === "unreachable") await server.close()
  return { url: server.url, requests, close: () => server.close() }
}

type Received = { -readonly [Field in keyof ReceivedRequest]: ReceivedRequest[Field] }

/** One request and its response. */
class Exchange {
  readonly received: Received
  readonly #request: ServerRequest
  readonly #response: Response
  #ended = false

  constructor(request: ServerRequest, response: Response) {
    this.#request = request
    this.#response = response
    this.received = { ...head(request), body: "", hungUp: false }
    response.on("close", () => {
      this.received.hungUp = !this.#ended
    })
  }

  async answer(reply: Reply, wire: Wire, key: string): Promise<void> {
    try {
      this.received.body = await bodyOf(this.#request)
      await this.#send(reply, wire, key)
    } catch (error) {
      // A client that hung up while it was answered has been noted. What is left is a wire with a mistake: it
      // would look like one of the StreamFn if it went by unsaid.
      if (this.received.hungUp || this.#response.headersSent) return
      this.#response.writeHead(500, { "content-type": "text/plain" })
      this.#end(
        `The wire ${wire.name} cannot send this reply: ${error instanceof Error ? error.message : error}`,
      )
    }
  }

  async #send(reply: Reply, wire: Wire, key: string): Promise<void> {
    switch (reply.type) {
      case "stream":
        return this.#stream(reply, wire)
      case "refuse": {
        const { status, says = `The server answers with status ${reply.status}`, retryAfterMs } = reply
        const { contentType, body, headers } = wire.refuse(
          status,
          says.replaceAll("{key}", key),
          retryAfterMs,
        )
        const waits = retryAfterMs !== undefined && {
          "retry-after": String(Math.ceil(retryAfterMs / 1000)),
          "retry-after-ms": String(retryAfterMs),
        }
        this.#response.writeHead(status, { "content-type": contentType, ...headers, ...waits })
        return this.#end(body)
      }
      case "body":
        this.#response.writeHead(reply.status, { "content-type": reply.contentType })
        return this.#end(reply.body)
      case "cut":
        return this.#cut()
      case "stall":
      case "unreachable":
        return
    }
  }

  async #stream(reply: Extract<Reply, { type: "stream" }>, wire: Wire): Promise<void> {
    const beats = toBeats(reply.steps)
    const fault = beats.findIndex(({ type }) => type === "stall" || type === "cut")
    const events = wire.encode(fault === -1 ? beats : beats.slice(0, fault))
    this.#response.writeHead(200, { "content-type": wire.contentType, "cache-control": "no-cache" })
    this.#response.flushHeaders?.()
    await write(this.#response, arrange(events, reply.events), reply.bytesPerWrite)
    if (fault === -1) this.#end()
    else if (beats[fault]?.type === "cut") {
      await pause(ARRIVAL_MS)
      this.#cut()
    }
  }

  #end(body = ""): void {
    this.#ended = true
    this.#response.end(body)
  }

  #cut(): void {
    this.#ended = true
    cutConnection(this.#request)
  }
}

function arrange(
  events: readonly Uint8Array[],
  order: "duplicated" | "reordered" | undefined,
): readonly Uint8Array[] {
  if (order === "duplicated") return events.flatMap((event) => [event, event])
  if (order === "reordered") return events.map((event, at) => events[at % 2 === 0 ? at + 1 : at - 1] ?? event)
  return events
}

async function write(
  response: Response,
  events: readonly Uint8Array[],
  bytesPerWrite: number | undefined,
): Promise<void> {
  if (bytesPerWrite === undefined) {
    for (const event of events) await writePart(response, event)
    return
  }
  const all = Buffer.concat(events)
  // A client in the same process reads between two turns of the event loop; without them it would be handed
  // everything at once.
  for (let from = 0; from < all.length; from += bytesPerWrite) {
    await writePart(response, all.subarray(from, from + bytesPerWrite))
    await turn()
    await turn()
  }
}

/** Each part is a chunk of its own, which clients hand on as it is, and waits until it has left. */
function writePart(response: Response, part: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(part, (error) => (error ? reject(error) : resolve()))
  })
}

function answerProbe(request: ServerRequest, response: Response): void {
  response.writeHead(request.method === "HEAD" ? 200 : 204, {
    allow: "GET, HEAD, OPTIONS, POST",
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*",
    "access-control-allow-methods": "GET, HEAD, OPTIONS, POST",
  })
  response.end("")
}

function head({ method = "", url = "", headers }: ServerRequest): Omit<ReceivedRequest, "body" | "hungUp"> {
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(":")
      ? []
      : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  )
  return { method, path: url, headers: Object.fromEntries(flat) }
}

async function bodyOf(request: ServerRequest): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}
