/**
 * Models at OpenRouter, which has hundreds; the bill that it states in its answers counts, whatever stands here.
 *
 * @see https://openrouter.ai/models
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  source: "https://openrouter.ai/{id}",
  thinks: true,
} as const

// biome-ignore format: one line a model
const ROWS = {
  "z-ai/glm-5.3": { name: "GLM 5.3", price: [1.4, 4.4, 0.26], window: 1_048_576, answer: 131_072, checked: "2026-10-08" },
} as const

/** Models at OpenRouter by id. */
export const openrouter: ProviderModels<"openai-completions", "openrouter", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
