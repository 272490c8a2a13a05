/** A local server that answers with a recorded body, for all tests of a file. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll } from "vitest"
import { inPiecesOf } from "./pieces.ts"

export interface RecordingServer {
  /** Root of the API, as a model's `baseUrl`. Known when the tests run. */
  readonly baseUrl: string
  /** What it answers until it is told something else. */
  play(bytes: Uint8Array, status?: number): void
}

/** @param size Of the pieces that bodies are written in. */
export function useRecordingServer(size: number): RecordingServer {
  let baseUrl = ""
  let reply = { status: 500, bytes: new Uint8Array() as Uint8Array }
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { status, bytes } = reply
      const type = status === 200 ? "text/event-stream" : "application/json"
      response.writeHead(status, { "content-type": type })
      for (const piece of inPiecesOf(size, bytes)) response.write(piece)
      response.end()
    })
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    get baseUrl() {
      return baseUrl
    },
    play(bytes, status = 200) {
      reply = { status, bytes }
    },
  }
}
