/**
 * Sends a request through Google's SDK and gets hold of the response itself.
 *
 * The SDK knows addresses and credentials, and is left to them. Its own reading of the response is not used: it
 * drops the headers, fails on bodies that end one line break early, and knows no field that is newer than itself;
 * the same goes for its writing of the body. So it is given a fetch that sends the adapter's body, keeps the
 * response, and hands back an empty one.
 *
 * A ready client that never calls that fetch (a stand-in for tests, a wrapper) is taken at its word: what it
 * streams are the chunks.
 */
import type { GenerateContentParameters, GoogleGenAI } from "@google/genai"
import { type AdapterCall, isWireObject, type ResponseHead } from "@heddle/provider-kit"
import type { GeminiRequest } from "./to-request.ts"

/** The part of the SDK's client that is used. */
export type GeminiClient = Pick<GoogleGenAI, "models">

/** A response whose body is still to be read, or the chunks of one. */
export type GeminiResponse = Response | (ResponseHead & { readonly chunks: AsyncIterable<unknown> })

/** What the server answers instead of a stream. Read by the kit, which knows its fields. */
class RefusedError extends Error {
  override readonly name = "RefusedError"
  readonly status: number
  readonly headers: Headers
  readonly body: string

  constructor(response: Response, body: string) {
    super("") // the body speaks, else the status
    this.status = response.status
    this.headers = response.headers
    this.body = body
  }
}

/**
 * @param client Made for this call, or a ready one.
 * @param isReady The client brings its own fetch.
 */
export async function send(
  call: AdapterCall<GeminiRequest>,
  client: GeminiClient,
  isReady: boolean,
): Promise<GeminiResponse> {
  const body = JSON.stringify(call.payload)
  const fetch = (isReady && fetchOf(client)) || call.fetch
  let response: Response | undefined
  const chunks = await client.models.generateContentStream(
    toParameters(call, isReady, async (input, init) => {
      const headers = toHeaders(init?.headers, call, isReady)
      response = await fetch(input, { ...init, body, headers })
      return new Response("")
    }),
  )
  if (!response) return { status: 200, headers: {}, chunks }
  if (!response.ok) throw new RefusedError(response, await response.text())
  return response
}

/** A client of our own is told nothing that it would only write into a body which nobody sends. */
function toParameters(
  call: AdapterCall<GeminiRequest>,
  isReady: boolean,
  fetch: typeof globalThis.fetch,
): GenerateContentParameters {
  const { contents, generationConfig, ...rest } = call.payload
  const said = isReady ? { ...(isWireObject(generationConfig) && generationConfig), ...rest } : {}
  return {
    model: call.model.id,
    contents: (isReady ? contents : [{ role: "user", parts: [] }]) as GenerateContentParameters["contents"],
    config: {
      ...said,
      abortSignal: call.signal,
      httpOptions: { fetch },
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  }
}

/** The caller's headers win over the SDK's. Without a key nothing is sent in its place. */
function toHeaders(
  written: HeadersInit | undefined,
  call: AdapterCall<GeminiRequest>,
  isReady: boolean,
): Headers {
  const headers = new Headers(written)
  if (call.apiKey !== undefined) headers.set(KEY_HEADER, call.apiKey)
  else if (!isReady) headers.delete(KEY_HEADER)
  for (const [name, value] of Object.entries(call.headers)) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return headers
}

const KEY_HEADER = "x-goog-api-key"

/** The SDK keeps the fetch that a client was made with where its types do not show it. */
function fetchOf(client: GeminiClient): typeof globalThis.fetch | undefined {
  const { httpOptions } = client as { readonly httpOptions?: { readonly fetch?: unknown } }
  const fetch = httpOptions?.fetch
  return typeof fetch === "function" ? (fetch as typeof globalThis.fetch) : undefined
}
