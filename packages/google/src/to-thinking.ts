/**
 * Says "think this hard" to a Gemini model: with a level where its family has levels, else with a budget.
 *
 * The two exclude each other on this wire. A value of the model's `thinkingLevelMap` decides by its form: a number
 * is a budget (-1: the model decides), a word a level. A model that nobody asked to think is told not to, or, where
 * it cannot stop, to think as little as it can.
 *
 * @see https://ai.google.dev/gemini-api/docs/thinking
 */
import { type ReasoningLevel, resolveReasoning, thinkingBudget } from "@heddle/provider-kit"
import type { Model, SimpleStreamOptions } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"

/** `generationConfig.thinkingConfig`. */
export type ThinkingConfig = Readonly<Record<string, unknown>>

/**
 * @param maxTokens What thinking and answer may take together.
 * @returns undefined where the request should say nothing about thinking.
 */
export function toThinkingConfig(
  model: Model,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  maxTokens: number,
): ThinkingConfig | undefined {
  if (compat.thinkingFormat === "none") return undefined
  const resolved = resolveReasoning(model, options.reasoning, compat.thinkingLevels)
  if (!resolved) return undefined
  const { level, value } = resolved
  if (level === "off") return toSetting(value ?? compat.thinkingOff)
  if (value === undefined ? compat.thinkingFormat === "level" : !isPositive(value)) {
    return { includeThoughts: true, ...toSetting(value ?? level.toUpperCase()) }
  }
  const budget = toBudget(level, value, options, compat, maxTokens)
  // Too little room to think and to answer.
  if (budget === undefined) return toSetting(compat.thinkingOff)
  return { includeThoughts: true, thinkingBudget: budget }
}

function toBudget(
  level: ReasoningLevel,
  value: string | undefined,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  maxTokens: number,
): number | undefined {
  const [least, most] = compat.thinkingBudgetRange
  const reasoning = { level, ...(value !== undefined && { value }) }
  const budget = thinkingBudget(reasoning, maxTokens, options.thinkingBudgets)
  return budget === undefined ? undefined : Math.min(Math.max(budget, least), most)
}

function toSetting(value: string | null): ThinkingConfig | undefined {
  if (value === null) return undefined
  return /^-?\d+$/.test(value) ? { thinkingBudget: Number(value) } : { thinkingLevel: value }
}

function isPositive(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) > 0
}
