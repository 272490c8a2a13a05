/**
 * Marks how far a prompt should be cached, for models that cache nothing unmarked.
 *
 * Two marks are enough: the end of the system prompt (the tools stand before it) and the end of the last turn,
 * which the next request will read.
 *
 * @see https://openrouter.ai/docs/guides/best-practices/prompt-caching
 */
import type { StreamOptions } from "@heddle/types"
import type { WireMessage } from "./to-messages.ts"

/** @returns the messages with marks; the same messages where nothing is to be kept. */
export function markCache(
  messages: readonly WireMessage[],
  retention: StreamOptions["cacheRetention"],
): readonly WireMessage[] {
  if (retention === "none") return messages
  const mark = { type: "ephemeral", ...(retention === "long" && { ttl: "1h" }) }
  const lastTurn = messages.findLastIndex(({ role }) => role === "user" || role === "tool")
  return messages.map((message, index) => {
    const isEnd = index === lastTurn || message.role === "system" || message.role === "developer"
    return isEnd ? { ...message, content: markLastText(message.content, mark) } : message
  })
}

/** The mark sits on a part, so a text becomes one. Pictures take no mark; the text before them does. */
function markLastText(content: unknown, mark: unknown): unknown {
  const parts: unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }]
  const last = parts.findLastIndex((part) => (part as { type?: unknown }).type === "text")
  return parts.map((part, index) => (index === last ? { ...(part as object), cache_control: mark } : part))
}
