import type { StreamFailure } from "./failure.ts"
import type { Usage } from "./usage.ts"

/** Prose, from the user, the model or a tool. */
export interface TextContent {
  readonly type: "text"
  readonly text: string
  /**
   * Data of the vendor that belongs to this block, replayed to the same model only. Opaque to everyone but
   * the adapter that wrote it, and may be JSON. A block that has one is kept even when its text is empty.
   */
  readonly textSignature?: string
}

/** What the model thought before it answered, as far as the vendor shows it. */
export interface ThinkingContent {
  readonly type: "thinking"
  /** Empty when the vendor shows nothing, or when {@link redacted}. */
  readonly thinking: string
  /** The vendor's proof or payload for this block. Opaque, see {@link TextContent.textSignature}. */
  readonly thinkingSignature?: string
  /** True when the payload is encrypted and lives in {@link thinkingSignature}. */
  readonly redacted?: boolean
}

/** A picture. Models without `"image"` in `Model.input` get a text note in its place. */
export interface ImageContent {
  readonly type: "image"
  /** Base64, without a `data:` prefix. */
  readonly data: string
  /** For example `image/png`. */
  readonly mimeType: string
}

/** A JSON object as a model writes it. Raw: nothing about it is validated yet. */
export type ToolCallArguments = Readonly<Record<string, unknown>>

/** The model asks for one of the client's tools. */
export interface ToolCall {
  readonly type: "toolCall"
  /** Unique within its message; results answer by it. */
  readonly id: string
  readonly name: string
  /** What the model wrote, never coerced. While the call is streaming: a prefix of it. */
  readonly arguments: ToolCallArguments
  /** The vendor's data for this call. Opaque, see {@link TextContent.textSignature}. */
  readonly thoughtSignature?: string
  /** Present when the model's JSON was malformed or cut off; says how. Such a call is never executed. */
  readonly argumentsError?: string
}

/**
 * A vendor's block that is neither text, thinking nor a client's tool call: server tools and their results,
 * grounding, containers.
 *
 * Replayed in place to the same model and dropped for another. The engine ignores it; a UI may render the
 * kinds it knows.
 */
export interface OpaqueContent {
  readonly type: "opaque"
  /** The vendor's own type name, for example `server_tool_use`. */
  readonly kind: string
  /** The vendor's finished block, JSON, verbatim. */
  readonly data: unknown
}

/** Something said to the model. */
export interface UserMessage {
  readonly role: "user"
  readonly content: string | readonly (TextContent | ImageContent)[]
  /** Unix milliseconds. */
  readonly timestamp: number
}

/** Why the model stopped. `error` and `aborted` messages keep what had arrived by then. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted"

/** One answer of a model, finished or so far. */
export interface AssistantMessage {
  readonly role: "assistant"
  readonly content: readonly (TextContent | ThinkingContent | ToolCall | OpaqueContent)[]
  /** The wire it came over: `Model.api`. */
  readonly api: string
  readonly provider: string
  /** The model that was asked: `Model.id`. */
  readonly model: string
  /** The vendor's id of the response. */
  readonly responseId?: string
  /** The model that answered, where the vendor names it. */
  readonly responseModel?: string
  readonly usage: Usage
  /** `"stop"` until the stream has ended. */
  readonly stopReason: StopReason
  /** The vendor's own word for it, unchanged. */
  readonly rawStopReason?: string
  /** Present with `error` and `aborted`: for people, without keys and payloads. */
  readonly errorMessage?: string
  /** Present with `error` and `aborted`: for programs. */
  readonly failure?: StreamFailure
  /** Unix milliseconds. */
  readonly timestamp: number
}

/** The answer to one tool call. */
export interface ToolResultMessage<TDetails = unknown> {
  readonly role: "toolResult"
  readonly toolCallId: string
  readonly toolName: string
  /** What the model reads. */
  readonly content: readonly (TextContent | ImageContent)[]
  /** For UIs and logs; never sent to a model. */
  readonly details?: TDetails
  /** Names of deferred tools that this result makes visible to the model. */
  readonly addedToolNames?: readonly string[]
  readonly isError: boolean
  /** Unix milliseconds. */
  readonly timestamp: number
}

/** The three kinds of message a model understands. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage
