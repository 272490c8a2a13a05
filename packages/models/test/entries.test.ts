import { describe, expect, test } from "vitest"
import { getModels, getProviders } from "../src/index.ts"

/** No page was looked at later. Whoever checks entries anew moves it. */
const LAST_REVIEW = "2026-11-30"

/** The wires that a provider's models may be reached over, and the hosts of its own pages. */
const PROVIDERS: Readonly<
  Record<string, { readonly apis: readonly string[]; readonly hosts: readonly string[] }>
> = {
  anthropic: { apis: ["anthropic-messages"], hosts: ["platform.claude.com"] },
  deepseek: { apis: ["openai-completions"], hosts: ["api-docs.deepseek.com"] },
  google: { apis: ["google-generative-ai"], hosts: ["ai.google.dev"] },
  groq: { apis: ["openai-completions"], hosts: ["console.groq.com"] },
  mistral: { apis: ["openai-completions"], hosts: ["docs.mistral.ai"] },
  moonshotai: { apis: ["openai-completions"], hosts: ["platform.kimi.ai"] },
  openai: { apis: ["openai-responses", "openai-completions"], hosts: ["developers.openai.com"] },
  openrouter: { apis: ["openai-completions", "openai-responses"], hosts: ["openrouter.ai"] },
  together: { apis: ["openai-completions"], hosts: ["docs.together.ai"] },
  xai: { apis: ["openai-responses", "openai-completions"], hosts: ["docs.x.ai"] },
  zai: { apis: ["openai-completions"], hosts: ["docs.z.ai"] },
}

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]

const entries = getModels().map((model) => ({ name: `${model.provider}/${model.id}`, model }))

describe.each(entries)("the entry $name", ({ model }) => {
  test("costs what a model can cost: the cache never more to read, the answer never less than the prompt", () => {
    const { input, output, cacheRead, cacheWrite } = model.cost

    for (const price of [input, output, cacheRead, cacheWrite]) expect(price).toBeGreaterThan(0)
    expect(cacheRead).toBeLessThanOrEqual(input)
    expect(cacheWrite).toBeGreaterThanOrEqual(input)
    expect(output).toBeGreaterThanOrEqual(input)
    expect(output).toBeLessThan(1000)
  })

  test("has a window that an answer fits into", () => {
    expect(Number.isSafeInteger(model.contextWindow)).toBe(true)
    expect(Number.isSafeInteger(model.maxTokens)).toBe(true)
    expect(model.maxTokens).toBeGreaterThanOrEqual(4096)
    expect(model.contextWindow).toBeGreaterThanOrEqual(model.maxTokens)
  })

  test("is reached over a wire of its provider, by https", () => {
    expect(PROVIDERS[model.provider]?.apis).toContain(model.api)
    expect(new URL(model.baseUrl).protocol).toBe("https:")
    expect(model.baseUrl).not.toMatch(/\/$/)
  })

  test("reads text, and has a name", () => {
    expect(model.input[0]).toBe("text")
    expect(new Set(model.input).size).toBe(model.input.length)
    expect(model.name.trim()).toBe(model.name)
    expect(model.name).not.toBe("")
  })

  test("maps levels that exist to words, or to null", () => {
    for (const [level, word] of Object.entries(model.thinkingLevelMap ?? {})) {
      expect(LEVELS).toContain(level)
      expect(word === null || (typeof word === "string" && word.trim() === word && word !== "")).toBe(true)
    }
    if (!model.reasoning) expect(model.thinkingLevelMap).toBeUndefined()
  })

  test("names a page of its vendor", () => {
    const source = new URL(model.source)

    expect(source.protocol).toBe("https:")
    expect(PROVIDERS[model.provider]?.hosts).toContain(source.host)
    expect(model.source).not.toMatch(/[{}]/)
  })

  test("was checked on a day, and its prices had not run out by then", () => {
    expect(model.checked).toBe(new Date(model.checked).toISOString().slice(0, 10))
    expect(model.checked <= LAST_REVIEW).toBe(true)
    if (model.until !== undefined) {
      expect(model.until).toBe(new Date(model.until).toISOString().slice(0, 10))
      expect(model.until >= model.checked).toBe(true)
    }
  })

  test("says for which prompts its prices hold, where the window has room for longer ones", () => {
    if (model.promptsUpTo === undefined) return expect(model).not.toHaveProperty("promptsUpTo")
    expect(Number.isSafeInteger(model.promptsUpTo)).toBe(true)
    expect(model.promptsUpTo).toBeGreaterThan(0)
    expect(model.promptsUpTo).toBeLessThan(model.contextWindow)
  })
})

describe("the catalogue", () => {
  test("has at least one model of each provider, and no provider that is not described here", () => {
    expect(getProviders()).toEqual(Object.keys(PROVIDERS))
    for (const provider of getProviders()) expect(getModels(provider)).not.toEqual([])
  })

  test("can be sent and stored as it is", () => {
    const models = getModels()

    expect(JSON.parse(JSON.stringify(models))).toEqual(models)
    expect(structuredClone(models)).toEqual(models)
  })
})
