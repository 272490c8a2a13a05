import type { AgentMessage } from "./agent-message.ts"
import type { AgentTool } from "./agent-tool.ts"
import type { AssistantMessage } from "./message.ts"
import type { Model, ThinkingLevel } from "./model.ts"

/** How many queued messages one drain takes. */
export type QueueMode = "all" | "one-at-a-time"

/** What an agent is and does right now. The writable fields take effect at the next turn of a run. */
export interface AgentState {
  systemPrompt: string
  model: Model | undefined
  thinkingLevel: ThinkingLevel
  /** Assigning copies the array. */
  tools: readonly AgentTool[]
  /** Assigning copies the array; during a run it holds from the next run on. */
  messages: readonly AgentMessage[]
  /** True from the call of `prompt()` until the `agent_end` listeners have settled. */
  readonly isStreaming: boolean
  /** The assistant message that is arriving. */
  readonly streamingMessage?: AssistantMessage
  /** Ids of the calls that are running. The set a reader holds never changes. */
  readonly pendingToolCalls: ReadonlySet<string>
  /** Why the last run failed or was aborted. */
  readonly errorMessage?: string
}
