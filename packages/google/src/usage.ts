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

/** What one request has reported; undefined: nothing of the kind. */
interface Counts {
  readonly prompt: number | undefined
  readonly cached: number | undefined
  readonly toolUse: number | undefined
  readonly answer: number | undefined
  readonly thoughts: number | undefined
}

type Report = { readonly [Counter in "input" | "output" | "cacheRead" | "reasoning"]: number | undefined }

const NOTHING: Counts = {
  prompt: undefined,
  cached: undefined,
  toolUse: undefined,
  answer: undefined,
  thoughts: undefined,
}

/** Counts one answer. */
export class UsageMeter {
  /** Of the request under way. */
  #counts: Counts = NOTHING
  /** What the requests before it were billed. */
  #billed: Report | undefined

  /** @returns all that is known by now. */
  add(metadata: WireObject): UsageReport {
    const known = this.#counts
    this.#counts = {
      prompt: countOf(metadata.promptTokenCount) ?? known.prompt,
      cached: countOf(metadata.cachedContentTokenCount) ?? known.cached,
      toolUse: countOf(metadata.toolUsePromptTokenCount) ?? known.toolUse,
      answer: countOf(metadata.candidatesTokenCount) ?? known.answer,
      thoughts: countOf(metadata.thoughtsTokenCount) ?? known.thoughts,
    }
    return this.#total()
  }

  /** The answer goes on in another request, which counts from zero again. */
  nextRequest(): void {
    this.#billed = this.#total()
    this.#counts = NOTHING
  }

  #total(): Report {
    const current = toReport(this.#counts)
    const billed = this.#billed
    if (!billed) return current
    return {
      input: sum(current.input, billed.input),
      output: sum(current.output, billed.output),
      cacheRead: sum(current.cacheRead, billed.cacheRead),
      reasoning: sum(current.reasoning, billed.reasoning),
    }
  }
}

/** Cached tokens are prompt tokens as well; what server tools gave back and what was thought is counted beside. */
function toReport({ prompt, cached, toolUse, answer, thoughts }: Counts): Report {
  const cacheRead = Math.min(cached ?? 0, prompt ?? 0)
  const hasPrompt = prompt !== undefined || toolUse !== undefined
  return {
    input: hasPrompt ? (prompt ?? 0) - cacheRead + (toolUse ?? 0) : undefined,
    output: sum(answer, thoughts),
    cacheRead: hasPrompt ? cacheRead : undefined,
    reasoning: thoughts,
  }
}

/** @returns undefined where neither is known. */
function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0)
}
