/**
 * What the codes of a failed response mean, where the common rules do not know them.
 *
 * @see https://developers.openai.com/api/reference/resources/responses/streaming-events (response.failed)
 */
import type { FailureRule } from "@heddle/provider-kit"

const FILTERED = ["bio_policy", "image_content_policy_violation", "misalignment_policy_violation"] as const

const INVALID = [
  "data_residency_mismatch",
  "empty_image_file",
  "failed_to_download_image",
  "image_file_not_found",
  "image_file_too_large",
  "image_parse_error",
  "image_too_large",
  "image_too_small",
  "invalid_base64_image",
  "invalid_image",
  "invalid_image_format",
  "invalid_image_mode",
  "invalid_image_url",
  "unsupported_image_media_type",
] as const

export const FAILURE_RULES: readonly FailureRule[] = [
  ...FILTERED.map((word): FailureRule => ({ word, code: "content_filter" })),
  ...INVALID.map((word): FailureRule => ({ word, code: "invalid_request" })),
  { word: "vector_store_timeout", code: "timeout" },
]
