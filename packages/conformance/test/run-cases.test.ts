import { describe, expect, test } from "vitest"
import { assertPassed, conformanceCases, playScenario, runCases } from "../src/index.ts"
import { inProcess } from "./in-process.ts"

describe("runCases", () => {
  test("passes a StreamFn that keeps the contract", async () => {
    const report = await runCases(inProcess())

    assertPassed(report)
    expect(report.passed).toBeGreaterThan(30)
  })

  test("names the cases it skipped, and why", async () => {
    const report = await runCases({ connect: (scenario) => playScenario(scenario) })

    expect(report.failed).toBe(0)
    expect(report.passed + report.skipped).toBe(conformanceCases.length)
    expect(report.cases.filter(({ outcome }) => outcome === "skipped")).toContainEqual({
      name: "redacted thinking keeps its payload and shows no text",
      outcome: "skipped",
      skipped: "needs thinking, redactedThinking",
      violations: [],
      milliseconds: 0,
    })
  })
})
