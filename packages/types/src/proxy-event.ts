import type { StreamFailure } from "./failure.ts"
import type { OpaqueContent, ToolCall } from "./message.ts"
import type { Usage } from "./usage.ts"

/** One member of the union per type, so that `Extract` and narrowing find each. */
type Each<TType extends string> = TType extends string ? { readonly type: TType } : never

/**
 * One event of the proxy wire: an `AssistantMessageEvent` without its snapshot, which the reader rebuilds.
 *
 * Fields are only ever added; readers ignore what they do not know.
 */
export type ProxyAssistantMessageEvent =
  | {
      readonly type: "start"
      readonly api?: string
      readonly provider?: string
      readonly model?: string
      /** Unix milliseconds. */
      readonly timestamp?: number
    }
  | (Each<"text_start" | "thinking_start" | "opaque_start"> & { readonly contentIndex: number })
  | (Each<"text_delta" | "thinking_delta" | "toolcall_delta"> & {
      readonly contentIndex: number
      readonly delta: string
    })
  | { readonly type: "text_end"; readonly contentIndex: number; readonly contentSignature?: string }
  | {
      readonly type: "thinking_end"
      readonly contentIndex: number
      readonly contentSignature?: string
      readonly redacted?: boolean
    }
  | {
      readonly type: "toolcall_start"
      readonly contentIndex: number
      readonly id: string
      readonly toolName: string
    }
  | { readonly type: "toolcall_end"; readonly contentIndex: number; readonly toolCall?: ToolCall }
  | { readonly type: "opaque_end"; readonly contentIndex: number; readonly content: OpaqueContent }
  | {
      readonly type: "done"
      readonly reason: "stop" | "length" | "toolUse"
      readonly usage: Usage
      readonly responseId?: string
      readonly responseModel?: string
      readonly rawStopReason?: string
    }
  | {
      readonly type: "error"
      readonly reason: "error" | "aborted"
      readonly errorMessage?: string
      readonly failure?: StreamFailure
      readonly usage: Usage
      readonly responseId?: string
      readonly responseModel?: string
      readonly rawStopReason?: string
    }
