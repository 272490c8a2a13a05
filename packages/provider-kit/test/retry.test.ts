import type { StreamFailure } from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { retryAfterOf, retryDelay } from "../src/index.ts"
import { delay } from "../src/retry.ts"

const overloaded: StreamFailure = { code: "overloaded", retryable: true }
const low = (): number => 0
const high = (): number => 0.999_999

describe("retryDelay", () => {
  test.each([
    { attempt: 0, shortest: 375, longest: 500 },
    { attempt: 1, shortest: 750, longest: 1000 },
    { attempt: 2, shortest: 1500, longest: 2000 },
    { attempt: 4, shortest: 6000, longest: 8000 },
    { attempt: 9, shortest: 6000, longest: 8000 },
  ])("waits $shortest to $longest ms after failure $attempt", ({ attempt, shortest, longest }) => {
    const limits = { maxRetries: 10 }

    expect(retryDelay(overloaded, attempt, limits, low)).toBe(longest)
    expect(retryDelay(overloaded, attempt, limits, high)).toBeCloseTo(shortest, 1)
  })

  test.each([
    { maxRetries: undefined, tries: 2 },
    { maxRetries: 0, tries: 0 },
    { maxRetries: 1, tries: 1 },
    { maxRetries: -1, tries: 0 },
    { maxRetries: Number.NaN, tries: 0 },
  ])("with maxRetries $maxRetries tries $tries times again", ({ maxRetries, tries }) => {
    const delays = [0, 1, 2, 3].map((attempt) => retryDelay(overloaded, attempt, { maxRetries }))

    expect(delays.filter((wait) => wait !== undefined)).toHaveLength(tries)
  })

  test("gives up on what no retry mends", () => {
    expect(retryDelay({ code: "auth", retryable: false }, 0)).toBeUndefined()
  })

  test.each([
    { asked: 0, cap: undefined, wait: 0 },
    { asked: 5000, cap: undefined, wait: 5000 },
    { asked: 60_000, cap: undefined, wait: 60_000 },
    { asked: 60_001, cap: undefined, wait: undefined },
    { asked: 5000, cap: 4999, wait: undefined },
    { asked: 90_000_000, cap: 0, wait: 90_000_000 },
    { asked: 9_000_000_000, cap: 0, wait: 2_147_483_647 },
  ])("keeps a wait of $asked ms under a cap of $cap as $wait", ({ asked, cap, wait }) => {
    const failure = { ...overloaded, retryAfterMs: asked }

    expect(retryDelay(failure, 0, { maxRetryDelayMs: cap })).toBe(wait)
  })

  test("never waits longer by itself than the cap", () => {
    expect(retryDelay(overloaded, 3, { maxRetries: 9, maxRetryDelayMs: 100 }, low)).toBe(100)
  })
})

describe("retryAfterOf", () => {
  const now = Date.parse("2026-01-01T00:00:00Z")

  test.each([
    { headers: {}, wait: undefined },
    { headers: { "retry-after": "3" }, wait: 3000 },
    { headers: { "Retry-After": "1.5" }, wait: 1500 },
    { headers: { "retry-after": "0" }, wait: 0 },
    { headers: { "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" }, wait: 20_000 },
    { headers: { "retry-after": "Wed, 31 Dec 2025 23:59:00 GMT" }, wait: 0 },
    { headers: { "retry-after": "soon" }, wait: undefined },
    { headers: { "retry-after": "" }, wait: undefined },
    { headers: { "retry-after": "-5" }, wait: undefined },
    { headers: { "retry-after": "5, 10" }, wait: undefined },
    { headers: { "retry-after": "in 5 s" }, wait: undefined },
    { headers: { "retry-after-ms": "250" }, wait: 250 },
    { headers: { "retry-after-ms": "250", "retry-after": "9" }, wait: 250 },
    { headers: { "retry-after-ms": "x", "retry-after": "9" }, wait: 9000 },
  ])("reads $headers as $wait", ({ headers, wait }) => {
    expect(retryAfterOf(headers, undefined, now)).toBe(wait)
    expect(retryAfterOf(new Headers(headers as Record<string, string>), undefined, now)).toBe(wait)
  })

  test("reads Google's RetryInfo", () => {
    const details = [{ "@type": "x.ErrorInfo" }, { "@type": "x.RetryInfo", retryDelay: "34.5s" }]

    expect(retryAfterOf(undefined, { error: { details } }, now)).toBe(34_500)
    expect(retryAfterOf(undefined, [{ error: { details } }], now)).toBe(34_500)
    expect(retryAfterOf(undefined, { error: { details: [{ retryDelay: 3 }] } }, now)).toBeUndefined()
  })
})

describe("delay", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test("waits and leaves nothing behind", async () => {
    const { signal } = new AbortController()
    const remove = vi.spyOn(signal, "removeEventListener")
    const waited = vi.fn()
    const waiting = delay(1000, signal).then(waited)

    await vi.advanceTimersByTimeAsync(999)
    expect(waited).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await waiting

    expect(remove).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  test("ends with the signal and leaves no timer", async () => {
    const controller = new AbortController()
    const waiting = delay(1000, controller.signal)

    controller.abort()
    await waiting

    expect(vi.getTimerCount()).toBe(0)
    await delay(1000, controller.signal)
  })
})
