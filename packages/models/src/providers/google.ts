/**
 * Google's models, over the Gemini API; for Vertex, copy an entry with `defineModel`.
 *
 * The window is the limit of the prompt, which the answer does not count against. Tokens read from a cache are
 * priced; keeping one by the hour costs extra.
 *
 * @see https://ai.google.dev/gemini-api/docs/pricing
 * @see https://ai.google.dev/gemini-api/docs/models
 * @see https://ai.google.dev/gemini-api/docs/thinking
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "google-generative-ai",
  provider: "google",
  baseUrl: "https://generativelanguage.googleapis.com",
  source: "https://ai.google.dev/gemini-api/docs/pricing",
  window: 1_048_576,
  answer: 65_536,
  sees: true,
  thinks: true,
} as const

// biome-ignore format: one line a model
const ROWS = {
  "gemini-3.8-flash":       { name: "Gemini 3.8 Flash",       price: [0.75, 3.75, 0.075], thinks: "off LOW MEDIUM HIGH", until: "2026-12-31", checked: "2026-10-10" },
  "gemini-3.5-flash":       { name: "Gemini 3.5 Flash",       price: [1.5, 9, 0.15],      checked: "2026-10-07" },
  "gemini-3.5-flash-lite":  { name: "Gemini 3.5 Flash-Lite",  price: [0.3, 2.5, 0.03],    checked: "2026-10-07" },
  "gemini-3.1-pro-preview": { name: "Gemini 3.1 Pro Preview", price: [2, 12, 0.2],        promptsUpTo: 200_000, checked: "2026-10-10" },
  "gemini-2.5-pro":         { name: "Gemini 2.5 Pro",         price: [1.25, 10, 0.125],   promptsUpTo: 200_000, checked: "2026-10-07" },
  "gemini-2.5-flash":       { name: "Gemini 2.5 Flash",       price: [0.3, 2.5, 0.03],    checked: "2026-10-01" },
} as const

/** Google's models by id. */
export const google: ProviderModels<"google-generative-ai", "google", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
