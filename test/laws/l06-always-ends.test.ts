import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anyPlan, play } from "./random-run.ts"

describe("law 6", () => {
  test("agent_end is emitted exactly once per run and last, and every start has its end", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const { events } = await play(plan)

        expect(events.filter((event) => event.type === "agent_end")).toHaveLength(1)
        expect(events.at(-1)?.type).toBe("agent_end")
        let turn = false
        let message = false
        const calls = new Set<string>()
        for (const event of events) {
          if (event.type === "turn_start") {
            expect(turn).toBe(false)
            turn = true
          } else if (event.type === "turn_end") {
            expect({ turn, message, calls: calls.size }).toEqual({ turn: true, message: false, calls: 0 })
            turn = false
          } else if (event.type === "message_start") {
            expect({ turn, message }).toEqual({ turn: true, message: false })
            message = true
          } else if (event.type === "message_update") {
            expect(message).toBe(true)
          } else if (event.type === "message_end") {
            expect(message).toBe(true)
            message = false
          } else if (event.type === "tool_execution_start") {
            expect(calls.has(event.toolCallId)).toBe(false)
            calls.add(event.toolCallId)
          } else if (event.type === "tool_execution_update") {
            expect(calls.has(event.toolCallId)).toBe(true)
          } else if (event.type === "tool_execution_end") {
            expect(calls.delete(event.toolCallId)).toBe(true)
          }
        }
        expect(turn).toBe(false)
      }),
      { numRuns: 400 },
    )
  })

  test("a failed listener is what the run rejects with, and nothing else makes it reject", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const { events, error } = await play(plan)
        const failed = plan.emitFault !== undefined && plan.emitFault.at < events.length

        expect(error).toEqual(failed ? new Error("listener failed") : undefined)
        if (failed && plan.emitFault?.at !== events.length - 1) {
          expect(events.at(-1)).toMatchObject({ reason: "error" })
        }
      }),
      { numRuns: 200 },
    )
  })
})
