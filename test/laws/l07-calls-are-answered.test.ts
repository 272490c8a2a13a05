import type { AgentMessage } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anyPlan, play } from "./random-run.ts"

/** Every call of a completed turn has exactly one result, directly behind its message and in source order. */
function expectAnswered(messages: readonly AgentMessage[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue
    const completed = ["stop", "length", "toolUse"].includes(message.stopReason)
    const calls = completed ? message.content.filter((block) => block.type === "toolCall") : []
    const answers = messages.slice(index + 1, index + 1 + calls.length)
    expect(answers.map((answer) => answer.role === "toolResult" && answer.toolCallId)).toEqual(
      calls.map(({ id }) => id),
    )
    const next = messages[index + 1 + calls.length]
    expect(next?.role).not.toBe("toolResult")
  }
}

describe("law 7", () => {
  test("every tool call of a completed turn has exactly one result before the next request", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const { requests, events } = await play(plan)

        for (const { messages } of requests) expectAnswered(messages)
        const end = events.at(-1)
        if (end?.type === "agent_end") expectAnswered(end.messages)
      }),
      { numRuns: 400 },
    )
  })
})
