/**
 * Sends a request through OpenAI's SDK, and hands over the raw response.
 *
 * The SDK does what it is good at (authentication, endpoints, headers, error bodies); its retries and its limit
 * on time are off, because those are the kit's.
 */
import type { AdapterCall } from "@heddle/provider-kit"
import type { OpenAI } from "openai"
import type { ResolvedCompat } from "./compat.ts"

/** The part of the SDK's client that is used. */
export type ResponsesClient = Pick<OpenAI, "responses">

/** The longest that timers can wait. The SDK's own limit must not fire before the caller's. Milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The SDK insists on a key, also where none is sent. */
const NO_KEY = "none"

/** @param ready A client of the caller's own, an `AzureOpenAI` for example. */
export function send(
  call: AdapterCall<object>,
  sdk: typeof import("openai"),
  compat: ResolvedCompat,
  ready: ResponsesClient | undefined,
): Promise<Response> {
  const client = ready ?? createClient(call, sdk)
  const { timeoutMs } = call.options
  const request = client.responses.create(
    // Vendors' extensions make the body wider than the SDK's type of it.
    call.payload as OpenAI.Responses.ResponseCreateParamsStreaming,
    {
      headers: toHeaders(call, compat, ready !== undefined),
      signal: call.signal,
      maxRetries: 0,
      timeout: ready && timeoutMs ? timeoutMs : LONGEST_TIMEOUT_MS,
    },
  )
  return request.asResponse()
}

/** Costs some microseconds, so one is made for every try, with its own fetch. */
function createClient(call: AdapterCall<object>, { OpenAI }: typeof import("openai")): OpenAI {
  return new OpenAI({
    apiKey: call.apiKey ?? NO_KEY,
    adminAPIKey: null,
    baseURL: call.baseUrl,
    fetch: call.fetch,
    dangerouslyAllowBrowser: true, // whether the key may be here is the application's business
    // OpenAI's organisation, from the environment, is nobody else's.
    ...(call.model.provider !== "openai" && { organization: null, project: null }),
  })
}

/** The caller's headers win over the key's. Without a key nothing is sent in its place. */
function toHeaders(
  call: AdapterCall<object>,
  compat: ResolvedCompat,
  isReady: boolean,
): Record<string, string | null> {
  return {
    "x-stainless-timeout": null, // the SDK's limit, which is not ours
    ...keyHeaders(call.apiKey, compat, isReady),
    ...call.headers,
  }
}

/** A ready client has a key of its own, which only another key replaces. */
function keyHeaders(
  apiKey: string | undefined,
  compat: ResolvedCompat,
  isReady: boolean,
): Record<string, string | null> {
  if (apiKey === undefined) return isReady ? {} : { authorization: null }
  if (compat.apiKeyHeader === "api-key") return { authorization: null, "api-key": apiKey }
  return { authorization: `Bearer ${apiKey}` }
}
