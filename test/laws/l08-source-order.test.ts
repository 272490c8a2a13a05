import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { calmPlan, play } from "./random-run.ts"

describe("law 8", () => {
  test("results stand in source order, whatever finishes first", async () => {
    await fc.assert(
      fc.asyncProperty(calmPlan, async (plan) => {
        const { events } = await play(plan)

        const asked: string[] = []
        const answered: string[] = []
        const ended: string[] = []
        for (const event of events) {
          if (event.type === "message_end" && event.message.role === "assistant") {
            for (const block of event.message.content) if (block.type === "toolCall") asked.push(block.id)
          }
          if (event.type === "message_end" && event.message.role === "toolResult") {
            answered.push(event.message.toolCallId)
          }
          if (event.type === "tool_execution_end") ended.push(event.toolCallId)
          if (event.type === "turn_end") {
            expect(event.toolResults.map(({ toolCallId }) => toolCallId)).toEqual(
              asked.slice(asked.length - event.toolResults.length),
            )
          }
        }
        expect(answered).toEqual(asked)
        if (plan.toolEndOrder === "source") expect(ended).toEqual(asked)
        else expect([...ended].sort()).toEqual([...asked].sort())
      }),
      { numRuns: 200 },
    )
  })
})
