/**
 * Reads what a vendor of chat completions reports as `usage`.
 *
 * Where the cached tokens stand depends on the vendor, but no two places contradict each other, so all are
 * read. What cannot be seen from the report itself is a field of `compat.ts`.
 */
import { countOf, objectOf, type WireObject } from "@heddle/provider-kit"
import type { UsageReport } from "@heddle/stream"
import { costReport, outputReport, promptReport } from "../usage-report.ts"
import type { ResolvedCompat } from "./compat.ts"

/**
 * @param usage OpenAI's `usage`, or a vendor's variation of it.
 * @returns what is stated, and nothing for what is not, so that an earlier count stays.
 */
export function toUsageReport(usage: WireObject, compat: ResolvedCompat): UsageReport {
  return { ...prompt(usage), ...completion(usage, compat), ...costReport(usage, compat.statedCost) }
}

function prompt(usage: WireObject): UsageReport {
  const details = objectOf(usage.prompt_tokens_details)
  const hit = countOf(usage.prompt_cache_hit_tokens) ?? 0
  const miss = countOf(usage.prompt_cache_miss_tokens)
  const all = countOf(usage.prompt_tokens) ?? (miss === undefined ? undefined : hit + miss)
  const cached = countOf(details.cached_tokens) ?? countOf(usage.cached_tokens) ?? hit
  return promptReport(all, cached, details.cache_write_tokens)
}

function completion(usage: WireObject, compat: ResolvedCompat): UsageReport {
  const visible = countOf(usage.completion_tokens)
  const reasoning = countOf(objectOf(usage.completion_tokens_details).reasoning_tokens)
  if (visible === undefined) return {}
  return outputReport(visible + (isOutside(usage, visible, compat) ? (reasoning ?? 0) : 0), reasoning)
}

/** A total that is the sum of prompt and completion alone says that reasoning is already in it. */
function isOutside(usage: WireObject, visible: number, compat: ResolvedCompat): boolean {
  const total = countOf(usage.total_tokens)
  return (
    compat.reasoningOutsideCompletion &&
    (total === undefined || total !== (countOf(usage.prompt_tokens) ?? 0) + visible)
  )
}
