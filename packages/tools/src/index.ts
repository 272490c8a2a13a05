/**
 * The tool pipeline: find, mend and validate, ask, execute, schedule.
 *
 * @packageDocumentation
 */
export { AbortGrace, LEFT_BEHIND } from "./abort-grace.ts"
export {
  type BatchControl,
  type RunToolCallsOptions,
  type RunToolCallsResult,
  runBatch,
  runToolCalls,
  type ToolCallEvent,
} from "./batch.ts"
export type { ToolCallOptions } from "./call-scope.ts"
export { defineTool } from "./define-tool.ts"
export { errorResult, textResult } from "./result.ts"
export {
  type RunToolCallOptions,
  type RunToolCallResult,
  runToolCall,
} from "./run-tool-call.ts"
export { type Emit, serialEmit } from "./serial-emit.ts"
export { ToolArgumentsError, type ToolArgumentsIssue, validateToolArguments } from "./validate.ts"
