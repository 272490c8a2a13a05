import { describe, expect, test } from "vitest"
import { UsageMeter } from "../src/usage.ts"

describe("UsageMeter", () => {
  test.each([
    { name: "nothing", metadata: {}, report: {} },
    { name: "the kind of traffic only", metadata: { trafficType: "ON_DEMAND" }, report: {} },
    {
      name: "a prompt only",
      metadata: { promptTokenCount: 9, totalTokenCount: 9 },
      report: { input: 9, cacheRead: 0 },
    },
    {
      name: "prompt and answer",
      metadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
      report: { input: 9, cacheRead: 0, output: 4 },
    },
    {
      name: "thoughts without an answer",
      metadata: { promptTokenCount: 9, thoughtsTokenCount: 30 },
      report: { input: 9, cacheRead: 0, output: 30, reasoning: 30 },
    },
    {
      name: "cached tokens, which are prompt tokens",
      metadata: { promptTokenCount: 100, cachedContentTokenCount: 80, candidatesTokenCount: 4 },
      report: { input: 20, cacheRead: 80, output: 4 },
    },
    {
      name: "more cached tokens than prompt tokens",
      metadata: { promptTokenCount: 100, cachedContentTokenCount: 120 },
      report: { input: 0, cacheRead: 100 },
    },
    {
      name: "results of server tools, which are no prompt tokens",
      metadata: { promptTokenCount: 10, toolUsePromptTokenCount: 5, candidatesTokenCount: 1 },
      report: { input: 15, cacheRead: 0, output: 1 },
    },
    {
      name: "values that are no counts",
      metadata: { promptTokenCount: "9", candidatesTokenCount: -1, thoughtsTokenCount: null },
      report: {},
    },
  ])("counts $name", ({ metadata, report }) => {
    expect(new UsageMeter().add(metadata)).toEqual(report)
  })

  test("keeps what a later chunk does not mention, and replaces what it does", () => {
    const meter = new UsageMeter()

    meter.add({ promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 7 })
    meter.add({ trafficType: "ON_DEMAND" })

    expect(meter.add({ promptTokenCount: 12, candidatesTokenCount: 0 })).toEqual({
      input: 12,
      cacheRead: 0,
      output: 7,
      reasoning: 7,
    })
  })

  test("adds up the requests of one answer", () => {
    const meter = new UsageMeter()

    meter.add({ promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 1 })
    meter.nextRequest()
    meter.add({ promptTokenCount: 5 })
    meter.nextRequest()

    expect(meter.add({ promptTokenCount: 8, cachedContentTokenCount: 8, candidatesTokenCount: 2 })).toEqual({
      input: 15,
      cacheRead: 8,
      output: 6,
      reasoning: 1,
    })
  })
})
