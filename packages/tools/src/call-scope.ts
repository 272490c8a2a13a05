import type { AgentContext, AgentTool, AssistantMessage, ToolCallHooks } from "@heddle/types"
import type { AbortGrace } from "./abort-grace.ts"

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
