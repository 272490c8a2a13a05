/**
 * Whether vendors are asked, and which of them cannot be.
 *
 * With `LIVE=1` the tests of this folder leave the machine, spend money, and need keys.
 */

export const IS_LIVE: boolean = process.env.LIVE === "1"

/** Vendors are slow, and models are not always at their best. */
export const LIVE_LIMITS = { timeout: 180_000, retry: 2 } as const

/** @returns why a vendor is not asked, for the name of its tests; "" where it is. */
export function whyNotAsked(keys: readonly string[]): string {
  const isAtHand = keys.some((name) => (process.env[name] ?? "") !== "")
  return isAtHand ? "" : ` (skipped: ${keys.join(" or ")} is not set)`
}
