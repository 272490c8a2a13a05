/**
 * Says "think this hard" in each vendor's words.
 *
 * Vendors that can only switch thinking on and off get the switch; an effort goes beside it where the vendor
 * takes one, or where the model's `thinkingLevelMap` names one. A model that nobody asked to think is told not
 * to, where the vendor has a word for it.
 */
import { type ResolvedReasoning, resolveReasoning } from "@heddle/provider-kit"
import type { Model, SimpleStreamOptions } from "@heddle/types"
import type { ResolvedCompat, ThinkingFormat } from "./compat.ts"

type Fields = Readonly<Record<string, unknown>>

/** What there is to say. */
interface Wish {
  readonly isOn: boolean
  /** The vendor's word for the level; when thinking is off, for that. */
  readonly effort: string | undefined
  /** Tokens, where the caller named some for this level. */
  readonly budget: number | undefined
}

/** @returns the fields of the body that are about thinking; none for a model that cannot. */
export function toReasoning(model: Model, options: SimpleStreamOptions, compat: ResolvedCompat): Fields {
  const resolved = resolveReasoning(model, options.reasoning, compat.reasoningLevels)
  return resolved ? FORMATS[compat.thinkingFormat](toWish(resolved, options, compat)) : {}
}

function toWish(
  { level, value }: ResolvedReasoning,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
): Wish {
  if (level === "off") {
    return { isOn: false, effort: value ?? compat.reasoningOffEffort ?? undefined, budget: undefined }
  }
  const effort = value ?? (compat.supportsReasoningEffort ? level : undefined)
  return { isOn: true, effort, budget: options.thinkingBudgets?.[level] }
}

const FORMATS: Readonly<Record<ThinkingFormat, (wish: Wish) => Fields>> = {
  none: () => ({}),
  openai: (wish) => effortField(wish),
  openrouter: ({ effort, budget }) => {
    if (budget !== undefined) return { reasoning: { max_tokens: budget } }
    return effort === undefined ? {} : { reasoning: { effort } }
  },
  deepseek: (wish) => ({
    thinking: { type: wish.isOn ? "enabled" : "disabled" },
    ...(wish.isOn && effortField(wish)),
  }),
  zai: (wish) => ({
    thinking: wish.isOn ? { type: "enabled", clear_thinking: false } : { type: "disabled" },
    ...(wish.isOn && effortField(wish)),
  }),
  qwen: ({ isOn, budget }) => ({
    enable_thinking: isOn,
    ...(isOn && budget !== undefined && { thinking_budget: budget }),
  }),
  "qwen-chat-template": (wish) => ({
    chat_template_kwargs: { enable_thinking: wish.isOn, ...(wish.isOn && effortField(wish)) },
  }),
  together: (wish) => ({ reasoning: { enabled: wish.isOn }, ...(wish.isOn && effortField(wish)) }),
}

function effortField({ effort }: Wish): Fields {
  return effort === undefined ? {} : { reasoning_effort: effort }
}
