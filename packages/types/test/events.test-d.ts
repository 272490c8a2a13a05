import { describe, expectTypeOf, test } from "vitest"
import type {
  AgentEvent,
  AssistantMessage,
  AssistantMessageEvent,
  ProxyAssistantMessageEvent,
  TerminalAssistantMessageEvent,
  ToolCall,
} from "../src/index.ts"

describe("AssistantMessageEvent", () => {
  test("has only done and error as terminal events", () => {
    expectTypeOf<TerminalAssistantMessageEvent["type"]>().toEqualTypeOf<"done" | "error">()
  })

  test("has a member for every type, so that Extract finds it", () => {
    expectTypeOf<Extract<AssistantMessageEvent, { type: "text_delta" }>["delta"]>().toEqualTypeOf<string>()
    expectTypeOf<Extract<AssistantMessageEvent, { type: "opaque_start" }>>().not.toBeNever()
    expectTypeOf<Extract<ProxyAssistantMessageEvent, { type: "thinking_delta" }>>().not.toBeNever()
  })

  test("narrows on its type", () => {
    const read = (event: AssistantMessageEvent) => {
      if (event.type === "toolcall_end") expectTypeOf(event.toolCall).toEqualTypeOf<ToolCall>()
      if (event.type === "done") expectTypeOf(event.reason).toEqualTypeOf<"stop" | "length" | "toolUse">()
      // @ts-expect-error a terminal event has no snapshot: its message is whole
      if (event.type === "error") void event.partial
    }
    void read
  })
})

describe("AgentEvent", () => {
  test("narrows on its type, down to the assistant message event", () => {
    const read = (event: AgentEvent) => {
      switch (event.type) {
        case "message_update":
          expectTypeOf(event.message).toEqualTypeOf<AssistantMessage>()
          expectTypeOf(event.assistantMessageEvent.partial).toEqualTypeOf<AssistantMessage>()
          if (event.assistantMessageEvent.type === "text_delta") {
            expectTypeOf(event.assistantMessageEvent.delta).toEqualTypeOf<string>()
          }
          return
        case "tool_execution_end":
          expectTypeOf(event.isError).toEqualTypeOf<boolean>()
          return
        case "agent_end":
          expectTypeOf(event.reason).toEqualTypeOf<
            "completed" | "terminated" | "stopped" | "error" | "aborted"
          >()
      }
    }
    void read
  })

  test("updates never carry start, done or error", () => {
    type Update = Extract<AgentEvent, { type: "message_update" }>["assistantMessageEvent"]["type"]
    expectTypeOf<Extract<Update, "start" | "done" | "error">>().toBeNever()
  })
})
