/**
 * A server on loopback for HTTP/1.1 and HTTP/2 without TLS, on one port.
 *
 * Most SDKs speak the first, the one of AWS speaks the second when it is left alone. Which one it is shows in
 * the first bytes of a connection.
 */
import { createServer as createHttp1Server, type IncomingMessage } from "node:http"
import { createServer as createHttp2Server, type Http2ServerRequest } from "node:http2"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"

/** A request of either version. */
export type ServerRequest = IncomingMessage | Http2ServerRequest

/** What the responses of both versions have in common, as far as it is used here. */
export interface Response {
  readonly headersSent: boolean
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  /** HTTP/1.1 holds headers back until there is a body. */
  flushHeaders?(): void
  write(part: Uint8Array, done: (error?: Error | null) => void): boolean
  end(body: string): unknown
  on(event: "close", listener: () => void): unknown
}

/** A server that is listening. */
export interface Loopback {
  /** For example `http://127.0.0.1:49152`. */
  readonly url: string
  /** Ends every connection and frees the port. */
  close(): Promise<void>
}

/** What every HTTP/2 connection begins with. */
const HTTP2_PREFACE = "PRI * HTTP/2.0"

/** Listens on a free port. */
export async function listenOnLoopback(
  onRequest: (request: ServerRequest, response: Response) => void,
): Promise<Loopback> {
  const http1 = createHttp1Server((request, response) => onRequest(request, response))
  const http2 = createHttp2Server((request, response) => onRequest(request, response))
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    // A connection that breaks is what this server is for.
    socket.on("error", () => {})
    socket.once("data", (first) => {
      socket.pause()
      socket.unshift(first)
      const isHttp2 = first.toString("latin1").startsWith(HTTP2_PREFACE)
      ;(isHttp2 ? http2 : http1).emit("connection", socket)
      process.nextTick(() => socket.resume())
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Ends the connection of a request in the middle of whatever happens on it. */
export function cutConnection(request: ServerRequest): void {
  if ("stream" in request) request.stream.session?.destroy()
  else request.socket.destroy()
}
