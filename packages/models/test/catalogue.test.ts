import { describe, expect, test } from "vitest"
import {
  anthropic,
  calculateCost,
  findModel,
  getModel,
  getModels,
  getProviders,
  UnknownModelError,
} from "../src/index.ts"

/** As untyped code calls it. */
const getUnchecked = getModel as unknown as (provider: string, id: string) => unknown

function failureOf(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
}

describe("getModel", () => {
  test("gives the model of a provider by its id", () => {
    expect(getModel("anthropic", "claude-opus-5-5")).toMatchObject({
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      api: "anthropic-messages",
      provider: "anthropic",
      cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    })
  })

  test("gives the same object each time, which is the subpath's, too", () => {
    expect(getModel("anthropic", "claude-opus-5-5")).toBe(anthropic["claude-opus-5-5"])
    expect(findModel("anthropic", "claude-opus-5-5")).toBe(anthropic["claude-opus-5-5"])
  })

  test("names ids that look alike when there is no such model", () => {
    const failure = failureOf(() => getUnchecked("anthropic", "claude-opus-5.5"))

    expect(failure).toBeInstanceOf(UnknownModelError)
    expect(failure).toMatchObject({ code: "unknown_model", provider: "anthropic", id: "claude-opus-5.5" })
    expect((failure as UnknownModelError).near[0]).toBe("claude-opus-5-5")
    expect((failure as UnknownModelError).message).toMatch(
      /^The catalogue has no model "claude-opus-5\.5" of/,
    )
    expect((failure as UnknownModelError).message).toContain('Did you mean "claude-opus-5-5"')
  })

  test("names providers that look alike when there is no such provider", () => {
    const failure = failureOf(() => getUnchecked("antropic", "claude-opus-5-5"))

    expect(failure).toMatchObject({ code: "unknown_model", provider: "antropic", near: ["anthropic"] })
    expect((failure as UnknownModelError).id).toBeUndefined()
    expect((failure as UnknownModelError).message).toMatch(/^The catalogue has no provider "antropic"\./)
  })

  test("suggests nothing where nothing looks alike", () => {
    expect(failureOf(() => getUnchecked("zai", "llama-3"))).toMatchObject({ near: [] })
  })

  test.each(["constructor", "__proto__", "toString", ""])(
    "does not take %j for a provider or an id",
    (name) => {
      expect(failureOf(() => getUnchecked(name, "claude-opus-5-5"))).toBeInstanceOf(UnknownModelError)
      expect(failureOf(() => getUnchecked("anthropic", name))).toBeInstanceOf(UnknownModelError)
      expect(findModel(name, name)).toBeUndefined()
      expect(findModel("anthropic", name)).toBeUndefined()
    },
  )
})

describe("findModel", () => {
  test("gives undefined for what the catalogue does not have", () => {
    expect(findModel("anthropic", "claude-1")).toBeUndefined()
    expect(findModel("nobody", "claude-opus-5-5")).toBeUndefined()
  })
})

describe("getModels", () => {
  test("gives all models, or those of one provider", () => {
    expect(getModels().map(({ provider }) => provider)).toEqual(
      getProviders().flatMap((provider) => getModels(provider).map(() => provider)),
    )
    expect(getModels("anthropic")).toEqual(Object.values(anthropic))
  })

  test("gives an array of one's own", () => {
    getModels().length = 0
    getModels("zai").length = 0
    getProviders().length = 0

    expect(getModels()).not.toEqual([])
    expect(getModels("zai")).not.toEqual([])
    expect(getProviders()).not.toEqual([])
  })

  test("fails for a provider that the catalogue does not have", () => {
    const getOfUnknown = getModels as unknown as (provider: string) => unknown

    expect(failureOf(() => getOfUnknown("nobody"))).toMatchObject({
      code: "unknown_model",
      provider: "nobody",
    })
  })
})

describe("an entry", () => {
  test("cannot be changed, nor anything in it", () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isFrozen))

    expect(isFrozen(anthropic)).toBe(true)
    expect(getModels().every(isFrozen)).toBe(true)
  })

  test("prices a response, and long cache writes at twice the input price", () => {
    const usage = { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 }
    const model = getModel("anthropic", "claude-opus-5-5")

    expect(calculateCost(model, usage).total).toBeCloseTo(4 + 20 + 0.2 + 5, 10)
    expect(calculateCost(model, { ...usage, cacheWriteLong: 1_000_000 }).cacheWrite).toBeCloseTo(8, 10)
  })
})
