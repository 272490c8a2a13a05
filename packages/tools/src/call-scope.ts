import type { AgentContext, AgentTool, AssistantMessage, ToolCallHooks, ToolSchedule } from "@heddle/types"
import type { AbortGrace } from "./abort-grace.ts"

/** Milliseconds. */
export const DEFAULT_GRACE_MS = 500

/** What `runToolCall` and `runToolCalls` need to know in common. */
export interface ToolCallOptions extends ToolCallHooks, Pick<ToolSchedule, "abortGraceMs" | "now"> {
  /** Every tool that may run, deferred ones included. Default: none. */
  readonly tools?: readonly AgentTool[] | undefined
  /** Passed on to the hooks: the transcript up to and including the calling message. */
  readonly context: AgentContext
  readonly signal?: AbortSignal | undefined
  /**
   * The names that a model which asks for an unknown tool is told. Default: those of all tools that are not
   * deferred.
   */
  readonly shownToolNames?: readonly string[] | undefined
}

/** What the stages of a call share with those of its siblings. */
export interface CallScope {
  readonly tools: readonly AgentTool[]
  readonly shownToolNames: readonly string[] | undefined
  readonly assistantMessage: AssistantMessage
  readonly context: AgentContext
  readonly hooks: ToolCallHooks
  readonly signal: AbortSignal | undefined
  /** The time that is left after the signal; one for everything that waits on it. */
  readonly grace: AbortGrace
}

/** A call that may run: its tool is known and its arguments are valid. */
export interface PreparedCall {
  readonly tool: AgentTool
  readonly args: unknown
}

export function callScope(
  options: Omit<ToolCallOptions, "signal" | "abortGraceMs">,
  assistantMessage: AssistantMessage,
  signal: AbortSignal | undefined,
  grace: AbortGrace,
): CallScope {
  const { tools = [], shownToolNames, context } = options
  return { tools, shownToolNames, assistantMessage, context, hooks: options, signal, grace }
}
