/**
 * Makes the contract's disjoint counters of OpenAI's overlapping ones, for either wire.
 *
 * A prompt token that was read from the cache, or written to it, is also a prompt token; reasoning is part of
 * the output.
 */
import { countOf, isWireObject, type WireObject } from "@heddle/provider-kit"
import type { UsageReport } from "@heddle/stream"

/** xAI's unit of money: 10⁻¹⁰ US dollars. */
const TICKS_PER_DOLLAR = 1e10

/** Where a vendor's bill stands in `usage`. */
export type StatedCost = "none" | "cost" | "cost.total_cost" | "cost_in_usd_ticks"

/**
 * @param all Tokens of the prompt.
 * @param cached How many of them were read from the cache; more than there are have been seen.
 * @param written How many were written to it.
 * @returns nothing where the prompt was not counted, so that an earlier count stays.
 */
export function promptReport(all: number | undefined, cached: unknown, written: unknown): UsageReport {
  if (all === undefined) return {}
  const cacheRead = Math.min(countOf(cached) ?? 0, all)
  const cacheWrite = Math.min(countOf(written) ?? 0, all - cacheRead)
  return { input: all - cacheRead - cacheWrite, cacheRead, cacheWrite }
}

/** @param output All that was generated, `reasoning` included. */
export function outputReport(output: number | undefined, reasoning: number | undefined): UsageReport {
  if (output === undefined) return {}
  return { output, ...(reasoning !== undefined && { reasoning: Math.min(reasoning, output) }) }
}

/** @returns the bill, where the vendor states one. */
export function costReport(usage: WireObject, where: StatedCost): UsageReport {
  const total = BILLS[where](usage)
  return total === undefined ? {} : { cost: { total } }
}

const BILLS: Readonly<Record<StatedCost, (usage: WireObject) => number | undefined>> = {
  none: () => undefined,
  cost: ({ cost }) => countOf(cost),
  "cost.total_cost": ({ cost }) => (isWireObject(cost) ? countOf(cost.total_cost) : undefined),
  cost_in_usd_ticks: (usage) => {
    const ticks = countOf(usage.cost_in_usd_ticks)
    return ticks === undefined ? undefined : ticks / TICKS_PER_DOLLAR
  },
}
