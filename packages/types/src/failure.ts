/**
 * What went wrong with a request, for programs.
 *
 * - `auth`: the key is missing, wrong or not allowed to do this.
 * - `quota`: the account is out of credit; retrying does not help.
 * - `rate_limit`: too many requests; retrying later helps.
 * - `overloaded`: the vendor has no capacity right now.
 * - `context_overflow`: the conversation does not fit into the model's window.
 * - `invalid_request`: the vendor refuses the request as it is.
 * - `content_filter`: the vendor or the model refuses to answer.
 * - `network`: the connection failed or dropped.
 * - `timeout`: nothing came within the time allowed.
 * - `aborted`: the caller's signal fired, or the reader left.
 * - `protocol`: the other side broke the rules of its wire.
 * - `server`: the vendor's server failed.
 * - `unknown`: none of these could be told.
 */
export type StreamFailureCode =
  | "auth"
  | "quota"
  | "rate_limit"
  | "overloaded"
  | "context_overflow"
  | "invalid_request"
  | "content_filter"
  | "network"
  | "timeout"
  | "aborted"
  | "protocol"
  | "server"
  | "unknown"

/** The structured side of `AssistantMessage.errorMessage`. */
export interface StreamFailure {
  readonly code: StreamFailureCode
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable: boolean
  /** HTTP status, where there was one. */
  readonly status?: number
  /** How long the server asked to wait. Milliseconds. */
  readonly retryAfterMs?: number
}
