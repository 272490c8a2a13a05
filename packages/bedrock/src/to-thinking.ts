/**
 * Says "think this hard" in the words of the model's family.
 *
 * Converse has no field for it: the words go into `additionalModelRequestFields`, and each family has its own.
 * A model that nobody asked to think is told not to, where it would do so by itself and can be told.
 *
 * Claude rules out what does not go together with thinking: a call that is forced, a temperature, and for
 * budgets a turn in progress that began without. Nova takes no `inferenceConfig` when it thinks its hardest.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html
 * @see https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
import { type ReasoningLevel, resolveReasoning, thinkingBudget } from "@heddle/provider-kit"
import type { Model, SimpleStreamOptions } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import type { WireMessage } from "./to-messages.ts"
import type { WireObject } from "./wire.ts"

/** What there is to know of the rest of the request. */
export interface ThinkingContext {
  /** As many as the request may ask for. */
  readonly maxTokens: number
  readonly messages: readonly WireMessage[]
  /** The model must call a tool. */
  readonly isForced: boolean
}

/** What a request says about thinking, and what it may not say beside it. */
export interface Thinking {
  /** For `additionalModelRequestFields`. */
  readonly fields: WireObject
  /** Max tokens must be said: what is thought counts against them. */
  readonly needsMaxTokens?: boolean
  readonly rulesOutTemperature?: boolean
  readonly rulesOutMaxTokens?: boolean
}

const NOTHING: Thinking = { fields: {} }

export function toThinking(
  model: Model,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  context: ThinkingContext,
): Thinking {
  const { thinkingFormat: format } = compat
  if (format === "none") return NOTHING
  const isClaude = format === "adaptive" || format === "budget"
  const wanted = isClaude && context.isForced ? undefined : options.reasoning
  const resolved = resolveReasoning(model, wanted, compat.reasoningLevels)
  if (!resolved) return NOTHING
  const { level, value } = resolved
  if (level === "off") return off(value ?? compat.thinkingOff, format)
  if (!isClaude) return withEffort(value ?? level, format)
  const isBudget = value === undefined ? format === "budget" : /^\d+$/.test(value)
  return isBudget
    ? withBudget({ level, ...(value !== undefined && { value }) }, options, compat, context)
    : withAdaptiveEffort(value ?? level, compat)
}

function off(word: string | null, format: ResolvedCompat["thinkingFormat"]): Thinking {
  if (word === null) return NOTHING
  if (format === "adaptive" || format === "budget") return { fields: { thinking: { type: word } } }
  return format === "nova" ? { fields: { reasoningConfig: { type: word } } } : withEffort(word, format)
}

function withEffort(effort: string, format: ResolvedCompat["thinkingFormat"]): Thinking {
  if (format === "openai") return { fields: { reasoning: { effort } } }
  if (format === "reasoning_effort") return { fields: { reasoning_effort: effort } }
  const isHardest = effort === "high"
  return {
    fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } },
    rulesOutTemperature: isHardest,
    rulesOutMaxTokens: isHardest,
  }
}

function withAdaptiveEffort(effort: string, { thinkingDisplay: display }: ResolvedCompat): Thinking {
  const thinking = { type: "adaptive", ...(display !== null && { display }) }
  return { fields: { thinking, output_config: { effort } }, rulesOutTemperature: true }
}

function withBudget(
  reasoning: { readonly level: ReasoningLevel; readonly value?: string },
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  { maxTokens, messages }: ThinkingContext,
): Thinking {
  const budget = thinkingBudget(reasoning, maxTokens, options.thinkingBudgets)
  if (budget === undefined || !mayThink(messages)) return off(compat.thinkingOff, "budget")
  return {
    fields: { thinking: { type: "enabled", budget_tokens: budget } },
    needsMaxTokens: true,
    rulesOutTemperature: true,
  }
}

/** Between a call and its result thinking cannot be switched on: the turn must have begun with it. */
function mayThink(messages: readonly WireMessage[]): boolean {
  const asked = messages.findLastIndex(({ role, content }) => role === "user" && !content[0]?.toolResult)
  const began = messages[asked + 1]
  return began === undefined || began.content[0]?.reasoningContent !== undefined
}
