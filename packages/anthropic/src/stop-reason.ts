/**
 * What a `stop_reason` means, as a table.
 *
 * A word that nobody knows is a plain stop: the answer is there.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
import type { StreamFailure } from "@heddle/types"
import { textOf, type WireObject } from "./wire.ts"

/** How a response ended: with a reason, in the middle of a turn, or as a failure with a text for people. */
export type Ending =
  | { readonly reason: "stop" | "length" | "toolUse" }
  | { readonly reason: "paused" }
  | { readonly failure: StreamFailure; readonly says: string }

const STOP: Ending = { reason: "stop" }
const LENGTH: Ending = { reason: "length" }

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["end_turn", STOP],
  ["stop_sequence", STOP],
  ["compaction", STOP],
  ["max_tokens", LENGTH],
  ["model_context_window_exceeded", LENGTH],
  ["tool_use", { reason: "toolUse" }],
  ["pause_turn", { reason: "paused" }],
])

/**
 * @param word The vendor's `stop_reason`.
 * @param details Its `stop_details`: why a refusal is one.
 */
export function toEnding(word: string, details: WireObject = {}): Ending {
  return word === "refusal" ? toRefusal(details) : (ENDINGS.get(word) ?? STOP)
}

/** @see https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback */
function toRefusal(details: WireObject): Ending {
  const category = textOf(details.category)
  const says = category === "" ? "The model refused to answer" : `The model refused to answer (${category})`
  return {
    failure: { code: "content_filter", retryable: false },
    says: textOf(details.explanation) || says,
  }
}
