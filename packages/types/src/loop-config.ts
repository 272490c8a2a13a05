import type { AgentMessage } from "./agent-message.ts"
import type { ToolExecutionMode } from "./agent-tool.ts"
import type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentLoopTurnUpdate,
  BeforeToolCallContext,
  BeforeToolCallResult,
  PrepareNextTurnContext,
  ShouldStopAfterTurnContext,
} from "./hooks.ts"
import type { Message } from "./message.ts"
import type { Model } from "./model.ts"
import type { SimpleStreamOptions, StreamFn } from "./stream-fn.ts"

type MaybePromise<T> = T | Promise<T>

/**
 * Each may be left out, and `undefined` counts as absent. The callbacks are declared as methods, so that one
 * that takes a mutable array fits too.
 */
type Callbacks<T> = { [Name in keyof T]?: T[Name] | undefined }

/** The two questions a pipeline asks around each tool call. */
export interface ToolCallHooks extends Callbacks<ToolCallCallbacks> {}

interface ToolCallCallbacks {
  /**
   * Asked when the arguments are valid, one call at a time in source order. May block the call or replace
   * its arguments. A throw becomes an error result for this call.
   */
  beforeToolCall(
    context: BeforeToolCallContext,
    signal?: AbortSignal,
  ): MaybePromise<BeforeToolCallResult | undefined | void>
  /** Asked when a call has run, as each finishes. May replace parts of its result. */
  afterToolCall(
    context: AfterToolCallContext,
    signal?: AbortSignal,
  ): MaybePromise<AfterToolCallResult | undefined | void>
}

/** How a batch of tool calls runs. */
export interface ToolSchedule {
  /** For tools that do not say themselves. Default `"parallel"`. */
  readonly toolExecution?: ToolExecutionMode | undefined
  /** How many calls of a group may run at once. Default: all. */
  readonly maxParallelToolCalls?: number | undefined
  /**
   * When a call's end event may come: `"source"` holds it until the calls before it have ended,
   * `"completion"` sends it as soon as it is known. Result messages stand in source order either way.
   * Default `"source"`.
   */
  readonly toolEndOrder?: "source" | "completion" | undefined
  /** How long what ignores the signal is waited for. Milliseconds, default 500. */
  readonly abortGraceMs?: number | undefined
  /** The clock of every timestamp. Unix milliseconds, default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Everything that varies between loops. Keys that are not named here pass on to the StreamFn, so a vendor's
 * own options survive and hooks do not leak.
 */
export interface AgentLoopConfig
  extends SimpleStreamOptions,
    ToolCallHooks,
    ToolSchedule,
    Callbacks<LoopCallbacks> {
  readonly model: Model
  /** Milliseconds until a stream must have given its first event. Default: off, as are 0 and Infinity. */
  readonly firstEventTimeoutMs?: number | undefined
  /** Milliseconds a stream may be silent between events. Default: off, as are 0 and Infinity. */
  readonly streamIdleTimeoutMs?: number | undefined
  /** Used when the loop is given none as an argument. */
  readonly streamFn?: StreamFn | undefined
}

interface LoopCallbacks {
  /** Transcript to model messages. Default: the three standard roles pass, custom ones are dropped. */
  convertToLlm(messages: readonly AgentMessage[]): MaybePromise<readonly Message[]>
  /** Prunes or enriches the transcript of one request, before {@link convertToLlm}. Nothing is kept. */
  transformContext(
    messages: readonly AgentMessage[],
    signal?: AbortSignal,
  ): MaybePromise<readonly AgentMessage[]>
  /** Asked before every request, so short-lived tokens stay fresh. Undefined or "" falls back to `apiKey`. */
  getApiKey(provider: string): MaybePromise<string | undefined>
  /** Messages to put before the model at the next turn boundary, while the run still works. */
  getSteeringMessages(): MaybePromise<readonly AgentMessage[]>
  /** Messages to go on with when nothing else continues the run. */
  getFollowUpMessages(): MaybePromise<readonly AgentMessage[]>
  /** True ends the run after a turn, queues untouched. Not asked after an error or an abort. */
  shouldStopAfterTurn(context: ShouldStopAfterTurnContext, signal?: AbortSignal): MaybePromise<boolean>
  /** Changes context, model or thinking level when another turn follows. */
  prepareNextTurn(
    context: PrepareNextTurnContext,
    signal?: AbortSignal,
  ): MaybePromise<AgentLoopTurnUpdate | undefined | void>
}
