/** What a case is: a scenario, how the stream is used, and what must come of it. Plain data. */
import type { Context, SimpleStreamOptions, StopReason, StreamFailureCode } from "@heddle/types"
import type { Scenario } from "./scenario.ts"

/**
 * What a StreamFn, or the wire behind it, can do beyond text. Cases that need more are skipped and say so.
 *
 * - `thinking`: thinking arrives as blocks of its own.
 * - `signatures`: the signature of a thinking block is kept, unchanged or inside the adapter's own.
 * - `redactedThinking`: thinking without text, whose payload is kept.
 * - `toolCalls`, `parallelToolCalls`: one call, several in one answer.
 * - `argumentsAsText`: the wire carries arguments as JSON text, so they can be malformed or cut off.
 * - `opaque`: a vendor's own block becomes an opaque block.
 * - `images`: images in user messages reach the model.
 * - `usage`, `usageOnError`: tokens are counted; also on an answer that failed or was aborted.
 * - `contentFilter`: the wire says when the vendor's filter ended an answer.
 * - `inStreamErrors`: the wire can report a failure after the response has begun.
 * - `http`: it speaks HTTP, and the harness serves every kind of reply.
 * - `retries`: it retries by itself, as `maxRetries` and `maxRetryDelayMs` say.
 * - `timeouts`: it honours `timeoutMs`.
 * - `hooks`: it calls `onPayload` and `onResponse`.
 */
export type Capability =
  | "thinking"
  | "signatures"
  | "redactedThinking"
  | "toolCalls"
  | "parallelToolCalls"
  | "argumentsAsText"
  | "opaque"
  | "images"
  | "usage"
  | "usageOnError"
  | "contentFilter"
  | "inStreamErrors"
  | "http"
  | "retries"
  | "timeouts"
  | "hooks"

/** Absent means no. */
export type Capabilities = { readonly [Name in Capability]?: boolean | undefined }

/** A block the message must have. Fields that are absent are not looked at. */
export type ExpectedBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "thinking"
      readonly thinking: string
      /** Text that the block's signature must contain. */
      readonly signature?: string
      readonly redacted?: boolean
    }
  | {
      readonly type: "toolCall"
      readonly id?: string
      readonly name: string
      /** Absent with {@link broken}: whatever could be read. */
      readonly arguments?: Readonly<Record<string, unknown>>
      /** The call must have an `argumentsError`; without it, it must have none. */
      readonly broken?: boolean
    }
  | { readonly type: "opaque" }

/** What must come of a case, beyond the rules that hold for every stream. Absent: not looked at. */
export interface Expectation {
  readonly stopReason?: StopReason
  readonly content?: readonly ExpectedBlock[]
  /** The stream is a lone `error`. */
  readonly loneError?: boolean
  readonly failure?: {
    readonly codes: readonly StreamFailureCode[]
    readonly retryable?: boolean
    readonly status?: number
    readonly retryAfterMs?: number
    /** Text that `errorMessage` must contain. */
    readonly says?: string
  }
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cacheRead?: number }
  /** Requests that reached the other side. */
  readonly requests?: number
  /** Text that the body of the first request must contain. */
  readonly requestContains?: readonly string[]
  /** The other side must see the client hang up in time. */
  readonly hangsUp?: boolean
  /** What `onResponse` must have been told. */
  readonly responseStatus?: number
}

/** What the caller's `signal` does. */
export type AbortPlan =
  /** It has fired before the call. */
  | { readonly when: "beforeCall" }
  | { readonly when: "afterMs"; readonly milliseconds: number }
  /** It fires so long after the first request has reached the other side. Needs `http`. */
  | { readonly when: "requested"; readonly milliseconds: number }
  /** It fires on the delta with which all deltas together reach so many characters. */
  | { readonly when: "afterCharacters"; readonly characters: number }
  /** It fires when the terminal event has been read. */
  | { readonly when: "afterEnd" }

/**
 * How the stream is used.
 *
 * `events`: read to the end. `result`: only `result()` is awaited. `leave`: the reader leaves at the first
 * delta. `twice`: two calls at once, both read to the end.
 */
export type Use = "events" | "result" | "leave" | "twice"

/** What the caller's hooks do. */
export type HookPlan = "onPayload throws" | "onResponse throws" | "onPayload replaces" | "onResponse listens"

/** One thing that every StreamFn must do. */
export interface ConformanceCase {
  /** A sentence about what holds. Unique. */
  readonly name: string
  readonly needs: readonly Capability[]
  readonly scenario: Scenario
  /** Default: one short user message. */
  readonly context?: Context
  /** Added to the harness's. Default: no retries. */
  readonly options?: Omit<SimpleStreamOptions, "signal" | "onPayload" | "onResponse">
  readonly use?: Use
  readonly abort?: AbortPlan
  readonly hook?: HookPlan
  /** Model, context and options are deep-frozen. */
  readonly frozen?: boolean
  readonly expect: Expectation
  /** How long the stream may take. Milliseconds, default 5 000; from the abort on, 1 000 where there is one. */
  readonly deadlineMs?: number
}

/** @returns why this case does not apply; undefined when it does. */
export function whySkipped(test: ConformanceCase, capabilities: Capabilities = {}): string | undefined {
  const missing = test.needs.filter((capability) => capabilities[capability] !== true)
  return missing.length === 0 ? undefined : `needs ${missing.join(", ")}`
}
