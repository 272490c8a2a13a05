import type { AssistantMessage, OpaqueContent, ToolCall } from "./message.ts"

/** A position in `AssistantMessage.content`, and the message so far. */
interface At {
  /** Index of the block this event is about. Stable for the whole stream. */
  readonly contentIndex: number
  /** Immutable snapshot: blocks that did not change keep their identity, so a UI can memoise on it. */
  readonly partial: AssistantMessage
}

/** One member of the union per type, so that `Extract` and narrowing find each. */
type Each<TType extends string> = TType extends string ? { readonly type: TType } : never

/**
 * One step of a streamed assistant message.
 *
 * Grammar: `start`; then per block `*_start`, any number of `*_delta`, `*_end`, where blocks may interleave
 * and `contentIndex` is dense and opens in order; then exactly one of `done` and `error`, and nothing after
 * it. A request that fails before its first byte is a lone `error`.
 *
 * A delivered event never changes. While a tool call is open, `partial.content[i].arguments` is a prefix of
 * what can be read of its JSON so far.
 */
export type AssistantMessageEvent =
  | { readonly type: "start"; readonly partial: AssistantMessage }
  | (Each<"text_start" | "thinking_start" | "toolcall_start" | "opaque_start"> & At)
  | (Each<"text_delta" | "thinking_delta" | "toolcall_delta"> & { readonly delta: string } & At)
  | ({ readonly type: "text_end"; readonly content: string; readonly signature?: string } & At)
  | ({
      readonly type: "thinking_end"
      readonly content: string
      readonly signature?: string
      readonly redacted?: boolean
    } & At)
  | ({ readonly type: "toolcall_end"; readonly toolCall: ToolCall } & At)
  | ({ readonly type: "opaque_end"; readonly content: OpaqueContent } & At)
  | {
      readonly type: "done"
      readonly reason: "stop" | "length" | "toolUse"
      readonly message: AssistantMessage
    }
  | { readonly type: "error"; readonly reason: "error" | "aborted"; readonly error: AssistantMessage }

/** The two events that end a stream. */
export type TerminalAssistantMessageEvent = Extract<AssistantMessageEvent, { type: "done" | "error" }>
