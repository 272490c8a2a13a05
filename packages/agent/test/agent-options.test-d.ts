import type { AgentLoopConfig, AgentState, Model, QueueMode, StreamFn } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import type { Agent, AgentOptions } from "../src/index.ts"

declare const agent: Agent

test("whatever the loop's config takes is an option, except what the agent keeps itself", () => {
  type Kept = "model" | "reasoning" | "signal" | "getSteeringMessages" | "getFollowUpMessages"
  type Own = "initialState" | "steeringMode" | "followUpMode" | "onObserverError"

  expectTypeOf<keyof AgentOptions>().toEqualTypeOf<Exclude<keyof AgentLoopConfig, Kept> | Own>()
})

test("options are writable fields of the agent, and may be undefined", () => {
  agent.temperature = 0.5
  agent.temperature = undefined
  agent.beforeToolCall = undefined
  agent.steeringMode = "all"
  expectTypeOf(agent).toExtend<AgentOptions>()
  expectTypeOf(agent.streamFn).toEqualTypeOf<StreamFn>()
  expectTypeOf(agent.followUpMode).toEqualTypeOf<QueueMode | undefined>()
})

test("streamFn is required", () => {
  // @ts-expect-error
  const options: AgentOptions = {}
  expectTypeOf(options).toEqualTypeOf<AgentOptions>()
})

test("hooks are typed where they are written", () => {
  const options: AgentOptions = {
    streamFn: agent.streamFn,
    beforeToolCall: ({ toolCall }, signal) => {
      expectTypeOf(toolCall.name).toEqualTypeOf<string>()
      expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>()
      return { block: true }
    },
  }
  expectTypeOf(options).toEqualTypeOf<AgentOptions>()
})

test("runtime fields of the state are read-only", () => {
  expectTypeOf(agent.state).toEqualTypeOf<AgentState>()
  expectTypeOf(agent.state.model).toEqualTypeOf<Model | undefined>()
  // @ts-expect-error
  agent.state.isStreaming = true
})

test("prompt takes text with images, a message or messages", () => {
  const message = { role: "user", content: "Hi", timestamp: 0 } as const
  expectTypeOf(agent.prompt).toBeCallableWith("Hi", [{ type: "image", data: "", mimeType: "image/png" }])
  expectTypeOf(agent.prompt).toBeCallableWith(message)
  expectTypeOf(agent.prompt).toBeCallableWith([message] as const)
})
