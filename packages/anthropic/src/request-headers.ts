/**
 * Decides which headers a request carries: its key, the version of the API, and betas.
 *
 * A key goes into `x-api-key` and a token into `Authorization`, never both: the vendor refuses a request with
 * two credentials. The caller's own headers win over everything here.
 *
 * @see https://platform.claude.com/docs/en/api/overview
 * @see https://platform.claude.com/docs/en/api/beta-headers
 */
import { type AdapterCall, hasCredentials } from "@heddle/provider-kit"
import type { AnthropicMessagesConfig } from "./adapter.ts"
import type { ResolvedCompat } from "./compat.ts"
import { BINDING_BETA } from "./to-thinking.ts"

type Headers = Record<string, string | null>

/** What the tokens of an account begin with, and the beta that they need. */
const TOKEN_PREFIX = "sk-ant-oat"
const TOKEN_BETA = "oauth-2025-04-20"

/** @returns headers for the SDK; null removes what it would add. */
export function toHeaders(
  call: AdapterCall<unknown>,
  compat: ResolvedCompat,
  config: AnthropicMessagesConfig,
): Headers {
  return {
    "x-stainless-timeout": null, // the SDK's limit, which is not ours
    ...(isInBrowser() ? {} : { "anthropic-dangerous-direct-browser-access": null }),
    "anthropic-version": compat.apiVersion,
    ...keyHeaders(call, compat, config),
    ...call.headers,
    ...betaHeader(call, compat, config),
  }
}

/** Windows and workers are somewhere. Elsewhere nothing must look like a request across origins. */
function isInBrowser(): boolean {
  return "location" in globalThis
}

/** A ready client has a key of its own, which only another key replaces. */
function keyHeaders(
  { apiKey, headers, options }: AdapterCall<unknown>,
  compat: ResolvedCompat,
  config: AnthropicMessagesConfig,
): Headers {
  const isGiven = Boolean(options.apiKey?.trim() || config.apiKey?.trim() || config.authToken?.trim())
  // A key of the environment does not come on top of credentials that the caller's headers bring.
  if (apiKey === undefined || (!isGiven && hasCredentials(headers))) {
    return config.client ? {} : { authorization: null }
  }
  return isToken(apiKey, compat, config)
    ? { "x-api-key": null, authorization: `Bearer ${apiKey}` }
    : { authorization: null, "x-api-key": apiKey }
}

function isToken(apiKey: string, compat: ResolvedCompat, { authToken }: AnthropicMessagesConfig): boolean {
  return (
    compat.apiKeyHeader === "authorization" || apiKey.startsWith(TOKEN_PREFIX) || apiKey === authToken?.trim()
  )
}

/** Betas add up, whoever asks for them; null in the caller's headers removes them all. */
function betaHeader(
  { headers, apiKey }: AdapterCall<unknown>,
  compat: ResolvedCompat,
  config: AnthropicMessagesConfig,
): Headers {
  const asked = headers["anthropic-beta"]
  if (asked === null) return {}
  const betas = new Set([
    ...compat.betas,
    ...(config.betas ?? []),
    ...(compat.thinkingMismatch === null ? [] : [BINDING_BETA]),
    ...(apiKey?.startsWith(TOKEN_PREFIX) ? [TOKEN_BETA] : []),
    ...(asked ?? "").split(",").map((beta) => beta.trim()),
  ])
  betas.delete("")
  return betas.size === 0 ? {} : { "anthropic-beta": [...betas].join(",") }
}
