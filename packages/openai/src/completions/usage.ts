/**
 * Makes the contract's disjoint counters of what a vendor reports as `usage`.
 *
 * In chat completions a cached prompt token is also a prompt token, and more cached tokens than prompt tokens
 * have been seen. Where the cached ones stand depends on the vendor, but no two places contradict each other,
 * so all are read. What cannot be seen from the report itself is a field of `compat.ts`.
 */
import type { UsageReport } from "@heddle/stream"
import type { ResolvedCompat } from "./compat.ts"
import { countOf, isWireObject, type WireObject } from "./wire.ts"

/** xAI's unit of money: 10⁻¹⁰ US dollars. */
const TICKS_PER_DOLLAR = 1e10

/**
 * @param usage OpenAI's `usage`, or a vendor's variation of it.
 * @returns what is stated, and nothing for what is not, so that an earlier count stays.
 */
export function toUsageReport(usage: WireObject, compat: ResolvedCompat): UsageReport {
  const total = statedCost(usage, compat)
  return { ...prompt(usage), ...completion(usage, compat), ...(total !== undefined && { cost: { total } }) }
}

/** Cached and cache-written tokens are part of the prompt; what is left of it is billed in full. */
function prompt(usage: WireObject): UsageReport {
  const details = isWireObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const hit = countOf(usage.prompt_cache_hit_tokens) ?? 0
  const miss = countOf(usage.prompt_cache_miss_tokens)
  const all = countOf(usage.prompt_tokens, miss === undefined ? undefined : hit + miss)
  if (all === undefined) return {}
  const cacheRead = Math.min(countOf(details.cached_tokens, usage.cached_tokens, hit) ?? 0, all)
  const cacheWrite = Math.min(countOf(details.cache_write_tokens) ?? 0, all - cacheRead)
  return { input: all - cacheRead - cacheWrite, cacheRead, cacheWrite }
}

function completion(usage: WireObject, compat: ResolvedCompat): UsageReport {
  const visible = countOf(usage.completion_tokens)
  if (visible === undefined) return {}
  const details = isWireObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  const reasoning = countOf(details.reasoning_tokens)
  const output = visible + (isOutside(usage, visible, compat) ? (reasoning ?? 0) : 0)
  return { output, ...(reasoning !== undefined && { reasoning: Math.min(reasoning, output) }) }
}

/** A total that is the sum of prompt and completion alone says that reasoning is already in it. */
function isOutside(usage: WireObject, visible: number, compat: ResolvedCompat): boolean {
  const total = countOf(usage.total_tokens)
  return (
    compat.reasoningOutsideCompletion &&
    (total === undefined || total !== (countOf(usage.prompt_tokens) ?? 0) + visible)
  )
}

function statedCost(usage: WireObject, compat: ResolvedCompat): number | undefined {
  switch (compat.statedCost) {
    case "cost":
      return countOf(usage.cost)
    case "cost.total_cost":
      return isWireObject(usage.cost) ? countOf(usage.cost.total_cost) : undefined
    case "cost_in_usd_ticks": {
      const ticks = countOf(usage.cost_in_usd_ticks)
      return ticks === undefined ? undefined : ticks / TICKS_PER_DOLLAR
    }
    case "none":
      return undefined
  }
}
