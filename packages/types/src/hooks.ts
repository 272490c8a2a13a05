import type { AgentMessage, AgentToolCall } from "./agent-message.ts"
import type { AgentTool, AgentToolResult } from "./agent-tool.ts"
import type { AssistantMessage, ToolResultMessage } from "./message.ts"
import type { Model, ThinkingLevel } from "./model.ts"

/** What a run starts from. */
export interface AgentContext {
  readonly systemPrompt: string
  readonly messages: readonly AgentMessage[]
  readonly tools?: readonly AgentTool[] | undefined
}

/** What `beforeToolCall` is told. */
export interface BeforeToolCallContext {
  /** The message that made the call. */
  readonly assistantMessage: AssistantMessage
  readonly toolCall: AgentToolCall
  /** The validated arguments, as `execute` will get them. Mutating them in place is not validated again. */
  readonly args: unknown
  /** The transcript up to and including the calling message: the same for the whole batch. */
  readonly context: AgentContext
}

/** What `beforeToolCall` may decide. Returning nothing lets the call run. */
export interface BeforeToolCallResult {
  /** The call does not run and gets an error result. */
  readonly block?: boolean | undefined
  /** Told to the model instead of the standard text, with {@link block}. */
  readonly reason?: string | undefined
  /** Replaces the arguments; treated like the model's own, so validated again. */
  readonly args?: unknown
  /** With {@link block}: votes to end the run after this turn. */
  readonly terminate?: boolean | undefined
}

/** What `afterToolCall` is told. */
export interface AfterToolCallContext extends BeforeToolCallContext {
  readonly result: AgentToolResult
  readonly isError: boolean
}

/** What `afterToolCall` may replace. Each field is replaced whole; an absent one keeps what is there. */
export interface AfterToolCallResult {
  readonly content?: AgentToolResult["content"] | undefined
  readonly details?: unknown
  readonly isError?: boolean | undefined
  readonly terminate?: boolean | undefined
}

/** What `shouldStopAfterTurn` is told. */
export interface ShouldStopAfterTurnContext {
  readonly message: AssistantMessage
  readonly toolResults: readonly ToolResultMessage[]
  /** With this turn appended. */
  readonly context: AgentContext
  /** The prompts and everything the run has produced so far. */
  readonly newMessages: readonly AgentMessage[]
}

/** What `prepareNextTurn` is told. */
export type PrepareNextTurnContext = ShouldStopAfterTurnContext

/** What `prepareNextTurn` may change, for the rest of the run. An absent field keeps what is there. */
export interface AgentLoopTurnUpdate {
  /** Replaces what later requests see; the run's own result is unaffected. */
  readonly context?: AgentContext | undefined
  readonly model?: Model | undefined
  readonly thinkingLevel?: ThinkingLevel | undefined
}
