/** The two halves of the proxy, joined by real HTTP on loopback. */
import { createServer, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { createProxyStreamFn, type ProxyClientConfig } from "@heddle/proxy-client"
import { bearerToken, type ProxyHandlerOptions } from "@heddle/proxy-server"
import { createProxyListener, type ProxyListener } from "@heddle/proxy-server/node"
import type { Model, StreamFn } from "@heddle/types"

export const TOKEN = "token-of-the-pair"

/** A server that is listening. */
export interface Listening {
  readonly url: string
  readonly server: Server
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  close(): Promise<void>
}

/** Listens on a free port of loopback. */
export async function listen(listener: ProxyListener): Promise<Listening> {
  const server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A StreamFn behind the pair. */
export async function pairUp(
  model: Model,
  streamFn: StreamFn,
  {
    server: serverOptions,
    client: clientConfig,
  }: { server?: Partial<ProxyHandlerOptions>; client?: Partial<ProxyClientConfig> } = {},
): Promise<Listening & { readonly streamFn: StreamFn }> {
  const listening = await listen(
    createProxyListener({
      resolveModel: ({ provider, id }) =>
        provider === model.provider && id === model.id ? model : undefined,
      streamFn,
      authorize: bearerToken(TOKEN),
      ...serverOptions,
    }),
  )
  return {
    ...listening,
    streamFn: createProxyStreamFn({ proxyUrl: listening.url, authToken: TOKEN, ...clientConfig }),
  }
}
