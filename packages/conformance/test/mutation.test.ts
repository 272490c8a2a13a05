import { describe, expect, test } from "vitest"
import { conformanceCases, playScenario, runCase, runCases } from "../src/index.ts"
import { brokenStreamFns } from "./broken.ts"
import { IN_PROCESS, inProcess } from "./in-process.ts"

describe("the kit", () => {
  test.each(brokenStreamFns)("catches a StreamFn that $that", async ({ break: breakIt, fails, says }) => {
    const found = conformanceCases.find(({ name }) => name === fails)
    if (!found) throw new Error(`There is no case "${fails}"`)

    const whole = await runCase(found, inProcess(), { deadlineMs: 300 })
    const broken = await runCase(found, inProcess(breakIt), { deadlineMs: 300 })

    expect(whole).toMatchObject({ outcome: "passed", violations: [] })
    expect(broken.outcome).toBe("failed")
    expect(broken.violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(says))
  })

  test("has words of its own for each way to be broken", () => {
    expect(new Set(brokenStreamFns.map(({ that }) => that)).size).toBe(brokenStreamFns.length)
    expect(brokenStreamFns.length).toBeGreaterThanOrEqual(12)
  })

  test("outlives a StreamFn that hangs in every case", async () => {
    const report = await runCases(
      { connect: () => () => new Promise<never>(() => {}), capabilities: IN_PROCESS },
      { deadlineMs: 20 },
    )

    expect(report.passed).toBe(0)
    expect(report.failed).toBeGreaterThan(30)
  })

  test("says when a case could not be set up", async () => {
    const report = await runCases(
      {
        connect: () => {
          throw new Error("no port")
        },
      },
      { cases: conformanceCases.slice(0, 1) },
    )

    expect(report.cases[0]?.violations).toEqual([
      { rule: "harness", message: "harness: connect() failed: no port" },
    ])
  })

  test("closes the connection of every case, also of one that failed", async () => {
    let open = 0
    await runCases(
      {
        connect: (scenario) => {
          open++
          return { streamFn: playScenario(scenario), close: () => void open-- }
        },
      },
      { cases: conformanceCases.slice(0, 3) },
    )

    expect(open).toBe(0)
  })
})
