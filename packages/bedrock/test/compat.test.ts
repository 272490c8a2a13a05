import { describe, expect, test } from "vitest"
import { type BedrockConverseCompat, resolveCompat } from "../src/compat.ts"
import { DEFAULTS } from "../src/families.ts"
import { modelOf } from "./replay.ts"

const ALL_POINTS = ["tools", "system", "messages"]

function known(id: string, compat?: BedrockConverseCompat) {
  return resolveCompat(modelOf({ id, ...(compat && { compat }) }))
}

describe("what is known about a model", () => {
  test.each([
    { id: "anthropic.claude-3-5-haiku-20241022-v1:0", format: "budget", points: ALL_POINTS, long: false },
    { id: "us.anthropic.claude-3-7-sonnet-20250219-v1:0", format: "budget", points: ALL_POINTS, long: false },
    { id: "us.anthropic.claude-sonnet-4-20250514-v1:0", format: "budget", points: ALL_POINTS, long: false },
    { id: "us.anthropic.claude-opus-4-1-20250805-v1:0", format: "budget", points: ALL_POINTS, long: false },
    { id: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", format: "budget", points: ALL_POINTS, long: true },
    {
      id: "global.anthropic.claude-haiku-4-5-20251001-v1:0",
      format: "budget",
      points: ALL_POINTS,
      long: true,
    },
    {
      id: "global.anthropic.claude-opus-4-5-20251101-v1:0",
      format: "budget",
      points: ALL_POINTS,
      long: true,
    },
    { id: "us.anthropic.claude-opus-4-6-v1", format: "adaptive", points: ALL_POINTS, long: true },
    { id: "anthropic.claude-sonnet-4-6", format: "adaptive", points: ALL_POINTS, long: true },
    { id: "anthropic.claude-opus-4-7", format: "adaptive", points: ALL_POINTS, long: true },
    { id: "us.anthropic.claude-opus-5", format: "adaptive", points: ALL_POINTS, long: true },
    { id: "anthropic.claude-mythos-preview", format: "adaptive", points: ALL_POINTS, long: true },
    { id: "anthropic.claude-3-haiku-20240307-v1:0", format: "budget", points: [], long: false },
    { id: "anthropic.claude-3-5-sonnet-20240620-v1:0", format: "budget", points: [], long: false },
    { id: "anthropic.claude-v2:1", format: "none", points: [], long: false },
    { id: "us.amazon.nova-pro-v1:0", format: "none", points: ["system", "messages"], long: false },
    { id: "us.amazon.nova-2-lite-v1:0", format: "nova", points: ["system", "messages"], long: false },
    { id: "openai.gpt-oss-120b-1:0", format: "reasoning_effort", points: [], long: false },
    { id: "openai.gpt-5.4", format: "openai", points: [], long: false },
    { id: "deepseek.r1-v1:0", format: "none", points: [], long: false },
    { id: "deepseek.v3-v1:0", format: "reasoning_effort", points: [], long: false },
    { id: "meta.llama4-scout-17b-instruct-v1:0", format: "none", points: [], long: false },
  ])("named $id: $format, cache points $points", ({ id, format, points, long }) => {
    expect(known(id)).toMatchObject({
      thinkingFormat: format,
      cachePoints: points,
      supportsLongCacheRetention: long,
    })
  })

  test.each([
    { id: "anthropic.claude-sonnet-4-5-20250929-v1:0", choices: ["auto", "any", "tool"] },
    { id: "amazon.nova-micro-v1:0", choices: ["auto", "any", "tool"] },
    { id: "mistral.mistral-large-2407-v1:0", choices: ["auto", "any"] },
    { id: "us.meta.llama3-3-70b-instruct-v1:0", choices: ["auto"] },
    { id: "meta.llama3-8b-instruct-v1:0", choices: [] },
    { id: "cohere.command-r-v1:0", choices: [] },
  ])("named $id: it takes the tool choices $choices", ({ id, choices }) => {
    expect(known(id).toolChoices).toEqual(choices)
  })

  test.each([
    { id: "anthropic.claude-opus-4-6-v1", temperature: true, display: null, off: null },
    { id: "anthropic.claude-opus-4-8", temperature: false, display: "summarized", off: null },
    { id: "anthropic.claude-sonnet-5", temperature: false, display: "summarized", off: "disabled" },
    { id: "anthropic.claude-sonnet-5-5", temperature: false, display: "summarized", off: "between_tools" },
    { id: "anthropic.claude-fable-5", temperature: false, display: "summarized", off: null },
    { id: "openai.gpt-5.4", temperature: true, display: null, off: "none" },
  ])(
    "named $id: temperature $temperature, $display thinking, off is $off",
    ({ id, temperature, display, off }) => {
      expect(known(id)).toMatchObject({
        supportsTemperature: temperature,
        thinkingDisplay: display,
        thinkingOff: off,
      })
    },
  )

  test("is nothing for a model that nobody knows", () => {
    expect(known("twelvelabs.pegasus-1-2-v1:0")).toEqual(DEFAULTS)
  })

  test("is overridden by the configuration, and that by the model", () => {
    const configured = { thinkingOff: "c", thinkingDisplay: "omitted", cachePoints: [] } as const
    const compat = { thinkingOff: "m", thinkingDisplay: undefined }

    expect(resolveCompat(modelOf({ id: "anthropic.claude-opus-5", compat }), configured)).toMatchObject({
      thinkingOff: "m",
      thinkingDisplay: "omitted",
      cachePoints: [],
      thinkingFormat: "adaptive",
    })
  })

  test("is found in the ARN of a model or a profile", () => {
    const arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-2-lite-v1:0"

    expect(known(arn).thinkingFormat).toBe("nova")
  })

  test("is told by the base model where an ARN says nothing, and overridden field by field", () => {
    const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123"

    expect(known(arn)).toEqual(DEFAULTS)
    const compat = {
      baseModel: "anthropic.claude-opus-4-7",
      cachePoints: ["system"],
      toolChoices: undefined,
    } as const
    expect(known(arn, compat)).toMatchObject({
      thinkingFormat: "adaptive",
      cachePoints: ["system"],
      toolChoices: ["auto", "any", "tool"],
    })
  })
})
