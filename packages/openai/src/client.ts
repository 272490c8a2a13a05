/**
 * What OpenAI's SDK is asked to do, for either wire.
 *
 * It does what it is good at (authentication, endpoints, headers, error bodies) and hands over the raw
 * response; its retries and its limit on time are off, because those are the kit's.
 */
import type { AdapterCall } from "@heddle/provider-kit"
import type { OpenAI } from "openai"

/** Which header carries the key: `Authorization: Bearer …`, or Azure's `api-key`. */
export type ApiKeyHeader = "authorization" | "api-key"

/** What the SDK is told about one request. */
export interface RequestOptions {
  readonly headers: Readonly<Record<string, string | null>>
  readonly signal: AbortSignal
  readonly maxRetries: 0
  readonly timeout?: number
}

/** The longest that timers can wait. The SDK's own limit must not fire before the caller's. Milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The SDK insists on a key, also where none is sent. */
const NO_KEY = "none"

/** Costs some microseconds, so one is made for every try, with its own fetch. */
export function createClient(call: AdapterCall<object>, { OpenAI }: typeof import("openai")): OpenAI {
  return new OpenAI({
    apiKey: call.apiKey ?? NO_KEY,
    adminAPIKey: null,
    baseURL: call.baseUrl,
    fetch: call.fetch,
    timeout: LONGEST_TIMEOUT_MS,
    dangerouslyAllowBrowser: true, // whether the key may be here is the application's business
    // OpenAI's organisation, from the environment, is nobody else's.
    ...(call.model.provider !== "openai" && { organization: null, project: null }),
  })
}

/** @param isReady The client is the caller's own: its key and its limit on time hold where the call has none. */
export function toRequestOptions(
  call: AdapterCall<object>,
  apiKeyHeader: ApiKeyHeader,
  isReady: boolean,
): RequestOptions {
  const { timeoutMs } = call.options
  return {
    headers: {
      "x-stainless-timeout": null, // the SDK's limit, which is not ours
      ...keyHeaders(call.apiKey, apiKeyHeader, isReady),
      ...call.headers, // the caller's win over the key's
    },
    signal: call.signal,
    maxRetries: 0,
    ...(isReady && timeoutMs !== undefined && { timeout: LONGEST_TIMEOUT_MS }),
  }
}

/** A ready client has a key of its own, which only another key replaces. Without a key nothing is sent. */
function keyHeaders(
  apiKey: string | undefined,
  apiKeyHeader: ApiKeyHeader,
  isReady: boolean,
): Readonly<Record<string, string | null>> {
  if (apiKey === undefined) return isReady ? {} : { authorization: null }
  if (apiKeyHeader === "api-key") return { authorization: null, "api-key": apiKey }
  return { authorization: `Bearer ${apiKey}` }
}
