/**
 * What one response cost, in tokens and in US dollars.
 *
 * The four counters `input`, `output`, `cacheRead` and `cacheWrite` never overlap: a cached prompt token is
 * in `cacheRead` and not in `input`. Vendors whose counters overlap are normalised by their adapter. A
 * counter that the vendor did not report is 0.
 */
export interface Usage {
  /** Prompt tokens billed at the full input price. */
  readonly input: number
  /** Generated tokens, reasoning included. */
  readonly output: number
  /** Prompt tokens served from the vendor's cache. */
  readonly cacheRead: number
  /** Prompt tokens written to the vendor's cache. */
  readonly cacheWrite: number
  /** The part of `output` that was reasoning, where the vendor says so. */
  readonly reasoning?: number
  /** The part of `cacheWrite` that is kept for an hour, priced at twice the input price. */
  readonly cacheWriteLong?: number
  /** The sum of the four counters: a bill, not the size of the context. */
  readonly totalTokens: number
  readonly cost: UsageCost
}

/**
 * US dollars, from the model's prices per million tokens.
 *
 * A total that the vendor states in dollars wins over the computed one and may exceed the sum of the parts
 * (plugin and request fees).
 */
export interface UsageCost {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly total: number
}
