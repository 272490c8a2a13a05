/**
 * The client's half of the proxy wire: the builder call that restores an event.
 *
 * What comes over a wire is not trusted. An event that does not fit (a delta for a block that was never
 * opened, an index that skips) fails the message as a protocol error, with what came before kept; an event type
 * from the future is skipped, and a field of another type than it should have counts as absent.
 */
import type {
  AssistantMessage,
  OpaqueContent,
  ProxyAssistantMessageEvent,
  StreamFailure,
  StreamFailureCode,
  ToolCall,
  Usage,
  UsageCost,
} from "@heddle/types"
import type { AssistantMessageBuilder } from "./assistant-message-builder.ts"

/** Replays one event of the wire onto a builder. Block keys are the content indices. */
export function applyProxyEvent(builder: AssistantMessageBuilder, event: ProxyAssistantMessageEvent): void {
  switch (event.type) {
    case "start": {
      const { api, provider, model, timestamp } = event
      builder.start({
        api: textOf(api),
        provider: textOf(provider),
        model: textOf(model),
        timestamp: isCount(timestamp) ? timestamp : undefined,
      })
      applyNews(builder, event)
      return
    }
    case "text_start":
      if (opens(builder, event)) builder.text(event.contentIndex, "")
      return
    case "thinking_start":
      if (!opens(builder, event)) return
      if (event.redacted) {
        builder.redactedThinking(event.contentIndex, textOf(event.contentSignature) ?? "")
      } else builder.thinking(event.contentIndex, "")
      return
    case "toolcall_start":
      if (opens(builder, event)) {
        builder.toolCall(event.contentIndex, {
          id: textOf(event.id) ?? "",
          name: textOf(event.toolName) ?? "",
        })
      }
      return
    case "opaque_start":
      if (opens(builder, event)) setOpaque(builder, event.contentIndex, event.content)
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
    case "thinking_end": {
      if (!isOpen(builder, event, event.type === "text_end" ? "text" : "thinking")) return
      const signature = textOf(event.contentSignature)
      if (event.type === "thinking_end" && event.redacted) {
        builder.redactedThinking(event.contentIndex, signature ?? "")
      } else if (signature !== undefined) builder.signature(event.contentIndex, signature)
      builder.close(event.contentIndex)
      return
    }
    case "toolcall_end":
      if (isOpen(builder, event, "toolCall")) closeCall(builder, event.contentIndex, event.toolCall)
      return
    case "opaque_end":
      if (!isOpen(builder, event, "opaque")) return
      if (!isObject(event.content)) violates(builder, event, "has no content")
      else {
        setOpaque(builder, event.contentIndex, event.content)
        builder.close(event.contentIndex)
      }
      return
    case "done":
      if (!DONE_REASONS.has(event.reason)) {
        violates(builder, event, "has an unknown reason")
        return
      }
      applyNews(builder, event)
      builder.done(event.reason)
      return
    case "error": {
      // A message that never began gets no news: telling them would begin it.
      if (builder.started) applyNews(builder, event)
      const failure = failureOf(event.failure)
      const message = textOf(event.errorMessage)
      if (event.reason === "aborted" || failure.code === "aborted") builder.abort(message)
      else builder.fail(failure, message || "The upstream failed")
      return
    }
    default:
      event satisfies never
  }
}

const DONE_REASONS: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse"])

const FAILURE_CODES: ReadonlySet<string> = new Set<StreamFailureCode>([
  "auth",
  "quota",
  "rate_limit",
  "overloaded",
  "context_overflow",
  "invalid_request",
  "content_filter",
  "network",
  "timeout",
  "aborted",
  "protocol",
  "server",
])

const COSTS = ["input", "output", "cacheRead", "cacheWrite", "total"] as const

/** What any event may say of the message as a whole. */
type News = Pick<ProxyAssistantMessageEvent, "usage" | "responseId" | "responseModel" | "rawStopReason">

type Placed = { readonly type: string; readonly contentIndex: number } & News

/** The event opens a new block exactly behind the ones there are. */
function opens(builder: AssistantMessageBuilder, event: Placed): boolean {
  const expected = builder.message.content.length
  if (event.contentIndex !== expected) {
    return violates(builder, event, `opens block ${event.contentIndex} where block ${expected} is next`)
  }
  applyNews(builder, event)
  return true
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
  if (content.type !== type) {
    return violates(builder, event, `is for block ${event.contentIndex}, which is of type ${content.type}`)
  }
  applyNews(builder, event)
  return true
}

function hasDelta(builder: AssistantMessageBuilder, event: { type: string; delta: string }): boolean {
  return typeof event.delta === "string" || violates(builder, event, "has no text")
}

function violates(builder: AssistantMessageBuilder, event: { type: string }, how: string): false {
  builder.fail({ code: "protocol", retryable: true }, `The stream broke its protocol: ${event.type} ${how}`)
  return false
}

function closeCall(builder: AssistantMessageBuilder, key: number, call: ToolCall | undefined): void {
  const argumentsError = textOf(call?.argumentsError)
  if (isObject(call)) {
    const signature = textOf(call.thoughtSignature)
    builder.toolCall(key, { id: textOf(call.id) ?? "", name: textOf(call.name) ?? "" })
    if (signature !== undefined) builder.signature(key, signature)
    // A call without arguments may have streamed nothing at all, and then nothing is missing.
    const isEmpty = Object.keys(call.arguments ?? {}).length === 0
    if (argumentsError === undefined && !isEmpty) builder.toolArguments(key, call.arguments)
  }
  builder.close(key, { argumentsError })
}

function setOpaque(builder: AssistantMessageBuilder, key: number, content: OpaqueContent | undefined): void {
  builder.opaque(key, textOf(content?.kind) ?? "", content?.data ?? null)
}

/** The usage of servers that speak an older wire may be missing or partial. */
function applyNews(
  builder: AssistantMessageBuilder,
  { usage, responseId, responseModel, rawStopReason }: News,
): void {
  if (isObject(usage)) builder.usage({ ...usage, cost: costOf(usage) })
  if (textOf(responseId)) builder.responseId(responseId as string)
  if (textOf(responseModel)) builder.responseModel(responseModel as string)
  if (typeof rawStopReason === "string") builder.rawStopReason(rawStopReason)
}

function costOf({ cost }: Usage): Partial<UsageCost> {
  return Object.fromEntries(COSTS.map((part) => [part, cost?.[part]]).filter(([, price]) => isCount(price)))
}

function failureOf(failure: StreamFailure | undefined): StreamFailure {
  const { code, retryable, status, retryAfterMs } = failure ?? UNKNOWN
  return {
    code: FAILURE_CODES.has(code) ? code : "unknown",
    retryable: retryable === true,
    ...(isCount(status) && { status }),
    ...(isCount(retryAfterMs) && { retryAfterMs }),
  }
}

const UNKNOWN: StreamFailure = { code: "unknown", retryable: false }

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity
}

function isObject<T>(value: T): value is T & object {
  return typeof value === "object" && value !== null
}
