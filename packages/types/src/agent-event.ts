import type { AgentMessage } from "./agent-message.ts"
import type { AgentToolResult } from "./agent-tool.ts"
import type { AssistantMessageEvent } from "./assistant-event.ts"
import type { AssistantMessage, ToolCallArguments, ToolResultMessage } from "./message.ts"

/**
 * How a run ended: the first of these that holds.
 *
 * - `aborted`: the signal fired before `agent_end`, or the last message was aborted.
 * - `error`: the model, a hook or a listener failed.
 * - `stopped`: `shouldStopAfterTurn` said so.
 * - `terminated`: every result of the last batch voted so, and no queue gave a message.
 * - `completed`: there was nothing left to do.
 */
export type AgentEndReason = "completed" | "terminated" | "stopped" | "error" | "aborted"

/** Which call an event of the tool pipeline is about. */
interface OfToolCall {
  readonly toolCallId: string
  readonly toolName: string
}

/**
 * One step of a run.
 *
 * Grammar: `agent_start`; then turns, each `turn_start`, messages and tool executions, `turn_end`; then one
 * `agent_end`. `message_update` comes for assistant messages only, between their start and end.
 */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start" }
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | {
      readonly type: "message_update"
      /** The same snapshot as `assistantMessageEvent.partial`. */
      readonly message: AssistantMessage
      readonly assistantMessageEvent: Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>
    }
  | { readonly type: "message_end"; readonly message: AgentMessage }
  | ({
      readonly type: "tool_execution_start"
      /** What the model wrote, neither coerced nor validated. */
      readonly args: ToolCallArguments
    } & OfToolCall)
  | ({
      readonly type: "tool_execution_update"
      readonly args: ToolCallArguments
      readonly partialResult: AgentToolResult
    } & OfToolCall)
  | ({
      readonly type: "tool_execution_end"
      readonly result: AgentToolResult
      readonly isError: boolean
    } & OfToolCall)
  | {
      readonly type: "turn_end"
      readonly message: AssistantMessage
      /** In source order. */
      readonly toolResults: readonly ToolResultMessage[]
    }
  | {
      readonly type: "agent_end"
      /** The prompts and everything the run produced. */
      readonly messages: readonly AgentMessage[]
      readonly reason: AgentEndReason
      /**
       * Why the run was aborted or failed, where no message says so: for `reduceAgentState`, so that whoever
       * reads the events knows as much as the agent. Set by `Agent`, not by the loop.
       */
      readonly errorMessage?: string
    }
