/**
 * Anthropic's models.
 *
 * Tokens written to the cache are priced for five minutes; an hour is twice the input price, which
 * `calculateCost` knows.
 *
 * @see https://platform.claude.com/docs/en/about-claude/pricing
 * @see https://platform.claude.com/docs/en/models/overview
 * @see https://platform.claude.com/docs/en/build-with-claude/effort
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com",
  source: "https://platform.claude.com/docs/en/about-claude/pricing",
  window: 1_000_000,
  answer: 128_000,
  sees: true,
  thinks: "off low medium high xhigh max",
} as const

// biome-ignore format: one line a model
const ROWS = {
  "claude-fable-5-2":  { name: "Claude Fable 5.2",  price: [8, 40, 0.2, 10],        checked: "2026-11-10" },
  "claude-fable-5-1":  { name: "Claude Fable 5.1",  price: [10, 50, 0.25, 12.5],    checked: "2026-10-10" },
  "claude-fable-5":    { name: "Claude Fable 5",    price: [10, 50, 1, 12.5],       checked: "2026-10-10" },
  "claude-opus-5-5":   { name: "Claude Opus 5.5",   price: [4, 20, 0.2, 5],         checked: "2026-10-10" },
  "claude-opus-5":     { name: "Claude Opus 5",     price: [5, 25, 0.5, 6.25],      checked: "2026-10-10" },
  "claude-opus-4-8":   { name: "Claude Opus 4.8",   price: [5, 25, 0.5, 6.25],      checked: "2026-09-07" },
  "claude-opus-4-7":   { name: "Claude Opus 4.7",   price: [5, 25, 0.5, 6.25],      checked: "2026-09-07" },
  "claude-opus-4-6":   { name: "Claude Opus 4.6",   price: [5, 25, 0.5, 6.25],      thinks: "off low medium high max", checked: "2026-10-10" },
  "claude-sonnet-5-5": { name: "Claude Sonnet 5.5", price: [2, 10, 0.1, 2.5],       checked: "2026-10-10" },
  "claude-sonnet-5":   { name: "Claude Sonnet 5",   price: [2, 10, 0.2, 2.5],       checked: "2026-10-10" },
  "claude-sonnet-4-6": { name: "Claude Sonnet 4.6", price: [3, 15, 0.3, 3.75],      thinks: "off low medium high max", checked: "2026-10-10" },
  "claude-haiku-5-5":  { name: "Claude Haiku 5.5",  price: [0.1, 0.5, 0.01, 0.125], promptsUpTo: 100_000, checked: "2026-10-10" },
  "claude-haiku-4-5":  { name: "Claude Haiku 4.5",  price: [1, 5, 0.1, 1.25],       window: 200_000, answer: 64_000, thinks: true, checked: "2026-10-10" },
} as const

/** Anthropic's models by id. */
export const anthropic: ProviderModels<"anthropic-messages", "anthropic", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
