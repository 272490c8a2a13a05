/** A local server that keeps the bodies it is sent, and answers each with the shortest answer there is. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { bytesOf } from "./scripted-server.ts"

export interface BodyServer {
  readonly url: string
  readonly bodies: readonly unknown[]
  close(): Promise<void>
}

const STOP = bytesOf([{ candidates: [{ finishReason: "STOP" }] }])

export async function startBodyServer(): Promise<BodyServer> {
  const bodies: unknown[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    bodies.push(JSON.parse(Buffer.concat(pieces).toString("utf8")))
    response.writeHead(200, { "content-type": "text/event-stream" }).end(STOP)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
