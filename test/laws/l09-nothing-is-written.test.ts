import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anyPlan, deepFreeze, play } from "./random-run.ts"

describe("law 9", () => {
  test("a run on deep-frozen prompts, context, tools and config is the same run", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const [free, frozen] = [await play(plan), await play(plan, deepFreeze)]

        expect(frozen.events.map(({ type }) => type)).toEqual(free.events.map(({ type }) => type))
        expect(frozen.messages).toEqual(free.messages)
        expect(frozen.error).toEqual(free.error)
      }),
      { numRuns: 200 },
    )
  })
})
