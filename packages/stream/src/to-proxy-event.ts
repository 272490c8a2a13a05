/**
 * The server's half of the proxy wire: an event without its snapshots.
 *
 * What the reader cannot rebuild from the deltas is said where it becomes known: what redacted thinking and a
 * vendor's own block hold when they open, signatures when a block ends.
 */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  OpaqueContent,
  ProxyAssistantMessageEvent,
  ThinkingContent,
  ToolCall,
} from "@heddle/types"

/**
 * Encodes the events of one stream, in their order.
 *
 * What becomes known of the whole message on the way (usage, the response's id) travels with the first event
 * that shows it, and not only with the last one: a reader that aborts keeps the usage seen so far.
 */
export function createProxyEncoder(): (event: AssistantMessageEvent) => ProxyAssistantMessageEvent {
  let previous: AssistantMessage | undefined
  return (event) => {
    const encoded = encode(event, previous)
    if ("partial" in event) previous = event.partial
    return encoded
  }
}

/** @returns the event as it goes over the wire: without snapshots, and without optional fields it has not. */
export function toProxyEvent(event: AssistantMessageEvent): ProxyAssistantMessageEvent {
  return encode(event, undefined)
}

function encode(
  event: AssistantMessageEvent,
  previous: AssistantMessage | undefined,
): ProxyAssistantMessageEvent {
  switch (event.type) {
    case "start": {
      const { api, provider, model, timestamp } = event.partial
      return { type: "start", api, provider, model, timestamp }
    }
    case "text_start":
      return { type: "text_start", ...at(event, previous) }
    case "thinking_start": {
      const { thinkingSignature, redacted } = blockOf<ThinkingContent>(event)
      return {
        type: "thinking_start",
        ...at(event, previous),
        ...(redacted && { ...signatureOf(thinkingSignature), redacted }),
      }
    }
    case "opaque_start": {
      const { kind = "", data = null } = blockOf<OpaqueContent>(event)
      return { type: "opaque_start", ...at(event, previous), content: { type: "opaque", kind, data } }
    }
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return { type: event.type, ...at(event, previous), delta: event.delta }
    case "text_end":
      return { type: "text_end", ...at(event, previous), ...signatureOf(event.signature) }
    case "thinking_end":
      return {
        type: "thinking_end",
        ...at(event, previous),
        ...signatureOf(event.signature),
        ...(event.redacted !== undefined && { redacted: event.redacted }),
      }
    case "toolcall_start": {
      const { id = "", name = "" } = blockOf<ToolCall>(event)
      return { type: "toolcall_start", ...at(event, previous), id, toolName: name }
    }
    case "toolcall_end":
      return { type: "toolcall_end", ...at(event, previous), toolCall: event.toolCall }
    case "opaque_end":
      return { type: "opaque_end", ...at(event, previous), content: event.content }
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

interface Placed {
  readonly contentIndex: number
  readonly partial: AssistantMessage
}

/** What the snapshot says of the event's block: nothing, in streams that have no proper snapshots. */
function blockOf<TContent>({ contentIndex, partial }: Placed): Partial<TContent> {
  return (partial?.content?.[contentIndex] ?? {}) as Partial<TContent>
}

type News = Pick<ProxyAssistantMessageEvent, "usage" | "responseId" | "responseModel" | "rawStopReason">

/** Where the event belongs, and what is new about the message as a whole. */
function at(
  { contentIndex, partial }: Placed,
  previous: AssistantMessage | undefined,
): { contentIndex: number } & News {
  if (!previous || !partial) return { contentIndex }
  const { usage, responseId, responseModel, rawStopReason } = partial
  return {
    contentIndex,
    ...(usage !== previous.usage && JSON.stringify(usage) !== JSON.stringify(previous.usage) && { usage }),
    ...(responseId !== undefined && responseId !== previous.responseId && { responseId }),
    ...(responseModel !== undefined && responseModel !== previous.responseModel && { responseModel }),
    ...(rawStopReason !== undefined && rawStopReason !== previous.rawStopReason && { rawStopReason }),
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
