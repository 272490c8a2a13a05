/**
 * What the `finish_reason` of a chat completion means, as a table.
 *
 * Vendors add words of their own to OpenAI's. A word that nobody knows is a plain stop: the answer is there.
 */
import type { StreamFailure } from "@heddle/types"

/** How a message ended: with a reason, or as a failure with a text for people. */
export type Ending =
  | { readonly reason: "stop" | "length" | "toolUse" }
  | { readonly failure: StreamFailure; readonly says: string }

const STOP: Ending = { reason: "stop" }
const LENGTH: Ending = { reason: "length" }
const TOOL_USE: Ending = { reason: "toolUse" }
const FILTERED: Ending = {
  failure: { code: "content_filter", retryable: false },
  says: "The vendor's content filter stopped the answer",
}
const BROKEN: Ending = {
  failure: { code: "server", retryable: true },
  says: "The vendor could not finish the answer",
}
const OVERLOADED: Ending = {
  failure: { code: "overloaded", retryable: true },
  says: "The vendor ran out of capacity before the answer was complete",
}

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["stop", STOP],
  ["eos", STOP],
  ["end_turn", STOP],
  ["length", LENGTH],
  ["model_length", LENGTH], // Mistral
  ["model_context_window_exceeded", LENGTH], // zAI
  ["tool_calls", TOOL_USE],
  ["function_call", TOOL_USE],
  ["content_filter", FILTERED],
  ["sensitive", FILTERED], // zAI
  ["error", BROKEN],
  ["network_error", BROKEN], // zAI
  ["insufficient_system_resource", OVERLOADED], // DeepSeek
])

/**
 * @param word The vendor's `finish_reason`.
 * @see https://platform.openai.com/docs/api-reference/chat/streaming
 */
export function toEnding(word: string): Ending {
  return ENDINGS.get(word) ?? STOP
}
