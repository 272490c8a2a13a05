/**
 * How the models behind Bedrock differ, as data.
 *
 * Converse gives every model the same messages, but not every model takes everything that can be said in them.
 * What is known is written down in `families.ts`, found by the model's id; `model.compat` overrides it field by
 * field. The code that builds requests asks the fields and never which model it talks to.
 *
 * Of a model that nobody knows the most cautious is assumed: text, pictures and tools.
 */
import type { ReasoningLevel } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { DEFAULTS, FAMILIES } from "./families.ts"

declare module "@heddle/types" {
  interface ModelCompat {
    "bedrock-converse-stream": BedrockConverseCompat
  }
}

/**
 * How a model is asked to think, in `additionalModelRequestFields`.
 *
 * - `adaptive`: Claude's `thinking: { type: "adaptive" }` and `output_config: { effort }`
 * - `budget`: Claude's `thinking: { type: "enabled", budget_tokens }`
 * - `nova`: `reasoningConfig: { type: "enabled", maxReasoningEffort }`
 * - `openai`: `reasoning: { effort }`
 * - `reasoning_effort`: `reasoning_effort`
 * - `none`: nothing is said
 */
export type ThinkingFormat = "adaptive" | "budget" | "nova" | "openai" | "reasoning_effort" | "none"

/**
 * Overrides of what is known about a model on Bedrock, for `Model.compat`.
 *
 * Every field is optional: an absent one keeps what the model's family says.
 */
export interface BedrockConverseCompat {
  /**
   * The id to look the model up by, where `model.id` does not tell: the ARN of an inference profile or of
   * provisioned throughput. For example `anthropic.claude-sonnet-4-5`.
   */
  readonly baseModel?: string | undefined

  /** Where the model takes cache points. */
  readonly cachePoints?: readonly ("tools" | "system" | "messages")[] | undefined
  /** Takes `ttl: "1h"` on them, for `options.cacheRetention: "long"`. */
  readonly supportsLongCacheRetention?: boolean | undefined

  /** Takes `temperature`. Where not, it is left out. */
  readonly supportsTemperature?: boolean | undefined

  /** The choices among tools that the model takes: `any` is "call some tool". Others are left out. */
  readonly toolChoices?: readonly ("auto" | "any" | "tool")[] | undefined
  /** Takes `status: "error"` on a tool result. Where not, the text says that the tool failed. */
  readonly supportsToolResultStatus?: boolean | undefined
  /** Takes pictures in a tool result. Where not, they follow behind it. */
  readonly supportsToolResultImages?: boolean | undefined

  /**
   * How the model is asked to think. For Claude a value in `model.thinkingLevelMap` decides for itself: a number
   * is a budget, a word an effort.
   */
  readonly thinkingFormat?: ThinkingFormat | undefined
  /** The levels the model has where `model.thinkingLevelMap` does not mention them. */
  readonly reasoningLevels?: readonly ReasoningLevel[] | undefined
  /** What a request that asks for no thinking says: Claude's `thinking.type`, or an effort. Null: nothing. */
  readonly thinkingOff?: string | null | undefined
  /** Whether Claude's adaptive thinking is shown. Null: as the model does by default. */
  readonly thinkingDisplay?: "summarized" | "omitted" | null | undefined
  /** What becomes of the model's own thinking where it is not signed. Most models refuse it. */
  readonly unsignedThinking?: "drop" | "send" | undefined

  /** Added to the `additionalModelRequestFields` of every request, over everything else. */
  readonly additionalModelRequestFields?: Readonly<Record<string, unknown>> | undefined
}

/** All that is known about a model. */
export type ResolvedCompat = {
  readonly [Field in keyof BedrockConverseCompat]-?: Exclude<BedrockConverseCompat[Field], undefined>
}

/**
 * @param configured For every model of an adapter.
 * @returns every field: from `model.compat`, else as configured, else of the model's family, else the most
 * cautious value.
 */
export function resolveCompat(model: Model, configured: BedrockConverseCompat = {}): ResolvedCompat {
  const own = { ...withoutUndefined(configured), ...withoutUndefined(model.compat ?? {}) }
  const id = (own.baseModel || model.id).toLowerCase()
  const rows = FAMILIES.filter(({ ids }) => ids.test(id)).map(({ compat }) => compat)
  return Object.assign({}, DEFAULTS, ...rows, own) as ResolvedCompat
}

function withoutUndefined(compat: BedrockConverseCompat): Partial<ResolvedCompat> {
  return Object.fromEntries(Object.entries(compat).filter(([, value]) => value !== undefined))
}
