/**
 * An HTTP server on loopback that answers like a vendor, and fails like one.
 *
 * It knows no wire: what a reply looks like is the encoder's, when and how its bytes travel is decided here.
 * Bytes that precede a fault have left before it happens, so a client that keeps what came can keep all of it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises"
import { toBeats } from "../beat.ts"
import type { ReceivedRequest } from "../harness.ts"
import type { Reply, Scenario } from "../scenario.ts"
import type { Wire } from "../wire.ts"

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
  const server = createServer((request, response) => {
    if (request.method === "HEAD" || request.method === "OPTIONS") return answerProbe(request, response)
    const at = Math.min(requests.length, scenario.replies.length - 1)
    const received: Received = { ...head(request), body: "", hungUp: false }
    requests.push(received)
    response.on("close", () => {
      received.hungUp ||= !response.writableFinished && !response.errored
    })
    void answer(request, response, received, scenario.replies[at] ?? scenario.replies[0], wire, key)
  })
  server.keepAliveTimeout = 0
  const url = await listen(server)
  if (scenario.replies[0].type === "unreachable") await stop(server)
  return { url, requests, close: () => stop(server) }
}

type Received = { -readonly [Field in keyof ReceivedRequest]: ReceivedRequest[Field] }

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  received: Received,
  reply: Reply,
  wire: Wire,
  key: string,
): Promise<void> {
  try {
    received.body = await bodyOf(request)
    await send(reply, response, wire, key)
  } catch {
    // The client hung up while it was answered; `hungUp` has recorded it.
    response.destroy()
  }
}

async function send(reply: Reply, response: ServerResponse, wire: Wire, key: string): Promise<void> {
  switch (reply.type) {
    case "stream": {
      const beats = toBeats(reply.steps)
      const fault = beats.findIndex(({ type }) => type === "stall" || type === "cut")
      const events = wire.encode(fault === -1 ? beats : beats.slice(0, fault))
      response.writeHead(200, { "content-type": wire.contentType, "cache-control": "no-cache" })
      response.flushHeaders()
      await write(response, arrange(events, reply.events), reply.bytesPerWrite)
      if (fault === -1) response.end()
      else if (beats[fault]?.type === "cut") await cut(response)
      return
    }
    case "refuse": {
      const { status, says = `The server answers with status ${reply.status}`, retryAfterMs } = reply
      const { contentType, body, headers } = wire.refuse(status, says.replaceAll("{key}", key), retryAfterMs)
      response.writeHead(status, {
        "content-type": contentType,
        ...headers,
        ...(retryAfterMs !== undefined && {
          "retry-after": String(Math.ceil(retryAfterMs / 1000)),
          "retry-after-ms": String(retryAfterMs),
        }),
      })
      response.end(body)
      return
    }
    case "body":
      response.writeHead(reply.status, { "content-type": reply.contentType })
      response.end(reply.body)
      return
    case "cut":
      response.destroy(CUT)
      return
    case "stall":
    case "unreachable":
      return
  }
}

/** Marks a response as ended by the server, not by a client that hung up. */
const CUT = new Error("The fault server cut the connection")

async function cut(response: ServerResponse): Promise<void> {
  await pause(ARRIVAL_MS)
  response.destroy(CUT)
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
  response: ServerResponse,
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
function writePart(response: ServerResponse, part: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(part, (error) => (error ? reject(error) : resolve()))
  })
}

function answerProbe(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(request.method === "HEAD" ? 200 : 204, {
    allow: "GET, HEAD, OPTIONS, POST",
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*",
    "access-control-allow-methods": "GET, HEAD, OPTIONS, POST",
  })
  response.end()
}

function head({ method = "", url = "", headers }: IncomingMessage): Omit<ReceivedRequest, "body" | "hungUp"> {
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  )
  return { method, path: url, headers: Object.fromEntries(flat) }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
