/**
 * Makes the contract's disjoint counters of what the Responses API reports as `usage`.
 *
 * An input token that was read from the cache, or written to it, is also an input token; reasoning is part of
 * the output. In every recorded response the sum of input and output is the total stated.
 */
import type { UsageReport } from "@heddle/stream"
import { countOf, isWireObject, type WireObject } from "../completions/wire.ts"
import type { ResolvedCompat } from "./compat.ts"

/** xAI's unit of money: 10⁻¹⁰ US dollars. */
const TICKS_PER_DOLLAR = 1e10

/** @returns what is stated, and nothing for what is not, so that an earlier count stays. */
export function toUsageReport(usage: WireObject, { statedCost }: ResolvedCompat): UsageReport {
  const total = STATED_COSTS[statedCost](usage)
  return { ...input(usage), ...output(usage), ...(total !== undefined && { cost: { total } }) }
}

function input(usage: WireObject): UsageReport {
  const all = countOf(usage.input_tokens)
  if (all === undefined) return {}
  const details = isWireObject(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const cacheRead = Math.min(countOf(details.cached_tokens) ?? 0, all)
  const cacheWrite = Math.min(countOf(details.cache_write_tokens) ?? 0, all - cacheRead)
  return { input: all - cacheRead - cacheWrite, cacheRead, cacheWrite }
}

function output(usage: WireObject): UsageReport {
  const all = countOf(usage.output_tokens)
  if (all === undefined) return {}
  const details = isWireObject(usage.output_tokens_details) ? usage.output_tokens_details : {}
  const reasoning = countOf(details.reasoning_tokens)
  return { output: all, ...(reasoning !== undefined && { reasoning: Math.min(reasoning, all) }) }
}

const STATED_COSTS: Readonly<
  Record<ResolvedCompat["statedCost"], (usage: WireObject) => number | undefined>
> = {
  none: () => undefined,
  cost: (usage) => countOf(usage.cost),
  cost_in_usd_ticks: (usage) => {
    const ticks = countOf(usage.cost_in_usd_ticks)
    return ticks === undefined ? undefined : ticks / TICKS_PER_DOLLAR
  },
}
