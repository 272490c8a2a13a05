/** A scripted model and what the tests of this package say often. */
import { AssistantMessageBuilder } from "@heddle/stream"
import type {
  AgentEvent,
  AgentMessage,
  AgentState,
  AgentTool,
  AssistantMessage,
  Context,
  Model,
  SimpleStreamOptions,
  StreamFn,
  UserMessage,
} from "@heddle/types"
import { Agent, type AgentOptions, reduceAgentState } from "../src/index.ts"

export const model: Model = {
  id: "loom-1",
  name: "Loom",
  api: "faux",
  provider: "faux",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
}

export interface Request {
  readonly model: Model
  readonly context: Context
  readonly options: SimpleStreamOptions
}

/** What the model does with one request. */
export type Reply = (message: AssistantMessageBuilder, request: Request) => void | Promise<void>

/** A StreamFn that gives one reply after the other, and fails when there are none left. */
export function script(...replies: Reply[]): { streamFn: StreamFn; requests: Request[] } {
  const requests: Request[] = []
  const streamFn: StreamFn = (model, context, options = {}) => {
    const request = { model, context, options }
    requests.push(request)
    const message = new AssistantMessageBuilder(model, { now: () => 7 })
    const reply = replies.shift() ?? fail("The script is over")
    void Promise.resolve().then(() => reply(message, request))
    return message.stream
  }
  return { streamFn, requests }
}

export function say(...deltas: string[]): Reply {
  return (message) => {
    for (const delta of deltas) message.text(0, delta)
    message.done("stop")
  }
}

/** Calls tools by id and name, without arguments. */
export function call(...calls: (readonly [id: string, name: string])[]): Reply {
  return (message) => {
    for (const [id, name] of calls) {
      message.toolCall(id, { id, name })
      message.toolInput(id, "{}")
    }
    message.done("toolUse")
  }
}

export function fail(errorMessage: string): Reply {
  return (message) => message.fail({ code: "server", retryable: false }, errorMessage)
}

/** Says something and then nothing more until the signal fires. */
export function hang(onStarted: () => void = () => {}): Reply {
  return (message, { options }) => {
    message.text(0, "Well")
    options.signal?.addEventListener("abort", () => message.abort(options.signal?.reason), { once: true })
    onStarted()
  }
}

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 7 }
}

/** A tool that answers with its name, or does what it is given. */
export function tool(name: string, execute?: AgentTool["execute"]): AgentTool {
  return {
    name,
    label: name,
    description: `Does ${name}`,
    parameters: { type: "object", properties: {} },
    execute: execute ?? (() => ({ content: [{ type: "text", text: name }], details: {} })),
  }
}

/** An agent with the scripted model, a fixed clock, and a record of its events. */
export function start(
  replies: readonly Reply[],
  options: Partial<AgentOptions> = {},
): { agent: Agent; events: AgentEvent[]; requests: Request[] } {
  const { streamFn, requests } = script(...replies)
  const { initialState, ...rest } = options
  const agent = new Agent({ streamFn, now: () => 7, ...rest, initialState: { model, ...initialState } })
  const events: AgentEvent[] = []
  agent.subscribe((event) => {
    events.push(event)
  })
  return { agent, events, requests }
}

export function types(events: readonly AgentEvent[]): string[] {
  return events.map((event) => event.type)
}

/** The transcript in one line per message. Messages of an application's own may have any shape. */
export function lines(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => {
    const { content } = message as { readonly content?: unknown }
    return `${message.role}: ${Array.isArray(content) ? content.map(show).join(" ") : content}`
  })
}

/** The texts of the model's messages that a request held. */
export function asked(request: Request | undefined): string[] {
  return lines(request?.context.messages ?? [])
}

export function lastAssistant(agent: Agent): AssistantMessage | undefined {
  return agent.state.messages.findLast((message) => message.role === "assistant")
}

/** Every state from the first to the last. */
export function statesOf(from: AgentState, events: readonly AgentEvent[]): AgentState[] {
  const states = [from]
  for (const event of events) states.push(reduceAgentState(states.at(-1)!, event))
  return states
}

/** Freezes what can be frozen, all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}

/** A promise to be settled from outside. */
export function gate<T = void>(): {
  promise: Promise<T>
  open: (value: T) => void
  fail: (error: unknown) => void
} {
  let open: (value: T) => void = () => {}
  let fail: (error: unknown) => void = () => {}
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { promise, open, fail }
}

function show(block: { readonly type: string; readonly text?: string; readonly id?: string }): string {
  return block.text ?? (block.id === undefined ? block.type : `<${block.id}>`)
}
