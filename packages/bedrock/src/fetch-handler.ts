/**
 * Lets the SDK send its requests with fetch.
 *
 * Its own handlers differ by platform: in Node.js it speaks HTTP/2 only, which most proxies and gateways do not,
 * and in browsers it forgets the signal. One handler for all takes the caller's fetch, too.
 */
import type { BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime"

/** Passed beside a command, to the handler that will send it. */
export interface FetchOptions {
  readonly abortSignal?: AbortSignal | undefined
  /** Default: the one the handler was made with. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

type RequestHandler = NonNullable<BedrockRuntimeClientConfig["requestHandler"]>

/** The parts of the SDK's request that are looked at. */
interface HttpRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** @param fetch For requests that bring none: those of the SDK's credential providers. */
export function fetchHandler(fetch: typeof globalThis.fetch): RequestHandler {
  const handler = {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request: HttpRequest, options: FetchOptions = {}) {
      const { host: _, "content-length": __, ...headers } = request.headers // fetch sets these
      const response = await (options.fetch ?? fetch)(urlOf(request), {
        method: request.method,
        headers,
        ...(request.body !== undefined && { body: request.body }),
        ...(options.abortSignal && { signal: options.abortSignal }),
      })
      return {
        response: {
          statusCode: response.status,
          reason: response.statusText,
          headers: Object.fromEntries(response.headers),
          body: response.body,
        },
      }
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  }
  return handler as unknown as RequestHandler
}

function urlOf({ protocol, hostname, port, path, query }: HttpRequest): string {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`)
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of [value ?? ""].flat()) url.searchParams.append(name, each)
  }
  return url.href
}
