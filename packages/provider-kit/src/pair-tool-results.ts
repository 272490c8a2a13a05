/**
 * Gives every tool call in a transcript exactly one result, directly after the message that made the call.
 *
 * Vendors reject a request whose calls and results do not pair up, and interrupted runs leave such
 * transcripts behind. A result belongs to the nearest assistant message before it, never to an earlier one
 * with the same id: some hosts count their ids from `call_0` again in every turn.
 *
 * This file does not decide which messages are sent, nor under which ids; see `adapt-history.ts`.
 */
import type { Message, ToolCall, ToolResultMessage } from "@heddle/types"

/** What the model reads where a call was never run. */
export const NOT_EXECUTED = "The tool call was not executed."

/**
 * @returns a new transcript: calls without a result are answered with {@link NOT_EXECUTED}, results without
 * a call and second results of one call are dropped. Results stand in the order of their calls.
 */
export function pairToolResults(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, index): Message[] => {
    if (message.role === "toolResult") return [] // put after its call instead
    if (message.role === "user") return [message]
    const results = resultsAfter(messages, index)
    return [message, ...callsOf(message.content).map((call) => takeResult(results, call, message.timestamp))]
  })
}

function resultsAfter(messages: readonly Message[], index: number): ToolResultMessage[] {
  const results: ToolResultMessage[] = []
  for (let next = index + 1; next < messages.length; next++) {
    const message = messages[next]!
    if (message.role === "assistant") break
    if (message.role === "toolResult") results.push(message)
  }
  return results
}

function callsOf(content: readonly { readonly type: string }[]): ToolCall[] {
  return content.filter((block): block is ToolCall => block.type === "toolCall")
}

/** Takes each result once, so that two calls with one id (against the contract) get one each. */
function takeResult(results: ToolResultMessage[], call: ToolCall, timestamp: number): ToolResultMessage {
  const position = results.findIndex((result) => result.toolCallId === call.id)
  const [result] = position < 0 ? [] : results.splice(position, 1)
  return (
    result ?? {
      role: "toolResult",
      toolCallId: call.id,
      toolName: call.name,
      content: [{ type: "text", text: NOT_EXECUTED }],
      isError: true,
      timestamp,
    }
  )
}
