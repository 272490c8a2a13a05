/**
 * The quirks of servers that speak OpenAI's Responses API, as data.
 *
 * What differs between them is written down here field by field, and per vendor in `vendors.ts`. The code that
 * builds requests and reads events asks these fields and never who the vendor is.
 *
 * A row is found by the host of `model.baseUrl`, then by `model.provider`; the adapter's configuration
 * and `model.compat` override it field by field. An unknown server is taken for one that passes everything on to OpenAI.
 */
import { findVendor, mergeCompat, type ReasoningLevel, type ToolCallIdRules } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import type { ApiKeyHeader } from "../client.ts"
import type { StatedCost } from "../usage-report.ts"
import { DEFAULTS, VENDORS } from "./vendors.ts"

declare module "@heddle/types" {
  interface ModelCompat {
    "openai-responses": OpenAIResponsesCompat
  }
}

/**
 * Overrides of what is known about a server of the Responses API, for `Model.compat`.
 *
 * Every field is optional: an absent one keeps what the vendor's row says.
 */
export interface OpenAIResponsesCompat {
  /** Where requests go when `model.baseUrl` is empty. Empty: the vendor has no address of its own. */
  readonly baseUrl?: string | undefined
  /** Environment variables that may hold the key, in order. */
  readonly apiKeyEnv?: readonly string[] | undefined
  readonly apiKeyHeader?: ApiKeyHeader | undefined
  /** Whether a request without a key is not even tried. Servers on one's own machine take none. */
  readonly requiresApiKey?: boolean | undefined

  /** Where the system prompt stands: in the field `instructions`, or in a first message of that role. */
  readonly systemPrompt?: "instructions" | "developer" | "system" | undefined
  /** Takes `temperature`. */
  readonly supportsTemperature?: boolean | undefined
  /** Takes `max_output_tokens`. */
  readonly supportsMaxOutputTokens?: boolean | undefined
  /** A smaller `max_output_tokens` is refused, so it is raised. Tokens. */
  readonly leastOutputTokens?: number | undefined
  /** Takes `metadata`. */
  readonly supportsMetadata?: boolean | undefined
  /** Takes `prompt_cache_key`, which `options.sessionId` becomes. */
  readonly supportsPromptCacheKey?: boolean | undefined
  /** Takes `prompt_cache_retention: "24h"`, for `options.cacheRetention: "long"`. */
  readonly supportsLongCacheRetention?: boolean | undefined

  /** Takes `strict` on tool definitions, which is sent as false: schemas are the caller's own. */
  readonly supportsStrictMode?: boolean | undefined
  /** What the vendor accepts as `call_id`. */
  readonly toolCallIds?: ToolCallIdRules | undefined
  /** Pictures of a tool: in its output, or in a user message behind the outputs. */
  readonly toolResultImages?: "output" | "user-message" | undefined
  /** Nothing may stand between the calls of a turn and their outputs, so text between calls moves up. */
  readonly keepsCallsTogether?: boolean | undefined

  /** The levels the vendor's models have where `model.thinkingLevelMap` does not mention them. */
  readonly reasoningLevels?: readonly ReasoningLevel[] | undefined
  /** The effort that switches thinking off. Null: leave it to the vendor's default. */
  readonly reasoningOffEffort?: string | null | undefined
  /** Which summary of its thinking a model that thinks is asked for. Null: none is asked for. */
  readonly reasoningSummary?: "auto" | "concise" | "detailed" | null | undefined
  /** Reasoning models take `include: ["reasoning.encrypted_content"]`. */
  readonly supportsEncryptedReasoning?: boolean | undefined
  /**
   * Which of its reasoning items a model is shown again.
   *
   * - `encrypted`: those with `encrypted_content`; the others can only be looked up where they are stored
   * - `content`: also those that can be read
   * - `none`: none
   */
  readonly reasoningReplay?: "encrypted" | "content" | "none" | undefined
  /** A reasoning item is refused without the item that followed it. */
  readonly reasoningNeedsFollower?: boolean | undefined

  /** Where the vendor's bill stands in `usage`. `cost_in_usd_ticks` counts in 10⁻¹⁰ dollars. */
  readonly statedCost?: StatedCost | undefined
  /** Added to every request body, over everything else. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

/** All that is known about the server of a model. */
export type ResolvedCompat = {
  readonly [Field in keyof OpenAIResponsesCompat]-?: Exclude<OpenAIResponsesCompat[Field], undefined>
}

/**
 * @param configured What is known about the server, whatever the model.
 * @returns every field: from `model.compat`, else as configured, else the vendor's row, else what OpenAI takes.
 */
export function resolveCompat(model: Model, configured?: OpenAIResponsesCompat): ResolvedCompat {
  const row = findVendor(VENDORS, model)
  return mergeCompat(DEFAULTS, row?.compat, configured, model.compat as OpenAIResponsesCompat | undefined)
}
