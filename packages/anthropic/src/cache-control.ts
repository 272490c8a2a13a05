/**
 * Marks how far the vendor should keep a prompt in its cache.
 *
 * Three marks of the four that are allowed: the end of the tools, the end of the system prompt, and the end of
 * the last user turn, which the next request of the conversation will read. What is kept for an hour must not
 * stand behind what is kept for five minutes, so all marks are alike.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import type { StreamOptions } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import type { WireBlock, WireMessage } from "./to-messages.ts"
import type { WireObject } from "./wire.ts"

/** @returns what marks a block; undefined where nothing is to be kept. */
export function cacheMark(
  retention: StreamOptions["cacheRetention"],
  compat: ResolvedCompat,
): WireObject | undefined {
  if (retention === "none" || !compat.supportsCacheControl) return undefined
  const isLong = retention === "long" && compat.supportsLongCacheRetention
  return { type: "ephemeral", ...(isLong && { ttl: "1h" }) }
}

/** @returns the same list with a mark on its last entry. */
export function markLast<TEntry extends object>(
  entries: readonly TEntry[],
  mark: WireObject | undefined,
): readonly TEntry[] {
  const last = entries.at(-1)
  return mark && last ? [...entries.slice(0, -1), { ...last, cache_control: mark }] : entries
}

/** @returns the same messages with a mark at the end of the last user turn. */
export function markLastTurn(
  messages: readonly WireMessage[],
  mark: WireObject | undefined,
): readonly WireMessage[] {
  const turn = messages.findLastIndex(({ role }) => role === "user")
  return messages.map(
    (message, index): WireMessage =>
      index === turn ? { ...message, content: markLast<WireBlock>(message.content, mark) } : message,
  )
}
