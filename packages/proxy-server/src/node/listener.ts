/**
 * Puts a Web-standard handler behind `node:http`.
 *
 * A response is written as fast as its connection takes it, and no faster. A connection that closes cancels the
 * response, which is how the handler learns of it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { createProxyHandler, type ProxyHandler } from "../handler.ts"
import type { ProxyHandlerOptions } from "../options.ts"

/** Goes into `http.createServer()`, or wherever else a request and a response are taken. */
export type ProxyListener = (request: IncomingMessage, response: ServerResponse) => void

/** Makes the proxy a listener: {@link createProxyHandler} for `node:http`. */
export function createProxyListener(options: ProxyHandlerOptions): ProxyListener {
  return toNodeListener(createProxyHandler(options))
}

/** Makes a listener of any handler, for example one that wraps that of the proxy. */
export function toNodeListener(handler: ProxyHandler): ProxyListener {
  return (request, response) => {
    answer(handler, request, response).catch(() => response.destroy())
  }
}

/** How long a client may go on sending a body that was refused, so that it can read why. Milliseconds. */
const REFUSED_BODY_MS = 1000

async function answer(
  handler: ProxyHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // A connection that breaks is told of by `close`, too.
  outgoing.on("error", () => {})
  incoming.on("error", () => {})
  const request = toRequest(incoming)
  const { status, headers, body } = request ? await handler(request) : new Response(null, { status: 400 })
  if (outgoing.destroyed || outgoing.writableEnded) return void body?.cancel().catch(() => {})

  const isUnread = !incoming.complete
  // What is left of the body would be taken for the next request.
  if (isUnread && incoming.httpVersionMajor === 1) outgoing.setHeader("connection", "close")
  outgoing.writeHead(status, [...headers].flat())
  if (!body) outgoing.end()
  else {
    outgoing.flushHeaders()
    await write(body, outgoing)
  }
  if (isUnread) discard(incoming)
}

/** @returns undefined when the request's address is none. */
function toRequest(incoming: IncomingMessage): Request | undefined {
  const { method = "GET", url = "/", rawHeaders } = incoming
  const headers = new Headers()
  try {
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string
      if (!name.startsWith(":")) headers.append(name, rawHeaders[at + 1] as string)
    }
    // The path is looked at, the host is not: whatever a client calls this server, it is this server.
    const address = new URL(url.startsWith("/") ? `http://localhost${url}` : url)
    const hasBody = method !== "GET" && method !== "HEAD"
    return new Request(address, {
      method,
      headers,
      ...(hasBody && { body: bodyOf(incoming), duplex: "half" }),
    } as RequestInit)
  } catch {
    return undefined
  }
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  // Leaving the iteration must not close the connection: there is a response to be sent.
  const chunks = incoming.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

async function write(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader()
  let resume = (): void => {}
  const onDrain = (): void => resume()
  const onClose = (): void => {
    void reader.cancel().catch(() => {})
    resume()
  }
  outgoing.on("drain", onDrain)
  outgoing.on("close", onClose)
  // A body that fails while the connection takes nothing is not waited for.
  reader.closed.catch(() => outgoing.destroy())
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || outgoing.destroyed) break
      if (!outgoing.write(value)) {
        await new Promise<void>((resolve) => {
          resume = resolve
          if (outgoing.destroyed) resolve()
        })
      }
    }
    outgoing.end()
  } finally {
    outgoing.off("drain", onDrain)
    outgoing.off("close", onClose)
  }
}

/** Takes the rest of a body for a moment, and closes the connection when it does not end. */
function discard(incoming: IncomingMessage): void {
  incoming.resume()
  const timer = setTimeout(() => incoming.socket.destroy(), REFUSED_BODY_MS)
  incoming.on("close", () => clearTimeout(timer))
}
