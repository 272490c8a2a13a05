/**
 * Makes the contract's counters of what Bedrock reports as `usage`.
 *
 * Bedrock's counters are disjoint already: `inputTokens` leaves out what was read from the cache or written to
 * it. Reasoning is part of the output and not told apart.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
import type { UsageReport } from "@heddle/stream"
import { countOf, objectsOf, type WireObject } from "./wire.ts"

/** @returns what is stated, and nothing for what is not, so that an earlier count stays. */
export function toUsageReport(usage: WireObject): UsageReport {
  const input = countOf(usage.inputTokens)
  const output = countOf(usage.outputTokens)
  const cacheRead = countOf(usage.cacheReadInputTokens)
  const cacheWrite = countOf(usage.cacheWriteInputTokens)
  const cacheWriteLong = Math.min(keptForAnHour(usage.cacheDetails), cacheWrite ?? 0)
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWriteLong > 0 && { cacheWriteLong }),
  }
}

function keptForAnHour(details: unknown): number {
  const long = objectsOf(details).filter(({ ttl }) => ttl === "1h")
  return long.reduce((sum, { inputTokens }) => sum + (countOf(inputTokens) ?? 0), 0)
}
