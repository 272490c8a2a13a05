/**
 * xAI's models, over its Responses API, which hands the thinking back encrypted. None can be told not to think.
 *
 * @see https://docs.x.ai/developers/pricing
 * @see https://docs.x.ai/developers/model-capabilities/text/reasoning
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-responses",
  provider: "xai",
  baseUrl: "https://api.x.ai/v1",
  source: "https://docs.x.ai/developers/models/{id}",
  window: 500_000,
  sees: true,
  thinks: "low medium high",
  promptsUpTo: 200_000,
} as const

// biome-ignore format: one line a model
const ROWS = {
  "grok-4.7": { name: "Grok 4.7", price: [2, 6, 0.5],      thinks: "low medium high xhigh", checked: "2026-10-02" },
  "grok-4.6": { name: "Grok 4.6", price: [2, 6, 0.5],      checked: "2026-10-02" },
  "grok-4.5": { name: "Grok 4.5", price: [2, 6, 0.3],      checked: "2026-09-21" },
  "grok-4.3": { name: "Grok 4.3", price: [1.25, 2.5, 0.2], window: 1_000_000, checked: "2026-09-21" },
} as const

/** xAI's models by id. */
export const xai: ProviderModels<"openai-responses", "xai", keyof typeof ROWS> = /* @__PURE__ */ toModels(
  VENDOR,
  ROWS,
)
