import { describe, expect, test } from "vitest"
import { resolveCompat } from "../src/compat.ts"
import { modelOf } from "./replay.ts"

describe("resolveCompat", () => {
  test.each([
    { id: "claude-3-7-sonnet-20250219", format: "budget", off: "omit", temperature: true },
    { id: "claude-sonnet-4-20250514", format: "budget", off: "omit", temperature: true },
    { id: "claude-opus-4-1", format: "budget", off: "omit", temperature: true },
    { id: "claude-haiku-4-5-20251001", format: "budget", off: "omit", temperature: true },
    { id: "claude-opus-4-6", format: "adaptive", off: "omit", temperature: true },
    { id: "claude-sonnet-4-6@20260217", format: "adaptive", off: "omit", temperature: true },
    { id: "anthropic/claude-sonnet-4.6", format: "adaptive", off: "omit", temperature: true },
    { id: "claude-opus-4-7", format: "adaptive", off: "omit", temperature: false },
    { id: "claude-opus-4-8", format: "adaptive", off: "omit", temperature: false },
    { id: "us.anthropic.claude-opus-5-v1:0", format: "adaptive", off: "disabled", temperature: false },
    { id: "claude-opus-5-20260601", format: "adaptive", off: "disabled", temperature: false },
    { id: "claude-sonnet-5", format: "adaptive", off: "disabled", temperature: false },
    { id: "claude-haiku-5-5", format: "adaptive", off: "disabled", temperature: false },
    { id: "claude-sonnet-5-5", format: "adaptive", off: "between_tools", temperature: false },
    { id: "claude-opus-5-5", format: "adaptive", off: "omit", temperature: false },
    { id: "claude-fable-5-1", format: "adaptive", off: "omit", temperature: false },
    { id: "claude-mythos-preview", format: "adaptive", off: "omit", temperature: false },
    { id: "claude-opus-6", format: "adaptive", off: "omit", temperature: false },
    { id: "claude-of-the-future", format: "budget", off: "omit", temperature: true },
    { id: "some-other-model", format: "budget", off: "omit", temperature: true },
  ])("knows that $id thinks by $format", ({ id, format, off, temperature }) => {
    expect(resolveCompat(modelOf({ id }))).toMatchObject({
      thinkingFormat: format,
      thinkingOff: off,
      supportsTemperature: temperature,
    })
  })

  test("knows which efforts a generation has", () => {
    expect(resolveCompat(modelOf({ id: "claude-opus-4-6" })).reasoningLevels).not.toContain("xhigh")
    expect(resolveCompat(modelOf({ id: "claude-opus-4-7" })).reasoningLevels).toContain("xhigh")
    expect(resolveCompat(modelOf({ id: "claude-opus-4-5" })).reasoningLevels).toContain("minimal")
  })

  test("finds a server by its host before its provider", () => {
    const model = modelOf({ provider: "anthropic", baseUrl: "https://api.deepseek.com/anthropic" })

    expect(resolveCompat(model)).toMatchObject({ apiKeyEnv: ["DEEPSEEK_API_KEY"], unsignedThinking: "send" })
  })

  test("finds a server by its provider behind a proxy", () => {
    const model = modelOf({ provider: "zai", baseUrl: "http://127.0.0.1:9999" })

    expect(resolveCompat(model)).toMatchObject({ apiKeyHeader: "authorization", requiresApiKey: true })
  })

  test("knows nothing of a server that nobody knows", () => {
    const model = modelOf({ provider: "toString", baseUrl: "not a url" })

    expect(resolveCompat(model)).toMatchObject({ apiKeyEnv: [], requiresApiKey: false, baseUrl: "" })
  })

  test("takes a model without an address, of a provider that nobody knows, for Anthropic's", () => {
    expect(resolveCompat(modelOf({ provider: "my-team" }))).toMatchObject({
      baseUrl: "https://api.anthropic.com",
      apiKeyEnv: ["ANTHROPIC_API_KEY"],
      requiresApiKey: true,
    })
  })

  test("does not take another maker's model for Claude because of its name", () => {
    const model = modelOf({ id: "claude-opus-4-8", provider: "deepseek" })

    expect(resolveCompat(model)).toMatchObject({ thinkingFormat: "budget", thinkingDisplay: null })
  })

  test("lets the model override field by field, and undefined nothing", () => {
    const compat = { thinkingOff: "disabled", thinkingFormat: undefined } as const

    expect(resolveCompat(modelOf({ id: "claude-opus-4-6", compat }))).toMatchObject({
      thinkingOff: "disabled",
      thinkingFormat: "adaptive",
    })
  })
})
