import { expect, test } from "vitest"
import { resolveCompat } from "../../src/completions/compat.ts"
import { toUsageReport } from "../../src/completions/usage.ts"
import { modelOf } from "./replay.ts"

test.each([
  {
    provider: "openai",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
    report: { input: 6, cacheRead: 4, cacheWrite: 0, output: 5, reasoning: 3 },
  },
  {
    provider: "azure",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 40 },
      cost_in_usd_ticks: 0,
    },
    report: { input: 0, cacheRead: 10, cacheWrite: 0, output: 5 },
  },
  {
    provider: "xai",
    usage: {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 303,
      completion_tokens_details: { reasoning_tokens: 290 },
      cost_in_usd_ticks: 1_466_250,
    },
    report: {
      input: 12,
      cacheRead: 0,
      cacheWrite: 0,
      output: 291,
      reasoning: 290,
      cost: { total: 0.000146625 },
    },
  },
  {
    provider: "xai",
    usage: {
      prompt_tokens: 12,
      completion_tokens: 291,
      total_tokens: 303,
      completion_tokens_details: { reasoning_tokens: 290 },
    },
    report: { input: 12, cacheRead: 0, cacheWrite: 0, output: 291, reasoning: 290 },
  },
  {
    provider: "deepseek",
    usage: {
      prompt_tokens: 372,
      completion_tokens: 16,
      prompt_cache_hit_tokens: 256,
      prompt_cache_miss_tokens: 116,
    },
    report: { input: 116, cacheRead: 256, cacheWrite: 0, output: 16 },
  },
  {
    provider: "deepseek",
    usage: { completion_tokens: 16, prompt_cache_hit_tokens: 256, prompt_cache_miss_tokens: 116 },
    report: { input: 116, cacheRead: 256, cacheWrite: 0, output: 16 },
  },
  {
    provider: "openrouter",
    usage: {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
      cost: 0.5,
    },
    report: { input: 50, cacheRead: 30, cacheWrite: 20, output: 5, cost: { total: 0.5 } },
  },
  {
    provider: "openrouter",
    usage: { prompt_tokens: 100, completion_tokens: 5, cost: 0 },
    report: { input: 100, cacheRead: 0, cacheWrite: 0, output: 5, cost: { total: 0 } },
  },
  {
    provider: "moonshotai",
    usage: { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 4 },
    report: { input: 6, cacheRead: 4, cacheWrite: 0, output: 5 },
  },
  {
    provider: "together",
    usage: { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 4 },
    report: { input: 6, cacheRead: 4, cacheWrite: 0, output: 5 },
  },
  {
    provider: "perplexity",
    usage: {
      prompt_tokens: 8,
      completion_tokens: 5,
      cost: { input_tokens_cost: 0.00001, total_cost: 0.00501 },
    },
    report: { input: 8, cacheRead: 0, cacheWrite: 0, output: 5, cost: { total: 0.00501 } },
  },
  {
    provider: "huggingface",
    usage: {
      prompt_tokens: 40,
      completion_tokens: 2,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    report: { input: 40, cacheRead: 0, cacheWrite: 0, output: 2 },
  },
  { provider: "openai", usage: { completion_tokens: 2 }, report: { output: 2 } },
  { provider: "openai", usage: { prompt_tokens: -1, completion_tokens: "3", cost: 1 }, report: {} },
  { provider: "openai", usage: {}, report: {} },
])("usage of $provider: $usage becomes $report", ({ provider, usage, report }) => {
  expect(toUsageReport(usage, resolveCompat(modelOf(provider)))).toEqual(report)
})
