/**
 * Decides whether and when a failed request is sent again.
 *
 * Waits double from half a second to eight seconds, each shortened by up to a quarter at random so that
 * clients that failed together do not return together. A wait that the server asks for is kept exactly, or,
 * when it is longer than the caller allows, not at all.
 */
import type { StreamFailure } from "@heddle/types"
import { errorOfBody } from "./failure-message.ts"
import { type HeadersLike, header } from "./response-headers.ts"
import { objectsOf, textOf } from "./wire.ts"

/** What the caller allows: `StreamOptions.maxRetries` and `StreamOptions.maxRetryDelayMs`. */
export interface RetryLimits {
  /** Default 2. */
  readonly maxRetries?: number | undefined
  /** Milliseconds, default 60 000; 0 lifts the cap. */
  readonly maxRetryDelayMs?: number | undefined
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 8000
const JITTER = 0.25
const DEFAULT_RETRIES = 2
const DEFAULT_CAP_MS = 60_000
/** The longest that timers can wait: 2^31 - 1 milliseconds, 24 days. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * @param attempt How many tries have failed before this one.
 * @param random From 0 up to 1.
 * @returns milliseconds to wait before the next try; undefined: give up.
 */
export function retryDelay(
  failure: StreamFailure,
  attempt: number,
  limits: RetryLimits = {},
  random: () => number = Math.random,
): number | undefined {
  const { maxRetries = DEFAULT_RETRIES, maxRetryDelayMs = DEFAULT_CAP_MS } = limits
  if (!failure.retryable || !(attempt < maxRetries)) return undefined
  const cap = maxRetryDelayMs > 0 ? maxRetryDelayMs : Infinity
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs > cap ? undefined : Math.min(failure.retryAfterMs, LONGEST_TIMER_MS)
  }
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS, cap)
  return backoff * (1 - JITTER * random())
}

/**
 * How long the server asks to wait: `retry-after-ms`, `retry-after` in seconds or as an HTTP date, or Google's
 * `RetryInfo` in the body. What cannot be read counts as not said.
 *
 * @returns milliseconds, 0 or more.
 */
export function retryAfterOf(
  headers: HeadersLike | undefined,
  body: unknown,
  now: number,
): number | undefined {
  const milliseconds = header(headers, "retry-after-ms")
  if (milliseconds && isAmount(milliseconds)) return Math.ceil(Number(milliseconds))
  const after = header(headers, "retry-after")
  if (after && isAmount(after)) return Math.ceil(Number(after) * 1000)
  // `Date.parse` makes a date of nearly anything with a digit in it: "-5" would be one long gone.
  const date = after && TIME_OF_DAY.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? retryInfoOf(body) : Math.max(0, date - now)
}

const TIME_OF_DAY = /\d:\d\d/

function isAmount(text: string): boolean {
  return /^\s*\d+(\.\d+)?\s*$/.test(text)
}

/** @see https://cloud.google.com/apis/design/errors: `{ "@type": "…RetryInfo", "retryDelay": "34s" }` */
function retryInfoOf(body: unknown): number | undefined {
  for (const { retryDelay } of objectsOf(errorOfBody(body)?.details)) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(retryDelay))?.[1]
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000)
  }
  return undefined
}

/** Waits. Resolves early, without a timer left behind, when the signal fires. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener("abort", finish, { once: true })
  })
}
