import type { Context } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { clampMaxTokens, estimateTokens } from "../src/index.ts"
import { assistant, call, model, result, user } from "./transcript.ts"

const prompt = (characters: number): Context => ({ messages: [user("x".repeat(characters))] })

describe("clampMaxTokens", () => {
  test.each([
    { asked: 500, limit: 10_000, window: 100_000, characters: 400, tokens: 500 },
    { asked: 50_000, limit: 10_000, window: 100_000, characters: 400, tokens: 10_000 },
    { asked: undefined, limit: 10_000, window: 100_000, characters: 400, tokens: 10_000 },
    { asked: 50_000, limit: 0, window: 0, characters: 400, tokens: 50_000 },
    { asked: undefined, limit: 0, window: 0, characters: 400, tokens: undefined },
    { asked: undefined, limit: 0, window: 100_000, characters: 400_00, tokens: 90_000 },
    { asked: 1000, limit: 1000, window: 1000, characters: 400, tokens: 900 },
    { asked: 10_000, limit: 10_000, window: 100_000, characters: 396_000, tokens: 1024 },
    { asked: 10_000, limit: 10_000, window: 100_000, characters: 500_000, tokens: 10_000 },
    { asked: 0, limit: 10_000, window: 100_000, characters: 400, tokens: 10_000 },
    { asked: 12.7, limit: 10_000, window: 100_000, characters: 400, tokens: 12 },
    { asked: 0.5, limit: 10_000, window: 100_000, characters: 400, tokens: 1 },
  ])(
    "gives $tokens for $asked of $limit in a window of $window",
    ({ asked, limit, window, characters, tokens }) => {
      const sized = { ...model, maxTokens: limit, contextWindow: window }

      expect(clampMaxTokens(sized, prompt(characters), asked)).toBe(tokens)
    },
  )
})

describe("estimateTokens", () => {
  test("counts prompt, tools, messages, arguments and images", () => {
    const image = { type: "image", data: "A".repeat(9999), mimeType: "image/png" } as const
    const parts: Context[] = [
      { messages: [] },
      { messages: [], systemPrompt: "x".repeat(40) },
      {
        messages: [],
        tools: [{ name: "read", description: "x".repeat(40), parameters: { type: "object" } }],
      },
      { messages: [user([image])] },
      { messages: [assistant([{ ...call("a"), arguments: { path: "x".repeat(40) } }])] },
      { messages: [assistant([{ type: "opaque", kind: "k", data: "x".repeat(40) }])] },
      { messages: [result("a", "x".repeat(40))] },
    ]

    expect(parts.map(estimateTokens)).toEqual([0, 10, 16, 1200, 14, 11, 10])
  })

  test("counts a schema that is no JSON as nothing", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic

    expect(
      estimateTokens({ messages: [], tools: [{ name: "read", description: "", parameters: cyclic }] }),
    ).toBe(1)
  })
})
