/** A local HTTP server that answers each request with the next reply of a script, and remembers everything. */
import { createHash, createHmac } from "node:crypto"
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
  /** As it arrived. */
  readonly text: string
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
      const text = Buffer.concat(chunks).toString("utf8")
      const body = JSON.parse(text)
      requests.push({ url, httpVersion, headers, body, text, at: performance.now(), hungUp })
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

/**
 * Signs a request once more, as it arrived.
 *
 * @returns what its signature must be.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureOf({ url, headers, text }: Exchange, secretKey: string): string {
  const [, scope = "", signed = ""] =
    /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+),/.exec(headers.authorization ?? "") ?? []
  const canonical = [
    "POST",
    encodeURIComponent(url).replaceAll("%2F", "/"),
    "",
    ...signed.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    signed,
    hash(text),
  ].join("\n")
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(canonical)].join("\n")
  const key = scope.split("/").reduce<string | Buffer>((sum, part) => hmac(sum, part), `AWS4${secretKey}`)
  return hmac(key, toSign).toString("hex")
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest()
}
