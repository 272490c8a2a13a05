/** A local HTTP server that answers each request with the next reply of a script, and remembers everything. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A request as it arrived. */
export interface Exchange {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
  /** When it arrived. Milliseconds. */
  readonly at: number
  /** Resolves when the client closes the connection before the response has ended. */
  readonly hungUp: Promise<void>
}

/** Answers one request. */
export type Reply = (response: ServerResponse) => void

export interface ScriptedServer {
  /** Root of the API, as a model's `baseUrl`. */
  readonly baseUrl: string
  readonly requests: readonly Exchange[]
  /** How many connections were opened. */
  readonly connections: () => number
  /** Resolves when so many requests have arrived. */
  received(count: number): Promise<void>
}

/** Runs until the test has finished. Requests beyond the script get its last reply again. */
export async function startServer(...replies: readonly [Reply, ...Reply[]]): Promise<ScriptedServer> {
  const requests: Exchange[] = []
  let connections = 0
  let waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    const hungUp = new Promise<void>((resolve) => {
      response.on("close", () => {
        if (!response.writableFinished) resolve()
      })
    })
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { url = "", headers } = request
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>
      requests.push({ url, headers, body, at: performance.now(), hungUp })
      const reply = replies[requests.length - 1] ?? replies.at(-1)
      reply?.(response)
      for (const wake of waiting) wake()
    })
  })
  server.on("connection", () => connections++)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => connections,
    async received(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      waiting = []
    },
  }
}

/** @param end What follows the events. */
export function bytesOf(events: readonly object[], end = ""): Buffer {
  return Buffer.from(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("") + end)
}

/** Sends a body as it is, with status 200. */
export function raw(body: string | Buffer, type = "text/event-stream"): Reply {
  return (response) => response.writeHead(200, { "content-type": type }).end(body)
}

/** Sends the bytes in pieces of this size, each in a packet of its own. */
export function trickle(body: Buffer, size: number): Reply {
  return (response) => {
    response.socket?.setNoDelay(true)
    response.writeHead(200, { "content-type": "text/event-stream" })
    let at = 0
    const next = (): void => {
      if (at >= body.length) return void response.end()
      const piece = body.subarray(at, at + size)
      at += size
      response.write(piece, () => setImmediate(next))
    }
    next()
  }
}

/** Answers with an error. */
export function refuse(status: number, body: unknown = {}, headers: Record<string, string> = {}): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
}

/** Never answers. */
export const silence: Reply = () => {}

/** Sends headers and these events, and then nothing more. */
export function stall(events: readonly object[] = []): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    if (events.length > 0) response.write(bytesOf(events))
  }
}

/** Sends headers and these events, and then destroys the connection. */
export function drop(events: readonly object[]): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(bytesOf(events), () => setTimeout(() => response.destroy(), 10))
  }
}
