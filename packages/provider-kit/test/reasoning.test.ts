import type { Model } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { type ReasoningLevel, resolveReasoning, thinkingBudget } from "../src/index.ts"
import { model } from "./transcript.ts"

function withMap(thinkingLevelMap: NonNullable<Model["thinkingLevelMap"]>): Model {
  return { ...model, thinkingLevelMap }
}

describe("resolveReasoning", () => {
  test.each([
    { asked: "minimal", level: "minimal" },
    { asked: "low", level: "low" },
    { asked: "medium", level: "medium" },
    { asked: "high", level: "high" },
    { asked: "xhigh", level: "high" },
    { asked: "max", level: "high" },
  ] as const)("takes $asked of an ordinary model as $level", ({ asked, level }) => {
    expect(resolveReasoning(model, asked)).toEqual({ level })
  })

  test.each([
    { asked: "minimal", supported: ["low", "high"], level: "low" },
    { asked: "medium", supported: ["low", "high"], level: "high" },
    { asked: "xhigh", supported: ["low", "max"], level: "max" },
    { asked: "max", supported: ["low", "medium"], level: "medium" },
  ] as const)("takes $asked as $level where only $supported exist", ({ asked, supported, level }) => {
    expect(resolveReasoning(model, asked, supported)).toEqual({ level })
  })

  test("lets the model's map add, remove and rename levels", () => {
    const mapped = withMap({ minimal: null, low: "LOW", xhigh: "ultra" })

    expect(resolveReasoning(mapped, "minimal")).toEqual({ level: "low", value: "LOW" })
    expect(resolveReasoning(mapped, "medium")).toEqual({ level: "medium" })
    expect(resolveReasoning(mapped, "xhigh")).toEqual({ level: "xhigh", value: "ultra" })
    expect(resolveReasoning(mapped, "max")).toEqual({ level: "xhigh", value: "ultra" })
  })

  test("asks for off when nothing is asked for, in the model's word", () => {
    expect(resolveReasoning(model, undefined)).toEqual({ level: "off" })
    expect(resolveReasoning(withMap({ off: "none" }), undefined)).toEqual({ level: "off", value: "none" })
  })

  test("says nothing where the model cannot think, cannot stop, or has no level at all", () => {
    expect(resolveReasoning({ ...model, reasoning: false }, "high")).toBeUndefined()
    expect(resolveReasoning(withMap({ off: null }), undefined)).toBeUndefined()
    expect(resolveReasoning(model, "high", [])).toBeUndefined()
  })
})

describe("thinkingBudget", () => {
  const budget = (level: ReasoningLevel, maxTokens: number, more: { value?: string; high?: number } = {}) => {
    const { value, high } = more
    return thinkingBudget(
      { level, ...(value !== undefined && { value }) },
      maxTokens,
      high === undefined ? undefined : { high },
    )
  }

  test.each([
    { level: "minimal", tokens: 1024 },
    { level: "low", tokens: 2048 },
    { level: "medium", tokens: 8192 },
    { level: "high", tokens: 16_384 },
  ] as const)("of $level is $tokens tokens", ({ level, tokens }) => {
    expect(budget(level, 100_000)).toBe(tokens)
  })

  test("leaves 1024 tokens for the answer", () => {
    expect(budget("high", 10_000)).toBe(8976)
    expect(budget("minimal", 2048)).toBe(1024)
  })

  test("is none where there is no room to think", () => {
    expect(budget("minimal", 2047)).toBeUndefined()
    expect(budget("high", 0)).toBeUndefined()
  })

  test("is the caller's, and the model's above all", () => {
    expect(budget("high", 100_000, { high: 5000 })).toBe(5000)
    expect(budget("high", 100_000, { high: 5000, value: "7000" })).toBe(7000)
    expect(budget("high", 100_000, { high: 10 })).toBe(1024)
    expect(budget("high", 100_000, { value: "HIGH" })).toBe(16_384)
  })
})
