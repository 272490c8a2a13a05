/**
 * Moonshot's models.
 *
 * @see https://platform.kimi.ai/docs/pricing/chat
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "moonshotai",
  baseUrl: "https://api.moonshot.ai/v1",
  source: "https://platform.kimi.ai/docs/pricing/chat-k3",
  sees: true,
  thinks: "low high max",
} as const

// biome-ignore format: one line a model
const ROWS = {
  "kimi-k3": { name: "Kimi K3", price: [3, 15, 0.3], window: 1_048_576, answer: 131_072, checked: "2026-08-21" },
} as const

/** Moonshot's models by id. */
export const moonshotai: ProviderModels<"openai-completions", "moonshotai", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
