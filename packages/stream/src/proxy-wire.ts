/**
 * The two halves of the proxy wire: an event without its snapshot, and the builder call that restores it.
 *
 * What comes over a wire is not trusted to be in grammar. An event that does not fit (a delta for a block
 * that was never opened, an index that skips) fails the message as a protocol error, with what came before
 * kept; an event type from the future is skipped.
 *
 * This file does no input or output; framing, heartbeats and resuming are the proxy packages'.
 */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  OpaqueContent,
  ProxyAssistantMessageEvent,
  StreamFailure,
  ToolCall,
} from "@heddle/types"
import type { AssistantMessageBuilder } from "./assistant-message-builder.ts"

/** @returns the event as it goes over the wire: without snapshots, and without optional fields it has not. */
export function toProxyEvent(event: AssistantMessageEvent): ProxyAssistantMessageEvent {
  switch (event.type) {
    case "start": {
      const { api, provider, model, timestamp } = event.partial
      return { type: "start", api, provider, model, timestamp }
    }
    case "text_start":
    case "thinking_start":
    case "opaque_start":
      return { type: event.type, contentIndex: event.contentIndex }
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return { type: event.type, contentIndex: event.contentIndex, delta: event.delta }
    case "text_end":
      return { type: "text_end", contentIndex: event.contentIndex, ...signatureOf(event.signature) }
    case "thinking_end":
      return {
        type: "thinking_end",
        contentIndex: event.contentIndex,
        ...signatureOf(event.signature),
        ...(event.redacted !== undefined && { redacted: event.redacted }),
      }
    case "toolcall_start": {
      const call = event.partial.content[event.contentIndex] as ToolCall
      return { type: "toolcall_start", contentIndex: event.contentIndex, id: call.id, toolName: call.name }
    }
    case "toolcall_end":
      return { type: "toolcall_end", contentIndex: event.contentIndex, toolCall: event.toolCall }
    case "opaque_end":
      return { type: "opaque_end", contentIndex: event.contentIndex, content: event.content }
    case "done":
      return { type: "done", reason: event.reason, ...closingOf(event.message) }
    case "error": {
      const { errorMessage, failure } = event.error
      return {
        type: "error",
        reason: event.reason,
        ...(errorMessage !== undefined && { errorMessage }),
        ...(failure !== undefined && { failure }),
        ...closingOf(event.error),
      }
    }
  }
}

function signatureOf(signature: string | undefined): { contentSignature?: string } {
  return signature === undefined ? {} : { contentSignature: signature }
}

function closingOf({ usage, responseId, responseModel, rawStopReason }: AssistantMessage) {
  return {
    usage,
    ...(responseId !== undefined && { responseId }),
    ...(responseModel !== undefined && { responseModel }),
    ...(rawStopReason !== undefined && { rawStopReason }),
  }
}

/** Replays one event of the wire onto a builder. Block keys are the content indices. */
export function applyProxyEvent(builder: AssistantMessageBuilder, event: ProxyAssistantMessageEvent): void {
  switch (event.type) {
    case "start":
      builder.start(event)
      return
    case "text_start":
      if (opens(builder, event)) builder.text(event.contentIndex, "")
      return
    case "thinking_start":
      if (opens(builder, event)) builder.thinking(event.contentIndex, "")
      return
    case "toolcall_start":
      if (opens(builder, event)) {
        builder.toolCall(event.contentIndex, { id: event.id, name: event.toolName })
      }
      return
    case "opaque_start":
      if (opens(builder, event)) builder.opaque(event.contentIndex, "", null)
      return
    case "text_delta":
      if (isOpen(builder, event, "text") && hasDelta(builder, event)) {
        builder.text(event.contentIndex, event.delta)
      }
      return
    case "thinking_delta":
      if (isOpen(builder, event, "thinking") && hasDelta(builder, event)) {
        builder.thinking(event.contentIndex, event.delta)
      }
      return
    case "toolcall_delta":
      if (isOpen(builder, event, "toolCall") && hasDelta(builder, event)) {
        builder.toolInput(event.contentIndex, event.delta)
      }
      return
    case "text_end":
      if (!isOpen(builder, event, "text")) return
      if (event.contentSignature !== undefined) builder.signature(event.contentIndex, event.contentSignature)
      builder.close(event.contentIndex)
      return
    case "thinking_end":
      if (!isOpen(builder, event, "thinking")) return
      if (event.redacted) builder.redactedThinking(event.contentIndex, event.contentSignature ?? "")
      else if (event.contentSignature !== undefined) {
        builder.signature(event.contentIndex, event.contentSignature)
      }
      builder.close(event.contentIndex)
      return
    case "toolcall_end":
      if (isOpen(builder, event, "toolCall")) closeCall(builder, event.contentIndex, event.toolCall)
      return
    case "opaque_end":
      if (!isOpen(builder, event, "opaque")) return
      if (!isObject(event.content)) violates(builder, event, "has no content")
      else closeOpaque(builder, event.contentIndex, event.content)
      return
    case "done":
      if (!DONE_REASONS.has(event.reason)) {
        violates(builder, event, "has an unknown reason")
        return
      }
      applyClosing(builder, event)
      builder.done(event.reason)
      return
    case "error":
      applyClosing(builder, event)
      if (event.reason === "aborted") builder.abort(event.errorMessage)
      else builder.fail(event.failure ?? UNKNOWN, event.errorMessage ?? "The upstream failed")
      return
    default:
      event satisfies never
  }
}

