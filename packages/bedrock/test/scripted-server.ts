/** A local HTTP server that answers each request with the next reply of a script, and remembers everything. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { HELLO } from "./event-stream.ts"

/** A request as it arrived. */
export interface Exchange {
  readonly url: string
  readonly httpVersion: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: a body is looked at from outside
  readonly body: any
  /** When it arrived. Milliseconds. */
  readonly at: number
  /** Resolves when the client closes the connection before the response has ended. */
  readonly hungUp: Promise<void>
}

/** Answers one request. */
export type Reply = (response: ServerResponse) => void

export interface ScriptedServer {
  /** As a model's `baseUrl`. */
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
      const { url = "", headers, httpVersion } = request
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"))
      requests.push({ url, httpVersion, headers, body, at: performance.now(), hungUp })
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
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    async received(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      waiting = []
    },
  }
}

const STREAM = { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "req-1" }

/** Streams the frames. */
export function answer(frames: readonly Uint8Array[] = HELLO): Reply {
  return (response) => response.writeHead(200, STREAM).end(Buffer.concat(frames))
}

/** Answers with an error, as AWS writes it. */
export function refuse(
  status: number,
  type = "ValidationException",
  message = "The service explains.",
  headers: Record<string, string> = {},
): Reply {
  return (response) =>
    response
      .writeHead(status, {
        "content-type": "application/json",
        "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
        "x-amzn-requestid": "req-1",
        ...headers,
      })
      .end(JSON.stringify({ message }))
}

/** Sends a body as it is. */
export function raw(status: number, body: string, type = "text/html"): Reply {
  return (response) => response.writeHead(status, { "content-type": type }).end(body)
}

/** Never answers. */
export const silence: Reply = () => {}

/** Sends headers and these frames, and then nothing more. */
export function stall(frames: readonly Uint8Array[] = []): Reply {
  return (response) => {
    response.writeHead(200, STREAM)
    response.flushHeaders()
    for (const each of frames) response.write(each)
  }
}

/** Sends headers and these frames, and then destroys the connection. */
export function drop(frames: readonly Uint8Array[]): Reply {
  return (response) => {
    response.writeHead(200, STREAM)
    response.write(Buffer.concat(frames), () => setTimeout(() => response.destroy(), 10))
  }
}
