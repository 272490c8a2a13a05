/**
 * Open models at Together AI. The page states no limit of answers.
 *
 * @see https://docs.together.ai/docs/serverless/models
 * @see https://docs.together.ai/docs/inference/chat/reasoning
 */
import type { ProviderModels } from "../catalogue-model.ts"
import { toModels } from "../model-row.ts"

const VENDOR = {
  api: "openai-completions",
  provider: "together",
  baseUrl: "https://api.together.xyz/v1",
  source: "https://docs.together.ai/docs/serverless/models",
  checked: "2026-10-07",
  sees: false,
} as const

// biome-ignore format: one line a model
const ROWS = {
  "moonshotai/Kimi-K3":                      { name: "Kimi K3",              price: [3, 15, 0.3],       window: 1_048_576, sees: true, thinks: "off low medium high max" },
  "zai-org/GLM-5.3":                         { name: "GLM-5.3",              price: [1.4, 4.4, 0.26],   window: 1_048_575, thinks: "low medium high max" },
  "deepseek-ai/DeepSeek-V4-Pro-0813":        { name: "DeepSeek V4 Pro 0813", price: [1.32, 3.96, 0.13], window: 1_048_576, thinks: "off high max" },
  "MiniMaxAI/MiniMax-M3":                    { name: "MiniMax M3",           price: [0.3, 1.2, 0.06],   window: 524_288, sees: true, thinks: true },
  "Qwen/Qwen3.6-Plus":                       { name: "Qwen3.6 Plus",         price: [0.5, 3],           window: 1_000_000, thinks: true },
  "Qwen/Qwen3.5-9B":                         { name: "Qwen3.5 9B",           price: [0.17, 0.25],       window: 262_144, sees: true, thinks: true },
  "openai/gpt-oss-120b":                     { name: "GPT-OSS 120B",         price: [0.15, 0.6],        window: 131_072, thinks: "low medium high" },
  "meta-llama/Llama-3.3-70B-Instruct-Turbo": { name: "Llama 3.3 70B Turbo",  price: [1.04, 1.04],       window: 131_072 },
} as const

/** Models at Together AI by id. */
export const together: ProviderModels<"openai-completions", "together", keyof typeof ROWS> =
  /* @__PURE__ */ toModels(VENDOR, ROWS)
