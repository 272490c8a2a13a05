import { describe, expect, test } from "vitest"
import { toUsageReport } from "../src/usage.ts"

describe("usage", () => {
  test.each([
    { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 }, report: { input: 5, output: 2 } },
    {
      usage: { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 100, cacheWriteInputTokens: 50 },
      report: { input: 5, output: 2, cacheRead: 100, cacheWrite: 50 },
    },
    {
      usage: {
        cacheWriteInputTokens: 50,
        cacheDetails: [
          { ttl: "1h", inputTokens: 30 },
          { ttl: "5m", inputTokens: 20 },
        ],
      },
      report: { cacheWrite: 50, cacheWriteLong: 30 },
    },
    {
      usage: { cacheWriteInputTokens: 10, cacheDetails: [{ ttl: "1h", inputTokens: 30 }] },
      report: { cacheWrite: 10, cacheWriteLong: 10 },
    },
    { usage: { inputTokens: 0, outputTokens: 0, cacheDetails: [] }, report: { input: 0, output: 0 } },
    { usage: { inputTokens: null, outputTokens: "2", cacheDetails: 7 }, report: {} },
    { usage: {}, report: {} },
  ])("$usage becomes $report", ({ usage, report }) => {
    expect(toUsageReport(usage)).toEqual(report)
  })
})
