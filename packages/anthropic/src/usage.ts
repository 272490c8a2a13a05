/**
 * Makes the contract's counters of what the vendor reports as `usage`.
 *
 * The vendor's counters are disjoint already. They arrive twice: at the start as an estimate, at the end as
 * totals that replace it, also where they are lower. What a field's absence says is nothing, so what was known
 * stays.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { UsageReport } from "@heddle/stream"
import type { Usage } from "@heddle/types"
import { countOf, objectOf, objectsOf, type WireObject } from "./wire.ts"

const COUNTERS = ["input", "output", "cacheRead", "cacheWrite", "reasoning", "cacheWriteLong"] as const

type Counts = { -readonly [Counter in (typeof COUNTERS)[number]]?: number }

/** Counts the tokens of one response, on top of those of the responses before it in the same turn. */
export class UsageMeter {
  readonly #before: Counts
  #counts: Counts = {}
  #compaction: Counts = {}

  /** @param before What the turn has used before this response. */
  constructor(before: Usage) {
    this.#before = before
  }

  /** @returns the totals of the turn, as far as they are known. */
  add(usage: WireObject): UsageReport {
    this.#counts = { ...this.#counts, ...countsOf(usage) }
    if (Array.isArray(usage.iterations)) this.#compaction = compactionOf(usage)
    const report: Counts = {}
    for (const counter of COUNTERS) {
      const parts = [this.#before[counter], this.#counts[counter], this.#compaction[counter]]
      const known = parts.filter((part) => part !== undefined)
      if (known.length > 0) report[counter] = known.reduce((sum, part) => sum + part, 0)
    }
    return withinWholes(report)
  }
}

/** Summing up a conversation is billed beside the answer, and the totals leave it out. */
function compactionOf(usage: WireObject): Counts {
  const sum: Counts = {}
  for (const iteration of objectsOf(usage.iterations)) {
    if (iteration.type !== "compaction") continue
    for (const [counter, count] of Object.entries(countsOf(iteration)) as [keyof Counts, number][]) {
      sum[counter] = (sum[counter] ?? 0) + count
    }
  }
  return sum
}

function countsOf(usage: WireObject): Counts {
  const input = countOf(usage.input_tokens)
  const output = countOf(usage.output_tokens)
  const cacheRead = countOf(usage.cache_read_input_tokens)
  const cacheWrite = countOf(usage.cache_creation_input_tokens)
  const cacheWriteLong = countOf(objectOf(usage.cache_creation).ephemeral_1h_input_tokens)
  const reasoning = countOf(objectOf(usage.output_tokens_details).thinking_tokens)
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWriteLong !== undefined && cacheWriteLong > 0 && { cacheWriteLong }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

/** The split of what was written to the cache comes with the estimate only, and may be more than the total. */
function withinWholes(report: Counts): UsageReport {
  const { reasoning, cacheWriteLong, output = 0, cacheWrite = 0 } = report
  return {
    ...report,
    ...(reasoning !== undefined && { reasoning: Math.min(reasoning, output) }),
    ...(cacheWriteLong !== undefined && { cacheWriteLong: Math.min(cacheWriteLong, cacheWrite) }),
  }
}
