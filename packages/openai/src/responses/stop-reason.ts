/**
 * What the end of a response means, as a table.
 *
 * A response says how it ended in `status`, and where it is incomplete, why. Incomplete without a reason means
 * cut off; a reason that nobody knows is a plain stop: the answer is there.
 */
import type { StreamFailure } from "@heddle/types"

/** How a message ended: with a reason, or as a failure with a text for people. */
export type Ending =
  | { readonly reason: "stop" | "length" }
  | { readonly failure: StreamFailure; readonly says: string }

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["completed", { reason: "stop" }],
  ["max_output_tokens", { reason: "length" }],
  ["incomplete", { reason: "length" }],
  [
    "content_filter",
    {
      failure: { code: "content_filter", retryable: false },
      says: "The vendor's content filter stopped the answer (incomplete: content_filter).",
    },
  ],
  [
    "cancelled",
    {
      failure: { code: "server", retryable: true },
      says: "The vendor cancelled the response (status: cancelled).",
    },
  ],
  [
    "failed",
    {
      failure: { code: "server", retryable: true },
      says: "The vendor could not finish the response, and did not say why (status: failed).",
    },
  ],
])

/**
 * @param word The vendor's `incomplete_details.reason`, else its `status`.
 * @see https://developers.openai.com/api/reference/resources/responses/streaming-events
 */
export function toEnding(word: string): Ending {
  return ENDINGS.get(word) ?? { reason: "stop" }
}
