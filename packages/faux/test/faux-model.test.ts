import { describe, expect, test } from "vitest"
import { fauxModel } from "../src/index.ts"

describe("fauxModel", () => {
  test("makes a thinking model with prices", () => {
    expect(fauxModel()).toEqual({
      id: "faux-1",
      name: "Faux 1",
      api: "faux",
      provider: "faux",
      baseUrl: "",
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 },
      contextWindow: 200_000,
      maxTokens: 32_000,
    })
  })

  test("takes overrides, each field whole, and ignores undefined ones", () => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

    expect(fauxModel({ id: "b", cost, name: undefined })).toEqual({ ...fauxModel(), id: "b", cost })
  })

  test("makes a new model each time", () => {
    expect(fauxModel()).not.toBe(fauxModel())
  })
})
