/**
 * Mistral's models. The model card states no limit of answers.
 *
 * @see https://docs.mistral.ai/models/overview
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "mistral",
  baseUrl: "https://api.mistral.ai/v1",
  source: "https://docs.mistral.ai/models/model-cards/mistral-medium-3-5-26-04",
  sees: true,
  thinks: "none high",
} as const

// biome-ignore format: one line a model
const ROWS = {
  "mistral-medium-3-5": { name: "Mistral Medium 3.5", price: [1.5, 7.5], window: 256_000, checked: "2026-05-26" },
} as const

/** Mistral's models by id. */
export const mistral: ProviderModels<"openai-completions", "mistral", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
