import type { StreamFn } from "@heddle/types"
import { describe, expect, test } from "vitest"
import {
  assertPassed,
  CONFORMANCE_MODEL,
  type ConformanceCase,
  conformanceCases,
  playScenario,
  runCases,
  say,
  stop,
  streams,
} from "../src/index.ts"
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

  test("takes the StreamFn first, for harnesses whose connections bring none", async () => {
    const played: string[] = []
    const streamFn: StreamFn = (model, ...rest) => {
      played.push(model.id)
      return playScenario(streams(say("Hello, world."), stop()))(model, ...rest)
    }

    const report = await runCases(
      streamFn,
      { connect: () => ({ model: { ...CONFORMANCE_MODEL, id: "mine" } }) },
      { cases: conformanceCases.slice(0, 1) },
    )

    expect(report).toMatchObject({ passed: 1, failed: 0 })
    expect(played).toEqual(["mine"])
  })

  test("says that there is no StreamFn where neither runner nor connection has one", async () => {
    const report = await runCases({ connect: () => ({}) }, { cases: conformanceCases.slice(0, 1) })

    expect(report.cases[0]?.violations).toMatchObject([{ rule: "harness" }])
  })

  test("takes cases of the caller's own", async () => {
    const own: ConformanceCase = {
      name: "the model says yes",
      needs: [],
      scenario: streams(say("No."), stop()),
      expect: { content: [{ type: "text", text: "Yes." }] },
    }

    const report = await runCases(inProcess(), { cases: [own] })

    expect(() => assertPassed(report)).toThrow(
      /^1 of 1 conformance cases failed:\n {2}"the model says yes" breaks answer: content\[0\]: text is "No\.", expected "Yes\."$/,
    )
  })

  test("has cases with names of their own", () => {
    expect(new Set(conformanceCases.map(({ name }) => name)).size).toBe(conformanceCases.length)
  })
})
