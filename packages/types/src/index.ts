/**
 * The vocabulary every Heddle package speaks. Types only: nothing here exists at run time.
 *
 * The two files re-exported whole hold the interfaces that others extend by declaration merging, which
 * TypeScript allows through `export *` only.
 *
 * @packageDocumentation
 */
export type { AgentEndReason, AgentEvent } from "./agent-event.ts"
export type * from "./agent-message.ts"
export type { AgentState, QueueMode } from "./agent-state.ts"
export type { AgentTool, AgentToolResult, AgentToolUpdateCallback, ToolExecutionMode } from "./agent-tool.ts"
export type { AssistantMessageEvent, TerminalAssistantMessageEvent } from "./assistant-event.ts"
export type { Context } from "./context.ts"
export type { StreamFailure, StreamFailureCode } from "./failure.ts"
export type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentContext,
  AgentLoopTurnUpdate,
  BeforeToolCallContext,
  BeforeToolCallResult,
  PrepareNextTurnContext,
  ShouldStopAfterTurnContext,
} from "./hooks.ts"
export type { AgentLoopConfig, ToolCallHooks, ToolSchedule } from "./loop-config.ts"
export type {
  AssistantMessage,
  ImageContent,
  Message,
  OpaqueContent,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolCallArguments,
  ToolResultMessage,
  UserMessage,
} from "./message.ts"
export type * from "./model.ts"
export type { ProxyAssistantMessageEvent } from "./proxy-event.ts"
export type {
  AssistantMessageEventStream,
  ResponseInfo,
  SimpleStreamOptions,
  StreamFn,
  StreamOptions,
} from "./stream-fn.ts"
export type {
  JsonSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
  Tool,
  ToolArguments,
  ToolChoice,
  ToolParameters,
} from "./tool.ts"
export type { Usage, UsageCost } from "./usage.ts"
