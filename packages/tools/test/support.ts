import type {
  AgentContext,
  AgentTool,
  AgentToolCall,
  AgentToolResult,
  AssistantMessage,
  StopReason,
} from "@heddle/types"
import { runToolCalls, type ToolCallEvent } from "../src/index.ts"

export const CONTEXT: AgentContext = { systemPrompt: "", messages: [] }

/** A call, with its id, the name of its tool and its arguments. */
export function call(id: string, name: string, args: unknown = {}): AgentToolCall {
  return { type: "toolCall", id, name, arguments: args as AgentToolCall["arguments"] }
}

export function assistant(
  content: AssistantMessage["content"],
  stopReason: StopReason = "toolUse",
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "test",
    provider: "tester",
    model: "t-1",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason,
    timestamp: 0,
  }
}

/** A tool that takes anything. */
export function tool(
  name: string,
  execute: (...given: Parameters<AgentTool["execute"]>) => unknown = () => text(name),
  more: Partial<AgentTool> = {},
): AgentTool {
  return {
    name,
    label: name,
    description: "",
    parameters: { type: "object" },
    execute: execute as AgentTool["execute"],
    ...more,
  }
}

export function text(value: string): AgentToolResult<undefined> {
  return { content: [{ type: "text", text: value }], details: undefined }
}

/** The text of a result or of a result message. */
export function said({ content }: Pick<AgentToolResult, "content">): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("")
}

/** Work that is settled by hand. */
export function byHand<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await undefined
}

/**
 * Events in short: `T1` the start of call 1, `U1` an update, `E1` its end, `R1` and `/R1` start and end of its
 * result message.
 */
export function sequence(events: readonly ToolCallEvent[]): string {
  return events.map(shorten).join(" ")
}

function shorten(event: ToolCallEvent): string {
  switch (event.type) {
    case "tool_execution_start":
      return `T${event.toolCallId}`
    case "tool_execution_update":
      return `U${event.toolCallId}`
    case "tool_execution_end":
      return `E${event.toolCallId}`
    default: {
      const id = event.message.role === "toolResult" ? event.message.toolCallId : "?"
      return event.type === "message_start" ? `R${id}` : `/R${id}`
    }
  }
}

type Options = Omit<Parameters<typeof runToolCalls>[1], "context">

/** Starts a batch, and collects what it emits. */
export function start(message: AssistantMessage, options: Options) {
  const events: ToolCallEvent[] = []
  const running = runToolCalls(message, {
    context: CONTEXT,
    emit: (event) => {
      events.push(event)
    },
    ...options,
  })
  return { events, running, sequence: () => sequence(events) }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
