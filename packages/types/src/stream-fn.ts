import type { AssistantMessageEvent } from "./assistant-event.ts"
import type { Context } from "./context.ts"
import type { AssistantMessage } from "./message.ts"
import type { Model, ThinkingLevel } from "./model.ts"
import type { ToolChoice } from "./tool.ts"

/** Options for one request. A field that is `undefined` counts as absent. */
export interface StreamOptions {
  /** Ends the stream with `error`/`aborted`, keeping what has arrived. */
  readonly signal?: AbortSignal | undefined
  /** Wins over the adapter's configuration and the environment. */
  readonly apiKey?: string | undefined
  readonly temperature?: number | undefined
  /** Tokens the answer may have; clamped to what the model and its window allow. */
  readonly maxTokens?: number | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** Added to the request; a null value removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  /** How long the vendor should keep the prompt in its cache. Default `"short"`. */
  readonly cacheRetention?: "none" | "short" | "long" | undefined
  /** Names the conversation, so that a vendor can route it to the same cache. */
  readonly sessionId?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Milliseconds until the response must have begun. */
  readonly timeoutMs?: number | undefined
  /** Retries before the first event. Default 2. */
  readonly maxRetries?: number | undefined
  /**
   * The longest wait between tries. Milliseconds, default 60 000; 0 lifts the cap. A longer wait demanded by
   * the server fails at once, with `failure.retryAfterMs` set.
   */
  readonly maxRetryDelayMs?: number | undefined
  /** A hint for adapters that know more than one. */
  readonly transport?: "sse" | "websocket" | "auto" | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Sees the request body before it is sent; what it returns, unless undefined, is sent instead. */
  readonly onPayload?: ((payload: unknown, model: Model) => unknown | Promise<unknown>) | undefined
  /** Sees status and headers of the response before its body is read. */
  readonly onResponse?: ((response: ResponseInfo, model: Model) => void | Promise<void>) | undefined
}

/** What `onResponse` is told. Header names are in lower case. */
export interface ResponseInfo {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** {@link StreamOptions} and how hard to think, in words that hold for every vendor. */
export interface SimpleStreamOptions extends StreamOptions {
  /** Absent: no reasoning is asked for. */
  readonly reasoning?: Exclude<ThinkingLevel, "off"> | undefined
  /** Tokens per level, for vendors that take a budget. */
  readonly thinkingBudgets?: Readonly<Partial<Record<Exclude<ThinkingLevel, "off">, number>>> | undefined
}

/**
 * A stream of one assistant message: read it once, or await its result, or both.
 *
 * The class behind it is in `@heddle/stream`.
 */
export interface AssistantMessageEventStream extends AsyncIterable<AssistantMessageEvent> {
  /** The message of the terminal event. Always settles and never rejects. */
  result(): Promise<AssistantMessage>
}

/**
 * The one seam between the engine and the models.
 *
 * 1. It never throws and never rejects: every failure arrives in the stream as one `error` event whose
 *    message has `stopReason` `"error"` or `"aborted"`, an `errorMessage` and a `failure`.
 * 2. There is exactly one terminal event, then silence; `result()` settles with its message.
 * 3. The caller's model, context and options are never written.
 * 4. After `options.signal` fires the stream ends with `error`/`aborted` in bounded time, keeping the
 *    content and usage seen so far.
 * 5. A delivered event never changes, and folding the deltas gives the message of the terminal event.
 */
export type StreamFn = (
  model: Model,
  context: Context,
  options?: SimpleStreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>
