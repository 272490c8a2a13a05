import { describe, expectTypeOf, test } from "vitest"
import type {
  AgentContext,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  AgentToolResult,
  Context,
  Message,
  Model,
} from "../src/index.ts"

declare const model: Model

describe("what people write", () => {
  test("may be undefined where it may be left out", () => {
    const config: AgentLoopConfig = {
      model,
      temperature: undefined,
      beforeToolCall: undefined,
      convertToLlm: undefined,
      getSteeringMessages: undefined,
      prepareNextTurn: undefined,
    }
    const result: AgentToolResult = {
      content: [],
      details: {},
      isError: undefined,
      addedToolNames: undefined,
      terminate: undefined,
    }
    const tool: AgentTool = {
      name: "read",
      label: "Read",
      description: "Reads",
      parameters: {},
      executionMode: undefined,
      timeoutMs: undefined,
      deferred: undefined,
      execute: () => result,
    }
    const context: AgentContext = { systemPrompt: "", messages: [], tools: undefined }
    const request: Context = { systemPrompt: undefined, messages: [], tools: undefined }
    expectTypeOf({ config, tool, context, request }).not.toBeNever()
  })

  test("may be a callback that takes a mutable array, or nothing", () => {
    const config: AgentLoopConfig = {
      model,
      transformContext: async (messages: AgentMessage[]) => messages.slice(-2),
      convertToLlm: (messages: AgentMessage[]) => messages as Message[],
      getFollowUpMessages: async () => [],
      beforeToolCall() {},
    }
    expectTypeOf(config).toExtend<AgentLoopConfig>()
  })
})
