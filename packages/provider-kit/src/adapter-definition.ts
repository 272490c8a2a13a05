/** What an adapter tells `defineAdapter`: five answers, each small, all but two pure. */
import type { AssistantMessageBuilder, AssistantMessageEventStream } from "@heddle/stream"
import type { Context, Model, SimpleStreamOptions } from "@heddle/types"
import type { HistoryRules } from "./adapt-history.ts"
import type { FailureRule } from "./failure-rules.ts"
import type { RequestHeaders } from "./request-headers.ts"
import type { HeadersLike } from "./response-headers.ts"

/** What every adapter's factory accepts. */
export interface AdapterConfig<TClient = unknown> {
  /** Used where the options of a request have none; before the environment. */
  readonly apiKey?: string | undefined
  /** Used for every model, in place of the model's own. */
  readonly baseUrl?: string | undefined
  /** Added to every request; the model's and the request's own win. A null value removes a default header. */
  readonly headers?: RequestHeaders | undefined
  /** Used where the options of a request have none. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** A ready client of the vendor's SDK. It brings its own key, root and fetch. */
  readonly client?: TClient | undefined
  /** What becomes of another model's thinking in the history. Default `"drop"`. */
  readonly foreignThinking?: "drop" | "text" | undefined
}

/** A StreamFn that always returns its stream at once. */
export type AdapterStreamFn = (
  model: Model,
  context: Context,
  options?: SimpleStreamOptions,
) => AssistantMessageEventStream

/** One request, ready to be sent. */
export interface AdapterCall<TPayload> {
  readonly model: Model
  readonly options: SimpleStreamOptions
  /** The body, after `onPayload`. */
  readonly payload: TPayload
  /** Absent for a ready client and for servers that need none. */
  readonly apiKey: string | undefined
  /** The configuration's, else the model's, else the adapter's default, else absent: the SDK's own. */
  readonly baseUrl: string | undefined
  /** Configuration, model and options merged; names in lower case, null removes what the SDK would add. */
  readonly headers: RequestHeaders
  /** To be given to the SDK. Obeys {@link signal} even when the fetch behind it does not. */
  readonly fetch: typeof globalThis.fetch
  /** Fires on abort, when the reader leaves, and when the response does not begin in time. */
  readonly signal: AbortSignal
  /** 0 for the first request of a stream, 1 for the first that `receive` asked for, and so on. */
  readonly round: number
}

/** The part of a response that the kit looks at. A `Response` is one. */
export interface ResponseHead {
  readonly status: number
  readonly headers: HeadersLike
}

/** An adapter, as data and functions. */
export interface AdapterDefinition<TSdk, TPayload, TResponse extends ResponseHead> {
  /** Environment variables that may hold the key, in order. Named in the error when there is none. */
  envKeys(model: Model): readonly string[]
  /** False: a request without a key is sent all the same. Default: true. */
  needsKey?(model: Model): boolean
  /** The vendor's root, for models that name none. Empty: it has none, and a model must. Default: the SDK's. */
  baseUrl?(model: Model): string
  /** What the wire accepts as history. Default: anything. */
  historyRules?(model: Model): HistoryRules
  /** Imports the SDK. Not called before the first request. */
  load(): Promise<TSdk>
  /** Builds the body. Pure; the history in `context` is adapted already. A throw is an `invalid_request`. */
  toRequest(model: Model, context: Context, options: SimpleStreamOptions): TPayload
  /** Sends it through the SDK, whose own retries must be off. Resolves when the response has begun. */
  send(call: AdapterCall<TPayload>, sdk: TSdk): Promise<TResponse>
  /**
   * Reads the response to its end and makes the builder's terminal event. What it throws is classified; a
   * `StreamFailureError` says itself what it means.
   *
   * @returns the body of a further request when the answer goes on there (a paused turn).
   */
  receive(
    response: TResponse,
    builder: AssistantMessageBuilder,
    call: AdapterCall<TPayload>,
  ): Promise<TPayload | undefined | void>
  /** Closes a response that came after the caller had gone. Default: cancels its `body`. */
  discard?(response: TResponse): void
  /** The vendor's deviations from the common rules. */
  readonly failureRules?: readonly FailureRule[]
}
