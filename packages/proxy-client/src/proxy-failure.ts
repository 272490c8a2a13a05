/**
 * What went wrong between this client and the proxy: a code for programs, a sentence for people.
 *
 * Messages may hold what the proxy said about itself, and never the body of a response or the token.
 */
import type { StreamFailure, StreamFailureCode } from "@heddle/types"

/** Ends a request. Never leaves the package: its reader sees it as the stream's `error` event. */
export class ProxyFailure extends Error {
  readonly failure: StreamFailure

  constructor(code: StreamFailureCode, message: string, more: Partial<StreamFailure> = {}) {
    super(message)
    this.failure = { code, retryable: !LASTING.has(code), ...more }
  }
}

/** What does not get better by asking again. */
const LASTING: ReadonlySet<StreamFailureCode> = new Set([
  "auth",
  "quota",
  "context_overflow",
  "invalid_request",
])

const CODES: Readonly<Record<number, StreamFailureCode>> = {
  401: "auth",
  402: "quota",
  403: "auth",
  408: "timeout",
  413: "context_overflow",
  429: "rate_limit",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
}

/** Longer messages are cut. Characters. */
const LONGEST = 2000

/** @param text The response's body: `{ error: string }`, `{ error: { message } }`, `{ message }` or anything else. */
export function refusalOf({ status, headers }: Response, text: string): ProxyFailure {
  const retryAfterMs = waitOf(headers)
  return new ProxyFailure(
    CODES[status] ?? (status < 500 ? "invalid_request" : "server"),
    messageIn(text)?.slice(0, LONGEST) || `The proxy answered with status ${status}`,
    { status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  )
}

function messageIn(text: string): string | undefined {
  try {
    const { error, message } = JSON.parse(text)
    return [error, error?.message, message].find((each) => typeof each === "string")
  } catch {
    return undefined
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. @returns milliseconds; undefined: not said. */
function waitOf(headers: Headers): number | undefined {
  const exact = headers.get("retry-after-ms")
  if (exact && Number(exact) >= 0) return Number(exact)
  const after = headers.get("retry-after")
  if (!after) return undefined
  if (Number(after) >= 0) return Number(after) * 1000
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** @returns what an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return String((error as Error | undefined)?.message ?? error)
}

/** @param error What `fetch` or the body's reader rejected with. The innermost cause names host and reason. */
export function networkFailureOf(error: unknown): ProxyFailure {
  const cause = (error as { readonly cause?: { message?: string; code?: string } } | undefined)?.cause
  const reason = cause?.message || cause?.code || messageOf(error)
  return new ProxyFailure("network", `The connection to the proxy failed: ${reason}`)
}
