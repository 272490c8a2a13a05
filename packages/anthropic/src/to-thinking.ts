/**
 * Says "think this hard" in the words of the model's generation.
 *
 * Newer models take an effort and decide themselves how much to think, older ones a budget of tokens. A model
 * that nobody asked to think is told not to, where it would do so by itself and can be told.
 *
 * A call that is forced rules thinking out, and so does, for budgets, a turn in progress that began without.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
import { resolveReasoning, thinkingBudget } from "@heddle/provider-kit"
import type { Model, SimpleStreamOptions } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import type { WireMessage } from "./to-messages.ts"
import type { WireObject } from "./wire.ts"

/** What there is to know of the rest of the request. */
export interface ThinkingContext {
  readonly maxTokens: number
  readonly messages: readonly WireMessage[]
  /** The model must call a tool. */
  readonly isForced: boolean
}

/** The beta that {@link AnthropicMessagesCompat.thinkingMismatch} needs. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01"

/** @returns the fields of the body that are about thinking; none for a model that cannot. */
export function toThinking(
  model: Model,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  { maxTokens, messages, isForced }: ThinkingContext,
): WireObject {
  if (compat.thinkingFormat === "none") return {}
  const resolved = resolveReasoning(model, isForced ? undefined : options.reasoning, compat.reasoningLevels)
  if (!resolved) return {}
  const { level, value } = resolved
  if (level === "off") return off(value ?? compat.thinkingOff)
  const isBudget = value === undefined ? compat.thinkingFormat === "budget" : /^\d+$/.test(value)
  if (!isBudget) {
    return { thinking: { type: "adaptive", ...controls(compat) }, output_config: { effort: value ?? level } }
  }
  if (!mayThink(messages)) return off(compat.thinkingOff)
  const budget = thinkingBudget({ ...resolved, level }, maxTokens, options.thinkingBudgets)
  return budget === undefined
    ? off(compat.thinkingOff)
    : { thinking: { type: "enabled", budget_tokens: budget } }
}

function off(type: string): WireObject {
  return type === "omit" ? {} : { thinking: { type } }
}

function controls({ thinkingDisplay, thinkingMismatch }: ResolvedCompat): WireObject {
  return {
    ...(thinkingDisplay !== null && { display: thinkingDisplay }),
    ...(thinkingMismatch !== null && { block_binding: { prefix_mismatch_behavior: thinkingMismatch } }),
  }
}

/** Between a call and its result thinking cannot be switched on: the turn must have begun with it. */
function mayThink(messages: readonly WireMessage[]): boolean {
  const last = messages.at(-1)
  if (last?.role === "user" && last.content[0]?.type !== "tool_result") return true
  const [first] = messages.findLast(({ role }) => role === "assistant")?.content ?? []
  return first === undefined || first.type === "thinking" || first.type === "redacted_thinking"
}
