/**
 * What is known about families of models, as data: the first row whose pattern fits the id.
 *
 * Levels and budgets are those of Google's pages on thinking; a family that cannot stop thinking is told to think
 * as little as it can. A Gemini of the future is taken to be like the last known one.
 *
 * @see https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking
 * @see https://ai.google.dev/gemini-api/docs/thinking
 */
import type { ReasoningLevel } from "@heddle/provider-kit"
import type { ResolvedCompat } from "./compat.ts"

interface FamilyRow {
  /** Matched with the id in lower case, without what stands before its last slash. */
  readonly pattern: RegExp
  readonly compat: Partial<ResolvedCompat>
}

/** What an unknown model is taken to understand. */
export const DEFAULTS: ResolvedCompat = {
  thinkingFormat: "budget",
  thinkingLevels: ["minimal", "low", "medium", "high"],
  thinkingBudgetRange: [1, 24_576],
  thinkingOff: null,
  requiresThoughtSignatures: false,
  supportsImagesInToolResults: false,
  toolCallIds: "given",
}

/** The first row that fits counts. */
export const FAMILIES: readonly FamilyRow[] = [
  { pattern: /^gemini-3(\.\d+)?-pro-image/, compat: gemini3(["high"], null) },
  { pattern: /^gemini-3(\.\d+)?-flash(-lite)?-image/, compat: gemini3(["minimal", "high"], "MINIMAL") },
  { pattern: /^gemini-3-pro/, compat: gemini3(["low", "high"], "LOW") },
  {
    pattern: /^gemini-3(\.[0-6])?-flash|^gemini-3\.\d+-flash-lite/,
    compat: gemini3(["minimal", "low", "medium", "high"], "MINIMAL"),
  },
  {
    pattern: /^gemini-([3-9]|\d{2,})\b|^gemini-(pro|flash|flash-lite)-latest/,
    compat: gemini3(["low", "medium", "high"], "LOW"),
  },
  { pattern: /^gemini-2\.5-pro/, compat: { thinkingBudgetRange: [128, 32_768], thinkingOff: "128" } },
  { pattern: /^gemini-2\.5-flash-lite/, compat: { thinkingBudgetRange: [512, 24_576], thinkingOff: "0" } },
  { pattern: /^gemini-2\.5-flash/, compat: { thinkingOff: "0" } },
  {
    pattern: /^gemma-/,
    compat: { thinkingFormat: "level", thinkingLevels: ["minimal", "high"], thinkingOff: "MINIMAL" },
  },
]

/** From the third generation on, thinking has levels, signatures are checked, and tools may show pictures. */
function gemini3(thinkingLevels: readonly ReasoningLevel[], off: string | null): Partial<ResolvedCompat> {
  return {
    thinkingFormat: "level",
    thinkingLevels,
    thinkingOff: off,
    requiresThoughtSignatures: true,
    supportsImagesInToolResults: true,
  }
}
