/**
 * Asks the vendor to go on with a turn that it has paused.
 *
 * A server that runs its own tools stops after some rounds (`pause_turn`) and goes on when it gets back what it
 * said so far, with nothing behind it.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
import { toWellFormed } from "@heddle/provider-kit"
import type { AssistantMessage } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import { containerIn } from "./container.ts"
import { toAssistantBlocks, type WireMessage } from "./to-messages.ts"
import type { MessagesRequest } from "./to-request.ts"

/**
 * How often a turn is resumed. A paused response has about ten rounds of server tools behind it, so this is far
 * beyond what an answer takes, and an end to a server that always pauses.
 */
export const MOST_RESUMPTIONS = 10

/**
 * @param content What the paused response said.
 * @returns the request that gets the rest.
 */
export function resumeTurn(
  request: MessagesRequest,
  content: AssistantMessage["content"],
  compat: ResolvedCompat,
): MessagesRequest {
  const blocks = toAssistantBlocks(content, compat)
  const container = containerIn(content, 0)
  return toWellFormed({
    ...request,
    messages: withTurn(request.messages, blocks),
    ...(container !== undefined && { container }),
  })
}

/** A turn that was resumed before goes on where it was. */
function withTurn(messages: readonly WireMessage[], blocks: WireMessage["content"]): readonly WireMessage[] {
  const last = messages.at(-1)
  if (last?.role !== "assistant") return [...messages, { role: "assistant", content: blocks }]
  return [...messages.slice(0, -1), { role: "assistant", content: [...last.content, ...blocks] }]
}
