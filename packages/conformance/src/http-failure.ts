/** What an HTTP status means, where the vendor's body says nothing more special. */
import type { StreamFailure, StreamFailureCode } from "@heddle/types"
import type { Reply } from "./scenario.ts"

/** The failure that each status must become. */
export const CODE_OF_STATUS: Readonly<Record<number, StreamFailureCode>> = {
  400: "invalid_request",
  401: "auth",
  403: "auth",
  404: "invalid_request",
  413: "context_overflow",
  429: "rate_limit",
  500: "server",
  503: "overloaded",
  529: "overloaded",
}

const RETRYABLE: ReadonlySet<StreamFailureCode> = new Set(["rate_limit", "server", "overloaded"])

/** @returns whether the same request may succeed later. */
export function isRetryable(code: StreamFailureCode): boolean {
  return RETRYABLE.has(code)
}

/** @returns the failure that a refusal must become. */
export function failureOf(reply: Extract<Reply, { type: "refuse" }>): StreamFailure {
  const code = CODE_OF_STATUS[reply.status] ?? "unknown"
  return {
    code,
    retryable: isRetryable(code),
    status: reply.status,
    ...(reply.retryAfterMs !== undefined && { retryAfterMs: reply.retryAfterMs }),
  }
}
