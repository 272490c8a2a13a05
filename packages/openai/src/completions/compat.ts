/**
 * The quirks of chat-completions vendors, as data.
 *
 * Every vendor says that it speaks OpenAI's chat completions; none quite does. What differs is written down
 * here field by field, and per vendor in `vendors.ts`. The code that builds requests and reads chunks asks
 * these fields and never who the vendor is.
 *
 * A row is found by the host of `model.baseUrl`, then by `model.provider`; `model.compat` overrides it field
 * by field. An unknown server gets the most cautious row: what every server understands.
 */
import type { ReasoningLevel, ToolCallIdRules } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { DEFAULTS, VENDORS, type VendorRow } from "./vendors.ts"

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
  /** Which header carries the key: `Authorization: Bearer …`, or Azure's `api-key`. */
  readonly apiKeyHeader?: "authorization" | "api-key" | undefined
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
  readonly statedCost?: "none" | "cost" | "cost.total_cost" | "cost_in_usd_ticks" | undefined

  /** Which providers OpenRouter may use; goes into the body as `provider`. */
  readonly openRouterRouting?: Readonly<Record<string, unknown>> | null | undefined
  /** Added to every request body, over everything else. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

/** All that is known about the server of a model. */
export type ResolvedCompat = {
  readonly [Field in keyof OpenAICompletionsCompat]-?: Exclude<OpenAICompletionsCompat[Field], undefined>
}

/** @returns every field: from `model.compat`, else the vendor's row, else the most cautious value. */
export function resolveCompat(model: Model): ResolvedCompat {
  const row = findRow(model)
  const ofModel = Object.entries(row?.models ?? {}).find(([prefix]) => model.id.startsWith(prefix))?.[1]
  return {
    ...DEFAULTS,
    ...row?.compat,
    ...ofModel,
    ...withoutUndefined((model.compat ?? {}) as OpenAICompletionsCompat),
  }
}

/** The host says for certain who answers; a provider id may also name what sits behind a proxy. */
function findRow(model: Model): VendorRow | undefined {
  const host = hostOf(model.baseUrl)
  const byHost = host && Object.values(VENDORS).find((row) => row.hosts.some((known) => isHost(host, known)))
  if (byHost) return byHost
  return Object.hasOwn(VENDORS, model.provider) ? VENDORS[model.provider] : undefined
}

function hostOf(baseUrl: string): string | undefined {
  try {
    return new URL(baseUrl).host
  } catch {
    return undefined // empty, or not a URL: the request will say so
  }
}

function isHost(host: string, known: string): boolean {
  return host === known || host.endsWith(`.${known}`)
}

function withoutUndefined(compat: OpenAICompletionsCompat): Partial<ResolvedCompat> {
  return Object.fromEntries(Object.entries(compat).filter(([, value]) => value !== undefined))
}
