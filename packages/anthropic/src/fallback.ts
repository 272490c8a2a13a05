/**
 * Leaves out of a turn what a model began before another one took over.
 *
 * Where a model declines in the middle, the vendor lets another go on from its text and marks the border with
 * a `fallback` block. Before the last of these, thinking, calls and server tools without a result belong to
 * nobody any more, and the vendor refuses them; the rest, and everything behind, goes back as it came.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
import type { AssistantMessage } from "@heddle/types"
import { objectOf } from "./wire.ts"

type Content = AssistantMessage["content"]

const NONE: ReadonlySet<string> = new Set()

/** @returns what is left, and the ids of the calls that are not. */
export function afterFallback(content: Content): {
  readonly content: Content
  readonly dropped: ReadonlySet<string>
} {
  const border = content.findLastIndex((block) => block.type === "opaque" && block.kind === "fallback")
  if (border < 0) return { content, dropped: NONE }
  const answered = new Set(
    content.map((block) => block.type === "opaque" && objectOf(block.data).tool_use_id),
  )
  const dropped = new Set<string>()
  const kept = content.filter((block, index) => {
    if (index >= border || block.type === "text") return true
    if (block.type === "toolCall") dropped.add(block.id)
    if (block.type !== "opaque") return false
    return !block.kind.endsWith("tool_use") || answered.has(objectOf(block.data).id)
  })
  return { content: kept, dropped }
}
