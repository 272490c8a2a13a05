/**
 * What vendors' words mean, as data.
 *
 * Sources: the error pages of the vendors' API documentation, and recorded error bodies. A word is the
 * value of `type`, `code`, `status` or `reason` in an error body, or the name of an SDK's error class.
 */
import type { StreamFailureCode } from "@heddle/types"

/** A vendor's own deviation, checked before everything else. All fields that are given must match. */
export interface FailureRule {
  readonly status?: number
  /** Compared with every word of the body, without regard to case. */
  readonly word?: string
  /** Looked for in the message, without regard to case. */
  readonly text?: string
  readonly code: StreamFailureCode
  /** Default: what is usual for the code. */
  readonly retryable?: boolean
}

/** Whether sending the same request again may help, where nothing more is known. */
export const RETRYABLE: Readonly<Record<StreamFailureCode, boolean>> = {
  auth: false,
  quota: false,
  rate_limit: true,
  overloaded: true,
  context_overflow: false,
  invalid_request: false,
  content_filter: false,
  network: true,
  timeout: true,
  aborted: false,
  protocol: true,
  server: true,
  unknown: false,
}

/** The prompt is too long, in any vendor's words. Lower case. Never looked for on a 429. */
export const OVERFLOW_TEXTS: readonly string[] = [
  "prompt is too long", // Anthropic
  "exceed context limit", // Anthropic
  "maximum context length", // OpenAI, DeepSeek, OpenRouter, Mistral, vLLM
  "maximum prompt length", // xAI
  "context_length_exceeded", // OpenAI, Groq
  "too_many_prompt_tokens", // Perplexity
  "exceeds the maximum number of tokens", // Gemini, Vertex
  "exceeded max context length", // Ollama
  "exceeds the available context size", // llama.cpp
  "exceeded model token limit", // Moonshot
  "input is too long", // Bedrock
  "too many input tokens", // Bedrock
  "context window",
  "total length of all messages is too long", // Perplexity
]

/** A wrong key that comes as a 400 (Gemini, xAI). Lower case. */
export const AUTH_TEXTS: readonly string[] = [
  "api_key_invalid",
  "api key not valid",
  "incorrect api key",
  "invalid api key",
]

/** An account without credit. Lower case. */
export const QUOTA_TEXTS: readonly string[] = ["credit balance is too low", "insufficient balance"]

/** Words that mean more than the status beside them. Lower case. */
export const STRONG_WORDS: ReadonlyMap<string, StreamFailureCode> = new Map<string, StreamFailureCode>([
  ["insufficient_quota", "quota"],
  ["billing_error", "quota"],
  ["billing_hard_limit_reached", "quota"],
  ["servicequotaexceededexception", "quota"],
  ["context_length_exceeded", "context_overflow"],
  ["exceed_context_size_error", "context_overflow"],
  ["too_many_prompt_tokens", "context_overflow"],
  ["content_filter", "content_filter"], // Azure refuses the prompt with a 400
  ["content_policy_violation", "content_filter"],
  ["tool_use_failed", "protocol"], // Groq: the model wrote a call that does not fit; another try may
  ["throttlingexception", "rate_limit"], // AWS classes: the status varies by service
  ["modelstreamerrorexception", "server"],
  ["modelerrorexception", "server"],
  ["modelnotreadyexception", "overloaded"],
  ["modeltimeoutexception", "timeout"],
  ["expiredtokenexception", "auth"],
  ["unrecognizedclientexception", "auth"],
  ["invalidsignatureexception", "auth"],
  ["credentialsprovidererror", "auth"],
])

/** What words say where there is no status: an error event in a stream that began well. Lower case. */
export const WEAK_WORDS: ReadonlyMap<string, StreamFailureCode> = new Map<string, StreamFailureCode>([
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["invalid_api_key", "auth"],
  ["unauthenticated", "auth"],
  ["permission_denied", "auth"],
  ["accessdeniedexception", "auth"],
  ["rate_limit_error", "rate_limit"],
  ["rate_limit_exceeded", "rate_limit"],
  ["too_many_requests", "rate_limit"],
  ["resource_exhausted", "rate_limit"],
  ["overloaded_error", "overloaded"],
  ["overloaded", "overloaded"],
  ["unavailable", "overloaded"],
  ["service_unavailable", "overloaded"],
  ["service_unavailable_error", "overloaded"],
  ["serviceunavailableexception", "overloaded"],
  ["server_is_overloaded", "overloaded"], // OpenAI, like the next
  ["slow_down", "overloaded"],
  ["timeout_error", "timeout"],
  ["deadline_exceeded", "timeout"],
  ["request_too_large", "context_overflow"],
  ["api_error", "server"],
  ["server_error", "server"],
  ["internal_error", "server"],
  ["internal_server_error", "server"],
  ["internal", "server"],
  ["internalserverexception", "server"],
  ["invalid_request_error", "invalid_request"],
  ["not_found_error", "invalid_request"],
  ["model_not_found", "invalid_request"],
  ["invalid_prompt", "invalid_request"],
  ["invalid_argument", "invalid_request"],
  ["failed_precondition", "invalid_request"],
  ["not_found", "invalid_request"],
  ["validationexception", "invalid_request"],
  ["resourcenotfoundexception", "invalid_request"],
])

/** Rules that no list above can say. */
export const COMMON_RULES: readonly FailureRule[] = [
  // llama.cpp was started without the template engine: a 500 that no retry mends.
  { status: 500, text: "requires --jinja", code: "invalid_request" },
]

/** @returns what a status means when nothing else matched. */
export function codeOfStatus(status: number): StreamFailureCode {
  if (status === 401 || status === 403) return "auth"
  if (status === 402) return "quota"
  if (status === 408 || status === 504) return "timeout"
  if (status === 409) return "server"
  if (status === 413) return "context_overflow"
  if (status === 429) return "rate_limit"
  if (status === 503 || status === 529) return "overloaded"
  return status >= 500 ? "server" : "invalid_request"
}
