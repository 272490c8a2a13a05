/**
 * What an event does to the runtime fields of an agent's state: the one place that says so.
 *
 * The Agent itself, a UI behind a wire, a server and a store all get the same state from the same events. It
 * is pure: no clock, no ids, input never written, and a state that an event does not change is returned as it
 * is.
 */
import type { AgentEvent, AgentState } from "@heddle/types"
import { CallLog } from "./call-log.ts"

/** `undefined` removes a field. */
type Changes = { readonly [K in keyof AgentState]?: AgentState[K] | undefined }

/** Where a state whose `pendingToolCalls` is made when it is read has it from. Copies do not get it. */
const LOG: unique symbol = Symbol("call log")

interface LazyState extends AgentState {
  readonly [LOG]?: CallLog
}

const READ_LOG: PropertyDescriptor & ThisType<LazyState> = {
  get() {
    return this[LOG]?.ids
  },
  enumerable: true,
  configurable: true,
}

/**
 * @param state Any state, also a copy or one that came over a wire. Fields that `AgentState` does not have are
 * kept.
 * @returns the next state: a plain object that can be spread, compared and cloned. While calls run, its
 * `pendingToolCalls` is an accessor; a copy of the state has a plain set.
 */
export function reduceAgentState(state: AgentState, event: AgentEvent): AgentState {
  switch (event.type) {
    case "agent_start":
      return change(state, { isStreaming: true, errorMessage: undefined })
    case "message_start":
      return event.message.role === "assistant" ? change(state, { streamingMessage: event.message }) : state
    case "message_update":
      return change(state, { streamingMessage: event.message })
    case "message_end":
      return change(state, { messages: [...state.messages, event.message], streamingMessage: undefined })
    case "tool_execution_start":
      return changeCalls(state, event.toolCallId, true)
    case "tool_execution_end":
      return changeCalls(state, event.toolCallId, false)
    case "turn_end":
      return change(state, { errorMessage: event.message.errorMessage ?? state.errorMessage })
    case "agent_end":
      return change(state, {
        isStreaming: false,
        streamingMessage: undefined,
        pendingToolCalls: state.pendingToolCalls.size > 0 ? new Set() : state.pendingToolCalls,
        errorMessage: event.errorMessage ?? state.errorMessage ?? endMessage(event),
      })
    default:
      return state
  }
}

/** Why a run was cut short, where no event has said so. */
function endMessage({ reason, messages }: AgentEvent & { type: "agent_end" }): string | undefined {
  if (reason !== "aborted" && reason !== "error") return undefined
  const last = messages.at(-1)
  const said = last?.role === "assistant" ? last.errorMessage : undefined
  return said ?? (reason === "aborted" ? "The run was aborted" : "The run failed")
}

function changeCalls(state: LazyState, id: string, starts: boolean): AgentState {
  if (!state[LOG] && state.pendingToolCalls.has(id) === starts) return state
  const log = (state[LOG] ?? CallLog.of(state.pendingToolCalls)).with(id, starts)
  // Nothing runs any more, so the set is small: plain again.
  return log.open === 0 ? copy(state, { pendingToolCalls: log.ids }) : copy(state, {}, log)
}

function change(state: LazyState, changes: Changes): AgentState {
  for (const key in changes) {
    if (state[key as keyof Changes] !== changes[key as keyof Changes]) {
      return copy(state, changes, "pendingToolCalls" in changes ? undefined : state[LOG])
    }
  }
  return state
}

/** @param log What `pendingToolCalls` reads from. */
function copy(state: AgentState, changes: Changes, log?: CallLog): AgentState {
  const next: Record<string, unknown> = log ? copyLazily(state, log) : { ...state }
  for (const key in changes) {
    const value = changes[key as keyof Changes]
    if (value === undefined) delete next[key]
    else next[key] = value
  }
  return next as unknown as AgentState
}

/** Leaves `pendingToolCalls` unread: reading it is what would cost a set for each event. */
function copyLazily(state: AgentState, log: CallLog): Record<string, unknown> {
  const next: Record<string, unknown> = {}
  Object.defineProperty(next, "pendingToolCalls", READ_LOG)
  Object.defineProperty(next, LOG, { value: log })
  for (const key of Object.keys(state)) {
    if (key !== "pendingToolCalls") next[key] = state[key as keyof AgentState]
  }
  return next
}
