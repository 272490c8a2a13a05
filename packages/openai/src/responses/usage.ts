/** Reads what a server of the Responses API reports as `usage`. */
import { countOf, objectOf, type WireObject } from "@heddle/provider-kit"
import type { UsageReport } from "@heddle/stream"
import { costReport, outputReport, promptReport } from "../usage-report.ts"
import type { ResolvedCompat } from "./compat.ts"

/** @returns what is stated, and nothing for what is not, so that an earlier count stays. */
export function toUsageReport(usage: WireObject, { statedCost }: ResolvedCompat): UsageReport {
  const { cached_tokens, cache_write_tokens } = objectOf(usage.input_tokens_details)
  const { reasoning_tokens } = objectOf(usage.output_tokens_details)
  return {
    ...promptReport(countOf(usage.input_tokens), cached_tokens, cache_write_tokens),
    ...outputReport(countOf(usage.output_tokens), countOf(reasoning_tokens)),
    ...costReport(usage, statedCost),
  }
}
