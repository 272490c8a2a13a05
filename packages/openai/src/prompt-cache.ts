import type { StreamOptions } from "@heddle/types"

/** What a server takes; see the fields of that name in `compat.ts` of either wire. */
interface CacheSupport {
  readonly supportsPromptCacheKey: boolean
  readonly supportsLongCacheRetention: boolean
}

/** OpenAI's limit on the length of a cache key, in characters. */
const LONGEST_CACHE_KEY = 64

/**
 * Requests with one key are sent where their prompt was cached. Keys that begin alike share a cache at worst.
 *
 * @returns the fields of a request's body.
 * @see https://developers.openai.com/api/docs/guides/prompt-caching
 */
export function promptCache(
  { sessionId, cacheRetention }: StreamOptions,
  { supportsPromptCacheKey, supportsLongCacheRetention }: CacheSupport,
): object {
  if (cacheRetention === "none") return {}
  const isLong = cacheRetention === "long" && supportsLongCacheRetention
  return {
    ...(supportsPromptCacheKey && sessionId && { prompt_cache_key: sessionId.slice(0, LONGEST_CACHE_KEY) }),
    ...(isLong && { prompt_cache_retention: "24h" }),
  }
}
