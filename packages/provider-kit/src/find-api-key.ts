import type { Model } from "@heddle/types"
import type { AdapterConfig } from "./adapter-definition.ts"
import { envKey } from "./env-key.ts"
import { hasCredentials, type RequestHeaders } from "./request-headers.ts"
import { StreamFailureError } from "./stream-failure-error.ts"

/** What is asked for a key, and whether one is needed. */
export interface KeySources {
  /** Of the request. */
  readonly apiKey: string | undefined
  readonly config: AdapterConfig
  readonly envKeys: readonly string[]
  readonly isNeeded: boolean
  readonly headers: RequestHeaders
}

/**
 * The request's key, else the configuration's, else the environment's; blank ones count as none.
 *
 * A ready client has its own, so the environment is not asked for one. Headers that bring credentials, or say
 * that none are to be sent, do without.
 *
 * @throws {StreamFailureError} `auth`, naming what to set, where a key is needed and there is none.
 */
export function findApiKey(model: Model, sources: KeySources): string | undefined {
  const { config, envKeys } = sources
  const given = sources.apiKey?.trim() || config.apiKey?.trim()
  if (given) return given
  if (config.client !== undefined) return undefined
  const found = envKey(envKeys)
  if (found || !sources.isNeeded || hasCredentials(sources.headers)) return found
  const variable = envKeys.length > 0 ? `set ${envKeys.join(" or ")}, or ` : ""
  throw new StreamFailureError(
    { code: "auth", retryable: false },
    `No API key for ${model.provider}: ${variable}pass apiKey in the options or to the adapter.`,
  )
}
