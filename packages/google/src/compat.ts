/**
 * How models behind Gemini's wire differ, as data.
 *
 * The code that builds requests asks these fields and never which model it is. A row is found by `model.id` (see
 * `families.ts`); the adapter's configuration and `model.compat` override it field by field.
 */
import { mergeCompat, type ReasoningLevel } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { DEFAULTS, FAMILIES } from "./families.ts"

declare module "@heddle/types" {
  interface ModelCompat {
    "google-generative-ai": GoogleGenerativeAiCompat
  }
}

/**
 * Overrides of what is known about a model, for `Model.compat`.
 *
 * Every field is optional: an absent one keeps what the row of the model's family says.
 */
export interface GoogleGenerativeAiCompat {
  /** How the model is asked to think: by a level, by a number of tokens, or not at all. */
  readonly thinkingFormat?: "level" | "budget" | "none" | undefined
  /** The levels the model has where `model.thinkingLevelMap` does not mention them. */
  readonly thinkingLevels?: readonly ReasoningLevel[] | undefined
  /** The smallest and the largest budget it takes. Tokens. */
  readonly thinkingBudgetRange?: readonly [least: number, most: number] | undefined
  /**
   * What is sent when no thinking is asked for: a number is sent as a budget, a word as a level. Null: nothing is
   * said, and the model decides.
   */
  readonly thinkingOff?: string | null | undefined
  /**
   * The model refuses a turn whose first call is not signed. Calls of other models get the signature that Google
   * has set apart for them.
   */
  readonly requiresThoughtSignatures?: boolean | undefined
  /** Pictures that a tool gave may stand in the result itself; otherwise they follow it. */
  readonly supportsImagesInToolResults?: boolean | undefined
  /** Which ids of calls are sent back: those that the host gave, all, or none. */
  readonly toolCallIds?: "given" | "always" | "never" | undefined
}

/** All that is known about a model. */
export type ResolvedCompat = {
  readonly [Field in keyof GoogleGenerativeAiCompat]-?: Exclude<GoogleGenerativeAiCompat[Field], undefined>
}

/**
 * @param configured What the adapter was set up with, above the family and below the model.
 * @returns every field.
 */
export function resolveCompat(model: Model, configured?: GoogleGenerativeAiCompat): ResolvedCompat {
  const name = model.id.slice(model.id.lastIndexOf("/") + 1).toLowerCase()
  const family = FAMILIES.find(({ pattern }) => pattern.test(name))
  const ofModel = model.compat as GoogleGenerativeAiCompat | undefined
  return mergeCompat(DEFAULTS, family?.compat, configured, ofModel)
}
