import type {
  AgentToolCall,
  AgentToolResult,
  AgentToolUpdateCallback,
  AssistantMessage,
  ToolResultMessage,
} from "@heddle/types"
import { AbortGrace } from "./abort-grace.ts"
import { callScope, DEFAULT_GRACE_MS, type ToolCallOptions } from "./call-scope.ts"
import { executeCall } from "./execute.ts"
import { finalizeCall } from "./finalize.ts"
import { isPromiseLike } from "./plain-data.ts"
import { prepareCall } from "./prepare.ts"
import { toResultMessage } from "./result.ts"

export interface RunToolCallOptions extends ToolCallOptions {
  /** The message that made the call. One that was cut off has none of its calls executed. */
  readonly assistantMessage: AssistantMessage
  /** Told what the tool reports while it runs. What it throws or rejects with is ignored. */
  readonly onUpdate?: AgentToolUpdateCallback | undefined
}

export interface RunToolCallResult {
  readonly toolCall: AgentToolCall
  readonly result: AgentToolResult
  readonly isError: boolean
  /** The result as it goes into the transcript. */
  readonly message: ToolResultMessage
}

/**
 * Runs one tool call through the whole pipeline. Emits nothing and never rejects: whatever goes wrong is an
 * error result for the model.
 *
 * After the signal no hook and no tool starts; what is running then has `abortGraceMs` to finish.
 */
export async function runToolCall(
  toolCall: AgentToolCall,
  options: RunToolCallOptions,
): Promise<RunToolCallResult> {
  const { assistantMessage, signal, abortGraceMs = DEFAULT_GRACE_MS, now = Date.now } = options
  const grace = new AbortGrace(signal, abortGraceMs)
  const scope = callScope(options, assistantMessage, signal, grace)
  const onUpdate: AgentToolUpdateCallback = (partial) => {
    try {
      const told: unknown = options.onUpdate?.(partial)
      if (isPromiseLike(told)) told.then(undefined, () => {})
    } catch {
      // A listener's fault is not the tool's, which this would be thrown into.
    }
  }
  let outcome = await prepareCall(toolCall, scope)
  if ("tool" in outcome) {
    const executed = await executeCall(toolCall, outcome, scope, onUpdate)
    outcome = await finalizeCall(toolCall, outcome, executed, scope)
  }
  grace.dispose()
  const { result, isError } = outcome
  return { toolCall, result, isError, message: toResultMessage(toolCall, outcome, now()) }
}
