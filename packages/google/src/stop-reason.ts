/**
 * What Gemini's `finishReason` and `blockReason` mean, as tables.
 *
 * Most of the words tell of a failure, so a word that nobody knows is taken for one.
 *
 * @see https://ai.google.dev/api/generate-content#FinishReason
 * @see https://ai.google.dev/api/generate-content#BlockReason
 */
import type { StreamFailure } from "@heddle/types"

/** How an answer ended: with a reason, or as a failure with a text for people. */
export type Ending =
  | { readonly reason: "stop" | "length" }
  | { readonly failure: StreamFailure; readonly says: string }

/** The word that says that the answer goes on in another request. */
export const CONTINUATION = "CONTINUATION"

const STOP: Ending = { reason: "stop" }
const LENGTH: Ending = { reason: "length" }
const BY_FILTER: StreamFailure = { code: "content_filter", retryable: false }
const FILTERED: Ending = { failure: BY_FILTER, says: "The vendor's filter stopped the answer" }
const BROKEN: Ending = {
  failure: { code: "protocol", retryable: true },
  says: "The model did not write a usable answer",
}
const UNSIGNED: Ending = {
  failure: { code: "invalid_request", retryable: false },
  says: "A thought signature is missing in the request",
}
const LIMITED: Ending = {
  failure: { code: "auth", retryable: false },
  says: "The vendor has limited or disabled the account",
}
const UNKNOWN: Ending = {
  failure: { code: "unknown", retryable: false },
  says: "The vendor ended the answer for a reason of its own",
}

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["STOP", STOP],
  ["FUNCTION_CALL", STOP], // gateways and stand-ins of the API
  ["MAX_TOKENS", LENGTH],
  [CONTINUATION, LENGTH], // where it cannot be continued
  ["SAFETY", FILTERED],
  ["RECITATION", FILTERED],
  ["LANGUAGE", FILTERED],
  ["BLOCKLIST", FILTERED],
  ["PROHIBITED_CONTENT", FILTERED],
  ["SPII", FILTERED],
  ["IMAGE_SAFETY", FILTERED],
  ["IMAGE_PROHIBITED_CONTENT", FILTERED],
  ["IMAGE_RECITATION", FILTERED],
  ["MODEL_ARMOR", FILTERED],
  ["ESCALATION", FILTERED],
  ["MALFORMED_FUNCTION_CALL", BROKEN],
  ["UNEXPECTED_TOOL_CALL", BROKEN],
  ["TOO_MANY_TOOL_CALLS", BROKEN],
  ["MALFORMED_RESPONSE", BROKEN],
  ["NO_IMAGE", BROKEN],
  ["IMAGE_OTHER", BROKEN],
  ["MISSING_THOUGHT_SIGNATURE", UNSIGNED],
  ["PUP_LIMITED_DISABLED", LIMITED],
  ["OTHER", UNKNOWN],
])

/**
 * @param word The candidate's `finishReason`.
 * @param explanation Its `finishMessage`, or an empty text.
 */
export function toEnding(word: string, explanation: string): Ending {
  return explained(ENDINGS.get(word) ?? UNKNOWN, explanation, `finishReason: ${word}`)
}

/**
 * A prompt that the vendor does not answer.
 *
 * @param word The prompt's `blockReason`.
 * @param explanation Its `blockReasonMessage`, or an empty text.
 */
export function toBlockedEnding(word: string, explanation: string): Ending {
  const ending: Ending = { failure: BY_FILTER, says: "The vendor blocked the prompt" }
  return explained(ending, explanation, `blockReason: ${word}`)
}

/** The vendor's own words win; without any, its one word is named. */
function explained(ending: Ending, explanation: string, word: string): Ending {
  if ("reason" in ending) return ending
  return { failure: ending.failure, says: explanation || `${ending.says} (${word}).` }
}

/** @returns the word, or an empty text where the field only holds the default that means "not set". */
export function wordOf(word: string): string {
  return word === "FINISH_REASON_UNSPECIFIED" ||
    word === "BLOCKED_REASON_UNSPECIFIED" ||
    word === "BLOCK_REASON_UNSPECIFIED"
    ? ""
    : word
}
