import type {
  AgentContext,
  AgentTool,
  AgentToolCall,
  AgentToolResult,
  AgentToolUpdateCallback,
  AssistantMessage,
  ToolCallHooks,
  ToolResultMessage,
  ToolSchedule,
} from "@heddle/types"
import { AbortGrace } from "./abort-grace.ts"
import type { CallScope } from "./call-scope.ts"
import { executeCall } from "./execute.ts"
import { finalizeCall } from "./finalize.ts"
import { prepareCall } from "./prepare.ts"
import { toResultMessage } from "./result.ts"

/** How long what ignores the signal is waited for, where nothing else is asked for. Milliseconds. */
export const DEFAULT_ABORT_GRACE_MS = 500

/** What {@link runToolCall} and `runToolCalls` need to know in common. */
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

export interface RunToolCallOptions extends ToolCallOptions {
  /** The message that made the call. One that was cut off has none of its calls executed. */
  readonly assistantMessage: AssistantMessage
  /** Told what the tool reports while it runs. What it throws is ignored. */
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
  const { tools = [], assistantMessage, context, signal, shownToolNames, now = Date.now } = options
  const grace = new AbortGrace(signal, options.abortGraceMs ?? DEFAULT_ABORT_GRACE_MS)
  const scope: CallScope = { tools, shownToolNames, assistantMessage, context, hooks: options, signal, grace }
  const onUpdate: AgentToolUpdateCallback = (partial) => {
    try {
      options.onUpdate?.(partial)
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
