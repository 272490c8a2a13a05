/**
 * Open models at Groq. Tokens read from the cache cost half of the input price.
 *
 * How Qwen is told to think at Groq is not known, so a request says nothing about it.
 *
 * @see https://console.groq.com/docs/models
 * @see https://console.groq.com/docs/prompt-caching
 * @see https://console.groq.com/docs/reasoning
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "groq",
  baseUrl: "https://api.groq.com/openai/v1",
  source: "https://console.groq.com/docs/models",
  checked: "2026-10-01",
  window: 131_072,
  answer: 65_536,
  thinks: "low medium high",
} as const

// biome-ignore format: one line a model
const ROWS = {
  "openai/gpt-oss-120b":          { name: "GPT OSS 120B",       price: [0.15, 0.6, 0.075],   sees: false },
  "openai/gpt-oss-20b":           { name: "GPT OSS 20B",        price: [0.075, 0.3, 0.0375], sees: false },
  "openai/gpt-oss-safeguard-20b": { name: "Safety GPT OSS 20B", price: [0.075, 0.3, 0.0375], sees: false },
  "qwen/qwen3.8-27b":             { name: "Qwen3.8 27B",        price: [0.8, 4, 0.4],        answer: 16_384, thinks: "" },
} as const

/** Models at Groq by id. */
export const groq: ProviderModels<"openai-completions", "groq", keyof typeof ROWS> = /* @__PURE__ */ toModels(
  VENDOR,
  ROWS,
)
