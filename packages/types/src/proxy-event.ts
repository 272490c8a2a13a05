import type { StreamFailure } from "./failure.ts"
import type { OpaqueContent, ToolCall } from "./message.ts"
import type { Usage } from "./usage.ts"

/** One member of the union per type, so that `Extract` and narrowing find each. */
type Each<TType extends string> = TType extends string ? { readonly type: TType } : never

/** What became known of the whole message since the event before. Each field replaces what was known. */
interface News {
  readonly usage?: Usage
  readonly responseId?: string
  readonly responseModel?: string
  readonly rawStopReason?: string
}

/** Which block an event is about. */
interface At extends News {
  readonly contentIndex: number
}

/**
 * One event of the proxy wire: an `AssistantMessageEvent` without its snapshot, which the reader rebuilds.
 *
 * Fields are only ever added; readers ignore what they do not know.
 */
export type ProxyAssistantMessageEvent =
  | ({
      readonly type: "start"
      readonly api?: string
      readonly provider?: string
      readonly model?: string
      /** Unix milliseconds. */
      readonly timestamp?: number
    } & News)
  | ({ readonly type: "text_start" } & At)
  | ({
      readonly type: "thinking_start"
      /** The payload of thinking that is redacted. */
      readonly contentSignature?: string
      readonly redacted?: boolean
    } & At)
  | ({ readonly type: "toolcall_start"; readonly id: string; readonly toolName: string } & At)
  | ({
      readonly type: "opaque_start"
      /** What is known of the block when it opens. */
      readonly content?: OpaqueContent
    } & At)
  | (Each<"text_delta" | "thinking_delta" | "toolcall_delta"> & { readonly delta: string } & At)
  | ({ readonly type: "text_end"; readonly contentSignature?: string } & At)
  | ({
      readonly type: "thinking_end"
      readonly contentSignature?: string
      readonly redacted?: boolean
    } & At)
  | ({ readonly type: "toolcall_end"; readonly toolCall?: ToolCall } & At)
  | ({ readonly type: "opaque_end"; readonly content: OpaqueContent } & At)
  | ({
      readonly type: "done"
      readonly reason: "stop" | "length" | "toolUse"
      readonly usage: Usage
    } & News)
  | ({
      readonly type: "error"
      readonly reason: "error" | "aborted"
      readonly errorMessage?: string
      readonly failure?: StreamFailure
      readonly usage: Usage
    } & News)
