/**
 * The sandbox that server tools run in.
 *
 * The vendor tells of it beside the content and wants its id beside the messages. In a transcript it is an
 * opaque block, so that it stays with the message whose pending calls it holds.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling
 */
import type { AssistantMessage, Message } from "@heddle/types"
import { objectOf, textOf } from "./wire.ts"

/** The kind of the block, and its key. */
export const CONTAINER = "container"

/**
 * @returns the id of the last container in the content; none where it had expired by then.
 * @param at When it is to be used. Unix milliseconds.
 */
export function containerIn(content: AssistantMessage["content"], at: number): string | undefined {
  const block = content.findLast((each) => each.type === "opaque" && each.kind === CONTAINER)
  if (block?.type !== "opaque") return undefined
  const { id, expires_at } = objectOf(block.data)
  const expiry = Date.parse(textOf(expires_at))
  return expiry <= at ? undefined : textOf(id) || undefined
}

/** @returns the id of the container that the conversation was last in, as long as it lives. */
export function containerOf(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(
    (message) =>
      message.role === "assistant" &&
      message.content.some((block) => block.type === "opaque" && block.kind === CONTAINER),
  )
  const now = messages.at(-1)?.timestamp ?? 0
  return last?.role === "assistant" ? containerIn(last.content, now) : undefined
}
