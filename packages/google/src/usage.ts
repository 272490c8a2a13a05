/**
 * Makes the contract's disjoint counters of Gemini's `usageMetadata`.
 *
 * It comes with every chunk and counts up; a chunk may leave fields out (Vertex sends some that hold the kind of
 * traffic only), and what is absent stays. An answer that goes on in further requests is billed for each of them.
 *
 * @see https://ai.google.dev/api/generate-content#UsageMetadata
 */
import { countOf, type WireObject } from "@heddle/provider-kit"
import type { UsageReport } from "@heddle/stream"

const FIELDS = [
  "promptTokenCount",
  "cachedContentTokenCount",
  "toolUsePromptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
] as const

type Counts = { [Field in (typeof FIELDS)[number]]?: number }

const COUNTERS = ["input", "output", "cacheRead", "reasoning"] as const

type Report = { -readonly [Counter in (typeof COUNTERS)[number]]?: number }

/** Counts one answer. */
export class UsageMeter {
  /** What the request under way has reported. */
  #counts: Counts = {}
  /** What the requests before it were billed. */
  #billed: Report = {}

  /** @returns all that is known by now. */
  add(metadata: WireObject): UsageReport {
    for (const field of FIELDS) {
      const count = countOf(metadata[field])
      if (count !== undefined) this.#counts[field] = count
    }
    return this.#total()
  }

  /** The answer goes on in another request, which counts from zero again. */
  nextRequest(): void {
    this.#billed = this.#total()
    this.#counts = {}
  }

  #total(): Report {
    const current = toReport(this.#counts)
    const total: Report = {}
    for (const counter of COUNTERS) {
      if (current[counter] === undefined && this.#billed[counter] === undefined) continue
      total[counter] = (current[counter] ?? 0) + (this.#billed[counter] ?? 0)
    }
    return total
  }
}

/** Cached tokens are prompt tokens as well; what server tools gave back and what was thought is counted beside. */
function toReport(counts: Counts): Report {
  const { promptTokenCount: prompt, toolUsePromptTokenCount: toolUse } = counts
  const { candidatesTokenCount: answer, thoughtsTokenCount: thoughts } = counts
  const report: Report = {}
  if (prompt !== undefined || toolUse !== undefined) {
    const cacheRead = Math.min(counts.cachedContentTokenCount ?? 0, prompt ?? 0)
    report.input = (prompt ?? 0) - cacheRead + (toolUse ?? 0)
    report.cacheRead = cacheRead
  }
  if (answer !== undefined || thoughts !== undefined) report.output = (answer ?? 0) + (thoughts ?? 0)
  if (thoughts !== undefined) report.reasoning = thoughts
  return report
}
