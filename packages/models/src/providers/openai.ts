/**
 * OpenAI's models, over the Responses API: most of them call tools and think at the same time there only.
 *
 * Tokens written to the cache are priced for half an hour, the vendor's default.
 *
 * @see https://developers.openai.com/api/docs/models
 * @see https://developers.openai.com/api/docs/pricing
 * @see https://developers.openai.com/api/docs/guides/reasoning
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-responses",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  source: "https://developers.openai.com/api/docs/models/{id}",
  window: 1_050_000,
  answer: 128_000,
  sees: true,
  thinks: "none low medium high xhigh max",
  promptsUpTo: 272_000,
} as const

// biome-ignore format: one line a model
const ROWS = {
  "gpt-6.2-sol":   { name: "GPT-6.2 Sol",   price: [2, 10, 0.1, 2.5],       thinks: "low medium high xhigh max", checked: "2026-11-19" },
  "gpt-6.1-sol":   { name: "GPT-6.1 Sol",   price: [2, 10, 0.1, 2.5],       thinks: "low medium high xhigh max", checked: "2026-10-10" },
  "gpt-6.1-terra": { name: "GPT-6.1 Terra", price: [1, 5, 0.05, 1.25],      checked: "2026-11-19" },
  "gpt-6-astra":   { name: "GPT-6 Astra",   price: [10, 50, 1, 12.5],       thinks: "low medium high xhigh max", checked: "2026-10-10" },
  "gpt-6-sol":     { name: "GPT-6 Sol",     price: [2, 10, 0.2, 2.5],       checked: "2026-10-10" },
  "gpt-6-luna":    { name: "GPT-6 Luna",    price: [0.1, 0.5, 0.01, 0.125], checked: "2026-10-10" },
  "gpt-5.6-terra": { name: "GPT-5.6 Terra", price: [2, 12, 0.2, 2.5],       checked: "2026-10-10" },
  "gpt-5.6-luna":  { name: "GPT-5.6 Luna",  price: [0.2, 1.2, 0.02, 0.25],  checked: "2026-10-10" },
  "gpt-5.5":       { name: "GPT-5.5",       price: [5, 30, 0.5],            thinks: "none low medium high xhigh", checked: "2026-10-10" },
} as const

/** OpenAI's models by id. */
export const openai: ProviderModels<"openai-responses", "openai", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