const DONE_REASONS: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse"])

const UNKNOWN: StreamFailure = { code: "unknown", retryable: false }

type Placed = { readonly type: string; readonly contentIndex: number }

/** The event opens a new block exactly behind the ones there are. */
function opens(builder: AssistantMessageBuilder, event: Placed): boolean {
  const expected = builder.message.content.length
  return (
    event.contentIndex === expected ||
    violates(builder, event, `opens block ${event.contentIndex} where block ${expected} is next`)
  )
}

function isOpen(
  builder: AssistantMessageBuilder,
  event: Placed,
  type: AssistantMessage["content"][number]["type"],
): boolean {
  const content = builder.message.content[event.contentIndex]
  if (content === undefined || !builder.isOpen(event.contentIndex)) {
    return violates(builder, event, `is for block ${event.contentIndex}, which is not open`)
  }
  return (
    content.type === type ||
    violates(builder, event, `is for block ${event.contentIndex}, which is of type ${content.type}`)
  )
}

function hasDelta(builder: AssistantMessageBuilder, event: { type: string; delta: string }): boolean {
  return typeof event.delta === "string" || violates(builder, event, "has no text")
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null
}

function violates(builder: AssistantMessageBuilder, event: { type: string }, how: string): false {
  builder.fail({ code: "protocol", retryable: true }, `The stream broke its protocol: ${event.type} ${how}`)
  return false
}

function closeCall(builder: AssistantMessageBuilder, key: number, call: ToolCall | undefined): void {
  if (isObject(call) && call) {
    builder.toolCall(key, call)
    if (call.thoughtSignature !== undefined) builder.signature(key, call.thoughtSignature)
    const { argumentsError } = call
    // A call without arguments may have streamed nothing at all, and then nothing is missing.
    const isEmpty = Object.keys(call.arguments ?? {}).length === 0
    if (argumentsError === undefined && !isEmpty) builder.toolArguments(key, call.arguments)
    builder.close(key, { argumentsError })
  } else {
    builder.close(key)
  }
}

function closeOpaque(builder: AssistantMessageBuilder, key: number, content: OpaqueContent): void {
  builder.opaque(key, content.kind, content.data)
  builder.close(key)
}

/** What the terminal events have in common. A message that never began gets none of it, and no `start`. */
function applyClosing(
  builder: AssistantMessageBuilder,
  event: Extract<ProxyAssistantMessageEvent, { type: "done" | "error" }>,
): void {
  if (event.type === "error" && !builder.started) return
  // The usage of servers that speak an older wire may be missing or partial.
  if (event.usage) builder.usage(event.usage)
  if (event.responseId !== undefined) builder.responseId(event.responseId)
  if (event.responseModel !== undefined) builder.responseModel(event.responseModel)
  if (event.rawStopReason !== undefined) builder.rawStopReason(event.rawStopReason)
}
