import { AssistantMessageBuilder } from "@heddle/stream"
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  AssistantMessage,
  Context,
  Model,
  SimpleStreamOptions,
  StreamFn,
  ToolResultMessage,
  UserMessage,
} from "@heddle/types"
import { runAgentLoop } from "../src/index.ts"

export const MODEL: Model = {
  id: "t-1",
  name: "Test",
  api: "test",
  provider: "tester",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
}

export function user(text: string): UserMessage {
  return { role: "user", content: text, timestamp: 0 }
}

/** What the model does with one request. */
export type Reply = (builder: AssistantMessageBuilder, options: SimpleStreamOptions) => unknown

export function say(text: string): Reply {
  return (builder) => {
    builder.text(0, text)
    builder.done("stop")
  }
}

/** Each call is `id:tool`, with arguments `{}`, or an object. */
export function call(...calls: (string | { id: string; name: string; args: object })[]): Reply {
  return (builder) => {
    for (const given of calls) {
      const [id = "", name = ""] = typeof given === "string" ? given.split(":") : [given.id, given.name]
      builder.toolCall(id, { id, name })
      if (typeof given === "object") builder.toolArguments(id, given.args)
      builder.close(id)
    }
    builder.done("toolUse")
  }
}

/** Streams half an answer and then nothing, until it is aborted. */
export const stall: Reply = (builder, { signal }) => {
  builder.text(0, "half")
  signal?.addEventListener("abort", () => builder.abort(signal.reason))
}

/** The same, but deaf. */
export const deaf: Reply = (builder) => {
  builder.usage({ input: 7 })
  builder.text(0, "half")
}

/** A StreamFn that plays one reply a request, and keeps what it was asked. */
export function scripted(...replies: Reply[]) {
  const requests: { model: Model; context: Context; options: SimpleStreamOptions }[] = []
  const streamFn: StreamFn = (model, context, options = {}) => {
    const reply = replies[requests.length]
    requests.push({ model, context: { ...context, messages: [...context.messages] }, options })
    const builder = new AssistantMessageBuilder(model, { now: () => 0 })
    queueMicrotask(() => {
      if (reply) reply(builder, options)
      else builder.fail({ code: "unknown", retryable: false }, "The script is exhausted")
    })
    return builder.stream
  }
  return { streamFn, requests }
}

export function tool(
  name: string,
  execute: AgentTool["execute"] = () => ({ content: [{ type: "text", text: `${name} ran` }], details: {} }),
  rest: Partial<AgentTool> = {},
): AgentTool {
  return { name, label: name, description: name, parameters: { type: "object" }, execute, ...rest }
}

export function context(overrides: Partial<AgentContext> = {}): AgentContext {
  return deepFreeze({ systemPrompt: "be brief", messages: [], ...overrides })
}

/** A run with a barrier, from the prompt "go": its events, and what it settled with. */
export async function run(
  replies: Reply[] | StreamFn,
  config: Partial<AgentLoopConfig> = {},
  more: {
    tools?: AgentTool[]
    messages?: AgentMessage[]
    signal?: AbortSignal
    emit?: (event: AgentEvent) => void | Promise<void>
  } = {},
) {
  const { streamFn, requests } =
    typeof replies === "function" ? { streamFn: replies, requests: [] } : scripted(...replies)
  const events: AgentEvent[] = []
  const outcome = await runAgentLoop(
    deepFreeze([user("go")]),
    context({ messages: more.messages ?? [], ...(more.tools && { tools: more.tools }) }),
    { model: deepFreeze({ ...MODEL }), now: () => 0, ...config },
    (event) => {
      events.push(event)
      return more.emit?.(event)
    },
    more.signal,
    streamFn,
  ).then(
    (messages) => ({ messages, error: undefined }),
    (error: unknown) => ({ messages: undefined, error }),
  )
  return { events, labels: events.map(label), requests, ...outcome }
}

/** One event in a few words. */
export function label(event: AgentEvent): string {
  switch (event.type) {
    case "message_start":
    case "message_end":
      return `${event.type} ${describe(event.message)}`
    case "message_update":
      return event.assistantMessageEvent.type
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return `${event.type} ${event.toolCallId}`
    case "turn_end":
      return `turn_end ${event.message.stopReason} [${event.toolResults.map((result) => result.toolCallId)}]`
    case "agent_end":
      return `agent_end ${event.reason}`
    default:
      return event.type
  }
}

function describe(message: AgentMessage): string {
  if (message.role === "user") return `user(${message.content})`
  if (message.role === "toolResult") return `result(${message.toolCallId})`
  return (message as { role: string }).role
}

export function lastAssistant(messages: readonly AgentMessage[] | undefined): AssistantMessage {
  const last = messages?.findLast((message) => message.role === "assistant")
  if (!last) throw new Error("There is no assistant message")
  return last
}

export function resultsOf(messages: readonly AgentMessage[] | undefined): ToolResultMessage[] {
  return (messages ?? []).filter((message) => message.role === "toolResult")
}

export function textOf(message: ToolResultMessage | undefined): string {
  const [block] = message?.content ?? []
  return block?.type === "text" ? block.text : ""
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
