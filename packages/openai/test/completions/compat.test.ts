import type { Model } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { resolveCompat } from "../../src/completions/compat.ts"
import { DEFAULTS, VENDORS } from "../../src/completions/vendors.ts"
import { freeze } from "../freeze.ts"
import { modelOf } from "./replay.ts"

describe("a vendor's row", () => {
  test.each([
    { provider: "acme", baseUrl: "https://api.x.ai/v1", env: "XAI_API_KEY" },
    { provider: "openai", baseUrl: "https://api.deepseek.com/v1", env: "DEEPSEEK_API_KEY" },
    {
      provider: "acme",
      baseUrl: "https://my-resource.openai.azure.com/openai/v1",
      env: "AZURE_OPENAI_API_KEY",
    },
    {
      provider: "acme",
      baseUrl: "https://my-resource.services.ai.azure.com/models",
      env: "AZURE_OPENAI_API_KEY",
    },
    {
      provider: "acme",
      baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
      env: "DASHSCOPE_API_KEY",
    },
    { provider: "acme", baseUrl: "https://open.bigmodel.cn/api/paas/v4", env: "ZAI_API_KEY" },
    { provider: "acme", baseUrl: "https://api.moonshot.cn/v1", env: "MOONSHOT_API_KEY" },
    { provider: "acme", baseUrl: "http://localhost:11434/v1", env: "OLLAMA_API_KEY" },
    { provider: "acme", baseUrl: "http://127.0.0.1:1234/v1", env: "LM_API_TOKEN" },
    { provider: "groq", baseUrl: "http://127.0.0.1:40123/proxy", env: "GROQ_API_KEY" },
    { provider: "mistral", baseUrl: "", env: "MISTRAL_API_KEY" },
    { provider: "acme", baseUrl: "https://llm.acme.example/v1", env: undefined },
    { provider: "acme", baseUrl: "https://api.openai.com.evil.example/v1", env: undefined },
    { provider: "acme", baseUrl: "https://notopenrouter.ai/api", env: undefined },
    { provider: "acme", baseUrl: "not a URL", env: undefined },
    { provider: "constructor", baseUrl: "", env: undefined },
  ])("of $provider at $baseUrl reads its key from $env", ({ provider, baseUrl, env }) => {
    expect(resolveCompat(modelOf(provider, { baseUrl })).apiKeyEnv[0]).toBe(env)
  })

  test.each([
    "openai",
    "azure",
    "xai",
    "groq",
    "zai",
    "cerebras",
    "openrouter",
    "deepseek",
    "mistral",
    "moonshotai",
    "together",
    "fireworks",
    "huggingface",
    "perplexity",
    "alibaba",
  ])("of %s asks for a key and names where it may be", (provider) => {
    const { requiresApiKey, apiKeyEnv } = resolveCompat(modelOf(provider))

    expect(requiresApiKey).toBe(true)
    expect(apiKeyEnv.length).toBeGreaterThan(0)
  })

  test.each(["ollama", "llamacpp", "lmstudio", "vllm", "acme"])("of %s needs no key", (provider) => {
    expect(resolveCompat(modelOf(provider)).requiresApiKey).toBe(false)
  })

  test("of Ollama's cloud needs one", () => {
    expect(resolveCompat(modelOf("ollama", { baseUrl: "https://ollama.com/v1" })).requiresApiKey).toBe(true)
  })

  test.each(Object.entries(VENDORS))("of %s has an address that is its own", (provider, { compat }) => {
    if (provider === "azure") return expect(compat.baseUrl).toBeUndefined()
    const { apiKeyEnv } = resolveCompat(modelOf("acme", { baseUrl: compat.baseUrl! }))

    // Ports 8080 and 8000 are anybody's.
    expect(apiKeyEnv).toEqual(["llamacpp", "vllm"].includes(provider) ? [] : compat.apiKeyEnv)
  })

  test("has every field, whatever the vendor", () => {
    for (const provider of Object.keys(VENDORS)) {
      expect(Object.keys(resolveCompat(modelOf(provider))).toSorted()).toEqual(
        Object.keys(DEFAULTS).toSorted(),
      )
    }
  })
})

describe("model.compat", () => {
  test("overrides the row field by field", () => {
    const model: Model<"openai-completions"> = {
      ...modelOf("deepseek"),
      api: "openai-completions",
      compat: { maxTokensField: "max_completion_tokens", thinkingFormat: undefined },
    }

    expect(resolveCompat(freeze(model))).toMatchObject({
      maxTokensField: "max_completion_tokens",
      thinkingFormat: "deepseek",
      reasoningReplay: "reasoning_content",
    })
  })

  test("overrides the configuration, which overrides the row; undefined overrides nothing", () => {
    const configured = { thinkingFormat: "openai", statedCost: "cost", reasoningReplay: undefined } as const
    const compat = { thinkingFormat: undefined, statedCost: "none" } as const

    expect(resolveCompat(modelOf("deepseek", { compat }), configured)).toMatchObject({
      thinkingFormat: "openai",
      statedCost: "none",
      reasoningReplay: "reasoning_content",
    })
  })

  test("of models by prefix stands between the row and the model", () => {
    const id = "anthropic/claude-haiku-4.5"

    expect(resolveCompat(modelOf("openrouter")).cacheControlFormat).toBe("none")
    expect(resolveCompat(modelOf("openrouter", { id })).cacheControlFormat).toBe("anthropic")
    expect(
      resolveCompat(modelOf("openrouter", { id, compat: { cacheControlFormat: "none" } })).cacheControlFormat,
    ).toBe("none")
  })
})
