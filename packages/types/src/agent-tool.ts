import type { ImageContent, TextContent } from "./message.ts"
import type { Tool, ToolArguments, ToolParameters } from "./tool.ts"

/** How calls of one message may run: each alone, or beside its neighbours. */
export type ToolExecutionMode = "sequential" | "parallel"

/** What a tool gives back. A field that is `undefined` counts as absent. */
export interface AgentToolResult<TDetails = unknown> {
  /** For the model. */
  readonly content: readonly (TextContent | ImageContent)[]
  /** For UIs and logs; never sent to a model. */
  readonly details: TDetails
  /** The tool failed in a way it can describe; throwing says the same. */
  readonly isError?: boolean | undefined
  /** Names of deferred tools that the model sees from the next request on. */
  readonly addedToolNames?: readonly string[] | undefined
  /** A vote to end the run after this turn. It counts only when every result of the batch says so. */
  readonly terminate?: boolean | undefined
}

/** Reports progress while a tool runs. Ignored once the call has settled. */
export type AgentToolUpdateCallback<TDetails = unknown> = (partial: AgentToolResult<TDetails>) => void

/**
 * A tool with its implementation. `defineTool` of `@heddle/tools` infers both type arguments. A field that is
 * `undefined` counts as absent.
 */
export interface AgentTool<TParameters extends ToolParameters = ToolParameters, TDetails = unknown>
  extends Tool<TParameters> {
  /** For people. */
  readonly label: string
  /** Whether it may run beside other calls. Default: the loop's `toolExecution`. */
  readonly executionMode?: ToolExecutionMode | undefined
  /** The call becomes an error result, and the tool's signal fires, after so many milliseconds. Default: never. */
  readonly timeoutMs?: number | undefined
  /** Executable, but not shown to the model until a result in the transcript names it in `addedToolNames`. */
  readonly deferred?: boolean | undefined
  /** Mends the model's raw arguments before they are coerced and validated. */
  prepareArguments?(raw: unknown): unknown
  /**
   * Runs the tool. A throw or rejection becomes an error result with its message.
   *
   * @param args The validated arguments: a copy, not what stands in the transcript.
   * @param signal Fires on abort and on {@link timeoutMs}. A tool that ignores it is left behind.
   */
  execute(
    toolCallId: string,
    args: ToolArguments<TParameters>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TDetails>,
  ): Promise<AgentToolResult<TDetails>> | AgentToolResult<TDetails>
}
