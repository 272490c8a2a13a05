/**
 * Translates "how hard to think" into what a model supports.
 *
 * A level that the model does not have becomes the next higher one that it has, else the next lower. The
 * model's `thinkingLevelMap` decides first; what it does not mention is the adapter's knowledge of the family.
 */
import type { Model, SimpleStreamOptions, ThinkingLevel } from "@heddle/types"

/** A level that asks for thinking. */
export type ReasoningLevel = Exclude<ThinkingLevel, "off">

/** What to ask a model for. */
export interface ResolvedReasoning {
  /** A level the model supports; `"off"` where thinking is to be switched off. */
  readonly level: ThinkingLevel
  /** The vendor's own value from `thinkingLevelMap`; absent: the adapter's word for the level. */
  readonly value?: string
}

const LEVELS: readonly ReasoningLevel[] = ["minimal", "low", "medium", "high", "xhigh", "max"]

/** What a model is taken to support where nobody says more: the two highest exist on some families only. */
const USUAL_LEVELS: readonly ReasoningLevel[] = ["minimal", "low", "medium", "high"]

/** Budgets per level, in tokens. The first four are given by the specification, the rest double on. */
const BUDGETS: Readonly<Record<ReasoningLevel, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
}

/** What is left of max tokens for the answer; also the smallest budget that Anthropic takes. */
const LEAST = 1024

/**
 * @param requested The level asked for; absent means `"off"`.
 * @param supported The levels of the model's family, where its `thinkingLevelMap` does not mention them.
 * @returns undefined where the request should say nothing about thinking: the model cannot think, or it
 * cannot be switched off and nothing was asked for.
 */
export function resolveReasoning(
  model: Model,
  requested: ReasoningLevel | undefined,
  supported: readonly ReasoningLevel[] = USUAL_LEVELS,
): ResolvedReasoning | undefined {
  if (!model.reasoning) return undefined
  const level = requested === undefined ? "off" : nearestLevel(model, requested, supported)
  const value = level && model.thinkingLevelMap?.[level]
  if (level === undefined || value === null) return undefined
  return { level, ...(value !== undefined && { value }) }
}

function nearestLevel(
  model: Model,
  requested: ReasoningLevel,
  supported: readonly ReasoningLevel[],
): ReasoningLevel | undefined {
  const has = (level: ReasoningLevel): boolean => {
    const mapped = model.thinkingLevelMap?.[level]
    return mapped === undefined ? supported.includes(level) : mapped !== null
  }
  const position = LEVELS.indexOf(requested)
  return LEVELS.slice(Math.max(0, position)).find(has) ?? LEVELS.slice(0, Math.max(0, position)).findLast(has)
}

/**
 * The thinking budget of a level, for vendors that take tokens.
 *
 * A whole number in `thinkingLevelMap` wins over the caller's budgets, these over the standard ones. The
 * budget stays below `maxTokens`, with at least 1024 tokens left for the answer.
 *
 * @returns tokens, at least 1024; undefined where `maxTokens` leaves no room to think.
 */
export function thinkingBudget(
  reasoning: ResolvedReasoning & { readonly level: ReasoningLevel },
  maxTokens: number,
  budgets: SimpleStreamOptions["thinkingBudgets"] = {},
): number | undefined {
  const mapped = /^\d+$/.test(reasoning.value ?? "") ? Number(reasoning.value) : undefined
  const wanted = mapped ?? budgets[reasoning.level] ?? BUDGETS[reasoning.level]
  const budget = Math.min(Math.max(wanted, LEAST), Math.floor(maxTokens) - LEAST)
  return budget >= LEAST ? budget : undefined
}
