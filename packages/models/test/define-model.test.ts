import { describe, expect, test } from "vitest"
import { defineModel, getModel, InvalidModelError } from "../src/index.ts"

const local = {
  id: "qwen3:8b",
  api: "openai-completions",
  provider: "ollama",
  contextWindow: 40_960,
} as const

describe("defineModel", () => {
  test("needs no more than the names and the window: a free model that reads text", () => {
    expect(defineModel(local)).toEqual({
      id: "qwen3:8b",
      name: "qwen3:8b",
      api: "openai-completions",
      provider: "ollama",
      baseUrl: "",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 40_960,
      maxTokens: 40_960,
    })
  })

  test("keeps all that it is told", () => {
    const whole = {
      ...local,
      name: "Qwen 3",
      baseUrl: "http://localhost:11434/v1",
      reasoning: true,
      thinkingLevelMap: { off: "none", xhigh: null },
      input: ["text", "image"],
      cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 },
      maxTokens: 8192,
      headers: { "x-team": "a" },
      compat: { maxTokensField: "max_tokens" },
    } as const

    expect(defineModel(whole)).toEqual(whole)
  })

  test("charges cached tokens as input where it is not told otherwise", () => {
    expect(defineModel({ ...local, cost: { input: 3, output: 15 } }).cost).toEqual({
      input: 3,
      output: 15,
      cacheRead: 3,
      cacheWrite: 3,
    })
  })

  test("takes undefined for absent", () => {
    const { id, api, provider, contextWindow } = local
    const absent = {
      name: undefined,
      baseUrl: undefined,
      cost: undefined,
      maxTokens: undefined,
      headers: undefined,
    }

    expect(defineModel({ id, api, provider, contextWindow, ...absent })).toEqual(defineModel(local))
  })

  test("copies a model of the catalogue without what is only true of that one's source", () => {
    const entry = getModel("openai", "gpt-6-luna")

    const copy = defineModel({
      ...entry,
      id: "our-luna",
      provider: "azure",
      baseUrl: "https://us.openai.azure.com/openai/v1",
    })

    expect(copy).toMatchObject({ id: "our-luna", provider: "azure", name: "GPT-6 Luna", cost: entry.cost })
    for (const field of ["source", "checked", "promptsUpTo"]) expect(copy).not.toHaveProperty(field)
  })

  test("freezes the model, and neither freezes nor keeps what it was given", () => {
    const definition = { ...local, input: ["text" as const], cost: { input: 1, output: 1 } }

    const model = defineModel(definition)
    definition.input.length = 0
    definition.cost.input = 9

    expect(Object.isFrozen(model) && Object.isFrozen(model.cost) && Object.isFrozen(model.input)).toBe(true)
    expect(model).toMatchObject({ input: ["text"], cost: { input: 1 } })
  })

  test.each([
    { wrong: { id: "" }, says: "its id is empty" },
    { wrong: { provider: "  " }, says: "its provider is empty" },
    { wrong: { api: undefined }, says: "its api is empty" },
    { wrong: { contextWindow: 0 }, says: "its contextWindow is not a positive whole number" },
    { wrong: { contextWindow: undefined }, says: "its contextWindow is not a positive whole number" },
    { wrong: { maxTokens: 0.5 }, says: "its maxTokens is not a positive whole number" },
    { wrong: { maxTokens: 40_961 }, says: "its maxTokens are more than its contextWindow" },
    { wrong: { cost: { output: -1 } }, says: "its cost.output is not a price" },
    { wrong: { cost: { cacheRead: Number.NaN } }, says: "its cost.cacheRead is not a price" },
    { wrong: { baseUrl: "localhost" }, says: "its baseUrl is not a URL" },
  ])("refuses $wrong: $says", ({ wrong, says }) => {
    const define = (): unknown => defineModel({ ...local, ...(wrong as object) })

    expect(define).toThrow(InvalidModelError)
    expect(define).toThrow(says)
    expect(define).toThrow(expect.objectContaining({ code: "invalid_model" }))
  })
})
