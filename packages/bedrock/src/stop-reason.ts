/**
 * What a `stopReason` means, as a table.
 *
 * A word that nobody knows is a plain stop: the answer is there.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html
 */
import type { StreamFailure } from "@heddle/types"

/** How a message ended: with a reason, or as a failure with a text for people. */
export type Ending =
  | { readonly reason: "stop" | "length" | "toolUse" }
  | { readonly failure: StreamFailure; readonly says: string }

const STOP: Ending = { reason: "stop" }
const LENGTH: Ending = { reason: "length" }
const FILTERED: StreamFailure = { code: "content_filter", retryable: false }
const MALFORMED: StreamFailure = { code: "protocol", retryable: true }

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["end_turn", STOP],
  ["stop_sequence", STOP],
  ["max_tokens", LENGTH],
  ["model_context_window_exceeded", LENGTH],
  ["tool_use", { reason: "toolUse" }],
  ["guardrail_intervened", { failure: FILTERED, says: "A guardrail stopped the answer" }],
  ["content_filtered", { failure: FILTERED, says: "The vendor's content filter stopped the answer" }],
  ["refusal", { failure: FILTERED, says: "The model refused to answer" }], // Claude's own word
  ["malformed_model_output", { failure: MALFORMED, says: "The model wrote what Bedrock could not read" }],
  [
    "malformed_tool_use",
    { failure: MALFORMED, says: "The model wrote a tool call that Bedrock could not read" },
  ],
])

/** @param word The vendor's `stopReason`. */
export function toEnding(word: string): Ending {
  return ENDINGS.get(word) ?? STOP
}
