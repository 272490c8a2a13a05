import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anyPlan, GRACE_MS, play } from "./random-run.ts"

describe("law 13", () => {
  test("after the signal no request, tool or hook starts, and the run settles within the grace", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const { started, settledAfterAbortMs, events } = await play(plan)

        expect(started.filter(({ afterAbort }) => afterAbort)).toEqual([])
        // What is left to tell takes its listener the time that it takes.
        expect(settledAfterAbortMs).toBeLessThanOrEqual(GRACE_MS + plan.emitMs * events.length)
      }),
      { numRuns: 400 },
    )
  })
})
