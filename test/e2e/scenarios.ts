/**
 * The five conversations that every provider must be able to have.
 *
 * A scenario is what the local server answers, and what the agent is asked and must then have done. What is
 * checked holds for a real model, too: these say the words of the script in their own way.
 */
import type { Agent } from "@heddle/agent"
import {
  callTool,
  callTools,
  type Reply,
  type Step,
  say,
  stall,
  stop,
  think,
  usage,
} from "@heddle/conformance"
import { defineTool, errorResult, textResult } from "@heddle/tools"
import type { AgentEvent, AgentTool, AssistantMessage, ThinkingLevel } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { expect, vi } from "vitest"
import { SIGNATURE, THOUGHT } from "./providers.ts"

export interface Scenario {
  /** Reads after the name of a provider. */
  readonly name: string
  readonly replies: readonly [Reply, ...Reply[]]
  readonly tools?: readonly AgentTool[]
  /** @param level How hard the model may be asked to think. */
  play(agent: Agent, level: ThinkingLevel): Promise<void>
}

/** What the local servers report for every answer. */
export const USAGE = { input: 10, output: 5, cacheRead: 2 } as const

export const calculate: AgentTool = defineTool({
  name: "calculate",
  label: "Calculate",
  description: "Adds or multiplies two numbers, exactly.",
  parameters: Type.Object({
    operation: Type.Union([Type.Literal("add"), Type.Literal("multiply")]),
    a: Type.Number(),
    b: Type.Number(),
  }),
  execute: async (_id, { operation, a, b }) => {
    const result = operation === "add" ? a + b : a * b
    return Number.isFinite(result) ? textResult(String(result)) : errorResult("The result is too large.")
  },
})

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "answers a prompt",
    replies: [answer(say("Paris is the capital of France."))],
    async play(agent) {
      await agent.prompt("What is the capital of France? Answer with its name.")

      expect(agent.state.isStreaming).toBe(false)
      expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"])
      expect(lastAnswer(agent).stopReason).toBe("stop")
      expect(textOf(agent)).toContain("Paris")
    },
  },
  {
    name: "calls a tool and tells what it gave",
    tools: [calculate],
    replies: [answer(callTool(multiply("call_1", 123, 456))), answer(say("It is 56088."))],
    async play(agent) {
      const pending: number[] = []
      agent.observe(({ type }) => {
        if (type === "tool_execution_start") pending.push(agent.state.pendingToolCalls.size)
      })

      await agent.prompt("Multiply 123 by 456 with the calculate tool, and tell me the product.")

      expect(pending[0]).toBeGreaterThan(0)
      expect(agent.state.pendingToolCalls.size).toBe(0)
      expect(resultsOf(agent)).toContain("56088")
      expect(textOf(agent)).toMatch(/56\D?088/)
    },
  },
  {
    name: "stops in the middle of an answer, and goes on afterwards",
    replies: [
      { type: "stream", steps: [usage(USAGE), say("one two three", { open: true }), stall()] },
      answer(say("Hello.")),
    ],
    async play(agent) {
      const stopAbortingAt = agent.subscribe(({ type }) => {
        if (type === "message_update") agent.abort("That is enough.")
      })

      await agent.prompt("Write the numbers from one to three hundred in words.")
      stopAbortingAt()

      expect(agent.state.isStreaming).toBe(false)
      expect(agent.state.errorMessage).toBeTruthy()
      expect(lastAnswer(agent)).toMatchObject({ stopReason: "aborted", failure: { code: "aborted" } })
      expect(agent.state.messages).toHaveLength(2)

      await agent.prompt("Never mind. Just say hello.")

      expect(agent.state.errorMessage).toBeUndefined()
      expect(lastAnswer(agent).stopReason).toBe("stop")
      expect(textOf(agent).toLowerCase()).toContain("hello")
    },
  },
  {
    name: "shows what it does while it does it",
    replies: [answer(say("1, 2, 3, 4, 5", { pieces: 5 }))],
    async play(agent) {
      const types: AgentEvent["type"][] = []
      const shown: string[] = []
      agent.subscribe((event) => {
        types.push(event.type)
        expect(agent.state.isStreaming).toBe(true)
        if (event.type === "message_update") shown.push(JSON.stringify(agent.state.streamingMessage?.content))
      })

      await agent.prompt("Count from 1 to 5, with commas in between.")

      expect(types.slice(0, 2)).toEqual(["agent_start", "turn_start"])
      expect(types.slice(-2)).toEqual(["turn_end", "agent_end"])
      expect(types.filter((type) => type === "message_start")).toHaveLength(2)
      expect(types.filter((type) => type === "message_end")).toHaveLength(2)
      expect(shown.length).toBeGreaterThan(1)
      expect(shown.at(-1)).toContain("5")
      expect(agent.state.isStreaming).toBe(false)
      expect(agent.state.streamingMessage).toBeUndefined()
    },
  },
  {
    name: "goes on over several turns, with tools and thinking",
    tools: [calculate],
    replies: [
      answer(
        think(THOUGHT, { pieces: 2, signature: SIGNATURE }),
        callTools([multiply("call_1", 17, 23), multiply("call_2", 19, 21)]),
      ),
      answer(say("391 and 399.")),
      answer(
        think(THOUGHT, { signature: SIGNATURE }),
        callTool({ id: "call_3", name: "calculate", arguments: { operation: "add", a: 391, b: 399 } }),
      ),
      answer(say("Together 790.")),
    ],
    async play(agent, level) {
      agent.state.thinkingLevel = level
      const updates = vi.fn()
      agent.observe(updates)

      await agent.prompt(
        "With the calculate tool, multiply 17 by 23 and 19 by 21, both at once. Tell me the two products.",
      )

      expect(resultsOf(agent)).toEqual(expect.arrayContaining(["391", "399"]))
      expect(textOf(agent)).toMatch(/391.*399/s)

      await agent.prompt("Now add the two products with the tool, and tell me the sum.")

      expect(resultsOf(agent)).toContain("790")
      expect(textOf(agent)).toContain("790")
      expect(lastAnswer(agent).stopReason).toBe("stop")
      expect(updates).toHaveBeenCalled()
    },
  },
]

function answer(...steps: readonly Step[]): Reply {
  const isCall = steps.some(({ type }) => type === "callTools")
  return { type: "stream", steps: [...steps, stop(isCall ? "toolUse" : "stop"), usage(USAGE)] }
}

function multiply(id: string, a: number, b: number) {
  return { id, name: "calculate", arguments: { operation: "multiply", a, b } }
}

function answersOf(agent: Agent): AssistantMessage[] {
  return agent.state.messages.filter((message) => message.role === "assistant")
}

function lastAnswer(agent: Agent): AssistantMessage {
  const last = answersOf(agent).at(-1)
  if (!last) throw new Error("The model has not answered.")
  return last
}

/** What the last answer says. */
function textOf(agent: Agent): string {
  const { content, errorMessage } = lastAnswer(agent)
  return errorMessage ?? content.flatMap((block) => (block.type === "text" ? block.text : [])).join("")
}

/** What the tools gave, failures left out. */
function resultsOf(agent: Agent): string[] {
  return agent.state.messages.flatMap((message) =>
    message.role === "toolResult" && !message.isError
      ? message.content.flatMap((block) => (block.type === "text" ? block.text : []))
      : [],
  )
}
