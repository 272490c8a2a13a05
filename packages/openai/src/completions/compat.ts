/**
 * The quirks of chat-completions vendors, as data.
 *
 * Every vendor says that it speaks OpenAI's chat completions; none quite does. What differs is written down
 * here field by field, and per vendor in `vendors.ts`. The code that builds requests and reads chunks asks
 * these fields and never who the vendor is.
 *
 * A row is found by the host of `model.baseUrl`, then by `model.provider`; the adapter's configuration
 * and `model.compat` override it field by field. An unknown server gets the most cautious row: what every server understands.
 */
import { findVendor, mergeCompat, type ReasoningLevel, type ToolCallIdRules } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import type { ApiKeyHeader } from "../client.ts"
import type { StatedCost } from "../usage-report.ts"
import { DEFAULTS, VENDORS } from "./vendors.ts"

declare module "@heddle/types" {
  interface ModelCompat {
    "openai-completions": OpenAICompletionsCompat
  }
}

/**
 * How a vendor is asked to think.
 *
 * - `openai`: `reasoning_effort`
 * - `openrouter`: `reasoning: { effort }`, or `{ max_tokens }` where the caller gave a budget
 * - `deepseek`: `thinking: { type: "enabled" | "disabled" }`
 * - `zai`: as `deepseek`, and thinking of earlier turns is kept (`clear_thinking: false`)
 * - `qwen`: `enable_thinking`, and `thinking_budget` where the caller gave a budget
 * - `qwen-chat-template`: `chat_template_kwargs: { enable_thinking }`
 * - `together`: `reasoning: { enabled }`
 * - `none`: nothing is said
 */
export type ThinkingFormat =
  | "openai"
  | "openrouter"
  | "deepseek"
  | "zai"
  | "qwen"
  | "qwen-chat-template"
  | "together"
  | "none"

/**
 * How a model is shown its own earlier thinking.
 *
 * - `reasoning_content`, `reasoning`: a field of that name on the assistant message
 * - `reasoning_details`: OpenRouter's entries, as they came
 * - `content-parts`: `{ type: "thinking" }` parts in the content, as Mistral writes them
 * - `think-tags`: `<think>` in front of the text
 * - `none`: not at all
 */
export type ReasoningReplay =
  | "none"
  | "reasoning_content"
  | "reasoning"
  | "reasoning_details"
  | "content-parts"
  | "think-tags"

/**
 * Overrides of what is known about a chat-completions server, for `Model.compat`.
 *
 * Every field is optional: an absent one keeps what the vendor's row says.
 */
export interface OpenAICompletionsCompat {
  /** Where requests go when `model.baseUrl` is empty. Empty: the vendor has no address of its own. */
  readonly baseUrl?: string | undefined
  /** Environment variables that may hold the key, in order. */
  readonly apiKeyEnv?: readonly string[] | undefined
  readonly apiKeyHeader?: ApiKeyHeader | undefined
  /** Whether a request without a key is not even tried. Servers on one's own machine take none. */
  readonly requiresApiKey?: boolean | undefined

  /** The system prompt of a reasoning model has the role `developer` instead of `system`. */
  readonly supportsDeveloperRole?: boolean | undefined
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | undefined
  /** The vendor cuts answers short when it is told no limit, so the model's own is always sent. */
  readonly alwaysSendsMaxTokens?: boolean | undefined
  /** Takes `stream_options: { include_usage: true }`. */
  readonly supportsUsageInStreaming?: boolean | undefined
  /** Takes `store`, which is sent as false: nothing is kept at the vendor unless {@link supportsMetadata}. */
  readonly supportsStore?: boolean | undefined
  /** Takes `metadata`. OpenAI takes it for stored completions only, so with {@link supportsStore} they are. */
  readonly supportsMetadata?: boolean | undefined
  /** Takes `prompt_cache_key`, which `options.sessionId` becomes. */
  readonly supportsPromptCacheKey?: boolean | undefined
  /** Takes `prompt_cache_retention: "24h"`, for `options.cacheRetention: "long"`. */
  readonly supportsLongCacheRetention?: boolean | undefined
  /** `anthropic`: the end of the system prompt and of the last turn are marked with `cache_control`. */
  readonly cacheControlFormat?: "none" | "anthropic" | undefined

  /** Takes `strict` on tool definitions, which is sent as false: schemas are the caller's own. */
  readonly supportsStrictMode?: boolean | undefined
  /** The word for "call some tool". */
  readonly requiredToolChoice?: "required" | "any" | undefined
  /** The vendor's models make one call at a time unless `parallel_tool_calls: true` is sent. */
  readonly asksForParallelToolCalls?: boolean | undefined
  /** Tool arguments arrive in pieces only with `tool_stream: true`. */
  readonly asksForToolStream?: boolean | undefined
  /** What the vendor accepts as the id of a tool call. */
  readonly toolCallIds?: ToolCallIdRules | undefined
  /** Tool messages carry the tool's `name`. */
  readonly requiresToolResultName?: boolean | undefined
  /** A user message may not follow a tool message; a short assistant message goes between them. */
  readonly requiresAssistantAfterToolResult?: boolean | undefined
  /** The `content` of an assistant message that only calls tools. */
  readonly contentOfToolCalls?: null | "" | undefined

  readonly thinkingFormat?: ThinkingFormat | undefined
  /** Takes `reasoning_effort`. A string in `model.thinkingLevelMap` is sent in any case. */
  readonly supportsReasoningEffort?: boolean | undefined
  /** The levels the vendor's models have where `model.thinkingLevelMap` does not mention them. */
  readonly reasoningLevels?: readonly ReasoningLevel[] | undefined
  /** The effort that switches thinking off. Null: leave it to the vendor's default. */
  readonly reasoningOffEffort?: string | null | undefined
  readonly reasoningReplay?: ReasoningReplay | undefined
  /**
   * Stands for thinking that is not there, on models that refuse an assistant message without any. Null:
   * nothing is missing.
   */
  readonly reasoningPlaceholder?: string | null | undefined

  /** `reasoning_tokens` are not part of `completion_tokens`. */
  readonly reasoningOutsideCompletion?: boolean | undefined
  /** Where the vendor's bill stands in `usage`. `cost_in_usd_ticks` counts in 10⁻¹⁰ dollars. */
  readonly statedCost?: StatedCost | undefined

  /** Which providers OpenRouter may use; goes into the body as `provider`. */
  readonly openRouterRouting?: Readonly<Record<string, unknown>> | null | undefined
  /** Added to every request body, over everything else. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

/** All that is known about the server of a model. */
export type ResolvedCompat = {
  readonly [Field in keyof OpenAICompletionsCompat]-?: Exclude<OpenAICompletionsCompat[Field], undefined>
}

/**
 * @param configured What is known about the server, whatever the model.
 * @returns every field: from `model.compat`, else as configured, else the vendor's row, else the most cautious
 * value.
 */
export function resolveCompat(model: Model, configured?: OpenAICompletionsCompat): ResolvedCompat {
  const row = findVendor(VENDORS, model)
  const ofModel = Object.entries(row?.models ?? {}).find(([prefix]) => model.id.startsWith(prefix))?.[1]
  return mergeCompat(
    DEFAULTS,
    row?.compat,
    ofModel,
    configured,
    model.compat as OpenAICompletionsCompat | undefined,
  )
}
