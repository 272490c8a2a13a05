/**
 * DeepSeek's models. The price is that of the hours of work in China; all other hours are half price.
 *
 * @see https://api-docs.deepseek.com/quick_start/pricing
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "deepseek",
  baseUrl: "https://api.deepseek.com",
  source: "https://api-docs.deepseek.com/quick_start/pricing",
  checked: "2026-10-06",
  window: 1_000_000,
  answer: 384_000,
  thinks: "off low high max",
  note: "Peak price; off-peak costs half. Peak: Monday to Friday, 01:00-04:00 and 06:00-10:00 UTC.",
} as const

// biome-ignore format: one line a model
const ROWS = {
  "deepseek-flash":  { name: "DeepSeek V4.1 Flash", price: [0.3, 1.2, 0.006],   sees: true },
  "deepseek-v4-pro": { name: "DeepSeek V4 Pro",     price: [1.32, 3.96, 0.044], sees: false },
} as const

/** DeepSeek's models by id. */
export const deepseek: ProviderModels<"openai-completions", "deepseek", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
