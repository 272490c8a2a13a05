/**
 * Z.ai's models. They cannot be told not to think.
 *
 * @see https://docs.z.ai/guides/overview/pricing
 * @see https://docs.z.ai/guides/llm/glm-5.3
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "zai",
  baseUrl: "https://api.z.ai/api/paas/v4",
  source: "https://docs.z.ai/guides/overview/pricing",
  checked: "2026-10-08",
  window: 1_000_000,
  answer: 131_072,
  thinks: "low high max",
} as const

// biome-ignore format: one line a model
const ROWS = {
  "glm-5.3":       { name: "GLM-5.3",       price: [1.4, 4.4, 0.26],  sees: false },
  "glm-5.3-flash": { name: "GLM-5.3 Flash", price: [0.15, 0.5, 0.03], sees: true },
} as const

/** Z.ai's models by id. */
export const zai: ProviderModels<"openai-completions", "zai", keyof typeof ROWS> = /* @__PURE__ */ toModels(
  VENDOR,
  ROWS,
)
