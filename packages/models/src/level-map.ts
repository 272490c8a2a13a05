/**
 * Reads the levels of a model from its vendor's words, as the tables of this package write them.
 *
 * `"none low high"` is a model that can be told not to think, and otherwise to think a little or much: `off`
 * becomes `"none"`, `low` and `high` become themselves, and every other level becomes null. `"off"` stands for
 * no word of the vendor: how the model is told not to think, or that it cannot be told, is left to the adapter.
 * Without either the model cannot be told, and a request says nothing.
 */
import type { Model, ThinkingLevel } from "@heddle/types"

type LevelMap = NonNullable<Model["thinkingLevelMap"]>

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]

/** @param words The vendor's words for its levels, in any case, with spaces between them. */
export function toLevelMap(words: string): LevelMap {
  const byLevel = new Map(words.split(" ").map((word) => [toLevel(word), word]))
  const entries = LEVELS.map((level) => [level, byLevel.get(level) ?? null] as const)
  return Object.fromEntries(entries.filter(([, word]) => word !== "off"))
}

function toLevel(word: string): string {
  const level = word.toLowerCase()
  return level === "none" ? "off" : level
}
