/**
 * The server: a page and its assets, a session for the page, and the proxy that has the keys.
 *
 * It listens on this machine only, and answers under this machine's names only: a page from elsewhere that got
 * its name resolved to this machine could read the session otherwise. A server for others asks who they are, in
 * `authorize`.
 */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { bearerToken } from "@heddle/proxy-server"
import { createProxyListener } from "@heddle/proxy-server/node"
import type { Model } from "@heddle/types"
import type { Asset } from "./assets.ts"
import { nameOf, type Session } from "./browser/session.ts"
import type { Offer } from "./models.ts"

export interface ServerOptions extends Offer {
  readonly assets: ReadonlyMap<string, Asset>
  /** 0 takes any port that is free. */
  readonly port: number
  /** Told what went wrong, in more words than the page is. Default: nobody. */
  readonly log?: (line: string) => void
}

export interface RunningServer {
  readonly url: string
  close(): Promise<void>
}

/** No script but our own, none written into the page, no `eval`; nothing is fetched from elsewhere or framed. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const

/** @throws an Error for whoever started it, when the port cannot be had. */
export async function serve({
  models,
  streamFn,
  assets,
  port,
  log = () => {},
}: ServerOptions): Promise<RunningServer> {
  const token = randomBytes(24).toString("base64url")
  const session: Session = { token, models: models.map(toPublic), model: models[0] ? nameOf(models[0]) : "" }
  const proxy = createProxyListener({
    streamFn,
    // A page names a model and no more: what it costs, where it is and its key are this server's.
    resolveModel: (named) => models.find((model) => nameOf(model) === nameOf(named)),
    authorize: bearerToken(token),
    onError: (error, { where }) => log(`${where}: ${error instanceof Error ? error.message : error}`),
  })
  const server = createServer((request, response) => {
    const [pathname = "/"] = request.url?.split("?") ?? []
    const asset = assets.get(pathname)
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    if (!isLocal(request.headers.host))
      send(response, 403, "text/plain", "This server is for its own machine.")
    else if (pathname.startsWith("/api/stream")) proxy(request, response)
    else if (!isReading(request)) send(response, 405, "text/plain", "Only GET and HEAD are allowed here.")
    else if (asset) send(response, 200, asset.type, asset.body)
    else if (pathname === "/api/session") send(response, 200, "application/json", JSON.stringify(session))
    else send(response, 404, "text/plain", "There is nothing here.")
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(explain(error, port)))
    server.listen(port, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(body)
}

function isReading({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD"
}

function isLocal(host = ""): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)
}

/** What a page may know of a model: where it is and how it is reached is the server's. */
function toPublic({ baseUrl: _, headers: __, compat: ___, ...model }: Model): Model {
  return { ...model, baseUrl: "" }
}

function explain(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(`Port ${port} is in use. Take another one: npm start -- --port ${port + 1}`)
  }
  if (error.code === "EACCES") return new Error(`Port ${port} needs more rights. Take one above 1023.`)
  return error
}
