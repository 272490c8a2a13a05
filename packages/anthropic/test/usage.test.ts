import { emptyUsage } from "@heddle/stream"
import { describe, expect, test } from "vitest"
import { UsageMeter } from "../src/usage.ts"
import { freeze } from "./freeze.ts"

/** @returns the last of the reports. */
function total(...reports: readonly Record<string, unknown>[]): unknown {
  const meter = new UsageMeter(emptyUsage())
  return reports.map((report) => meter.add(freeze(report))).at(-1)
}

const START = {
  input_tokens: 100,
  output_tokens: 1,
  cache_read_input_tokens: 50,
  cache_creation_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
}

describe("UsageMeter", () => {
  test("takes the counters as they are", () => {
    expect(total(START)).toEqual({ input: 100, output: 1, cacheRead: 50, cacheWrite: 30, cacheWriteLong: 20 })
  })

  test("lets a later report replace an earlier one, also by less", () => {
    expect(total(START, { input_tokens: 2, output_tokens: 9, cache_read_input_tokens: 0 })).toMatchObject({
      input: 2,
      output: 9,
      cacheRead: 0,
      cacheWrite: 30,
    })
  })

  test("keeps what a later report leaves out or sends as null", () => {
    expect(total(START, { output_tokens: 9, input_tokens: null })).toEqual({
      input: 100,
      output: 9,
      cacheRead: 50,
      cacheWrite: 30,
      cacheWriteLong: 20,
    })
  })

  test("never says that more was kept for an hour than was kept at all", () => {
    expect(total(START, { cache_creation_input_tokens: 5 })).toMatchObject({
      cacheWrite: 5,
      cacheWriteLong: 5,
    })
  })

  test("never says that more was thought than was written", () => {
    expect(total({ output_tokens: 3, output_tokens_details: { thinking_tokens: 7 } })).toMatchObject({
      output: 3,
      reasoning: 3,
    })
  })

  test("adds the summaries of a conversation, and no other model's work", () => {
    const iterations = [
      { type: "compaction", input_tokens: 1000, output_tokens: 80, cache_read_input_tokens: 7 },
      { type: "message", input_tokens: 90, output_tokens: 10 },
      { type: "advisor_message", input_tokens: 5000, output_tokens: 500, model: "other" },
    ]

    expect(total({ input_tokens: 90, output_tokens: 10, iterations })).toMatchObject({
      input: 1090,
      output: 90,
      cacheRead: 7,
    })
    expect(total({ iterations }, { input_tokens: 90, output_tokens: 10, iterations })).toMatchObject({
      input: 1090,
    })
  })

  test("counts from what the turn had used before", () => {
    const before = { ...emptyUsage(), input: 10, output: 20, cacheRead: 30, cacheWrite: 40, reasoning: 5 }
    const meter = new UsageMeter(before)

    expect(meter.add({ input_tokens: 1, output_tokens: 1 })).toEqual({
      input: 11,
      output: 21,
      cacheRead: 30,
      cacheWrite: 40,
      reasoning: 5,
    })
    expect(meter.add({ output_tokens: 2 })).toMatchObject({ input: 11, output: 22 })
  })

  test.each([{}, { input_tokens: "many" }, { output_tokens: -1 }, { iterations: [null, 3] }])(
    "reads nothing out of %o",
    (report) => {
      expect(total(report)).toMatchObject({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })
    },
  )
})
