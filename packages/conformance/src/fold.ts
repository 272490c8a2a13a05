/**
 * The message that a stream's events tell, computed from the events alone.
 *
 * Text is what its deltas add up to and arguments are what the deltas parse to, not what the end events or
 * the snapshots repeat: so a dropped delta shows as a message that differs from `result()`. What no delta
 * carries comes from the event that does: signatures and call ids from the `*_end` events, identity from
 * `start`, usage and stop reason from the terminal event.
 *
 * It checks nothing but what it needs in order to fold; see `grammar.ts`.
 */
import type { AssistantMessage, AssistantMessageEvent, ToolCall, ToolCallArguments } from "@heddle/types"
import { isObject } from "./difference.ts"
import { ConformanceError, violation } from "./violation.ts"

type Content = AssistantMessage["content"][number]

/** A block while it is folded. */
interface Block {
  readonly kind: Content["type"]
  /** What the deltas add up to. */
  text: string
  content: Content
}

/**
 * Folds the events of one stream; deep-equals the stream's `result()`.
 *
 * Events that stop before a terminal event give the message so far, `stopReason` `"stop"`.
 *
 * @throws {ConformanceError} when an event belongs to no block that was opened, or when there is nothing to
 * fold a message from.
 */
export function fold(events: readonly AssistantMessageEvent[]): AssistantMessage {
  const blocks: Block[] = []
  let head: AssistantMessage | undefined
  let terminal: AssistantMessage | undefined
  events.forEach((event, index) => {
    if (terminal) return
    if (event.type === "done") terminal = event.message
    else if (event.type === "error") terminal = event.error
    else if (event.type === "start") head ??= event.partial
    else apply(event, blocks, index)
  })
  const last = terminal ?? lastPartial(events)
  if (!last) throw cannot("there is no event that carries a message")
  const { api, provider, model, timestamp } = head ?? last
  return { ...last, api, provider, model, timestamp, content: blocks.map(({ content }) => content) }
}

type BlockEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>

function apply(event: BlockEvent, blocks: Block[], index: number): void {
  if (isStart(event)) {
    const content = opened(event)
    blocks[event.contentIndex] = { kind: content.type, text: "", content }
    return
  }
  const block = blocks[event.contentIndex]
  if (!block || block.kind !== KIND[event.type]) {
    throw cannot(`block ${event.contentIndex} was not opened by ${STARTED_BY[event.type]}`, index, event.type)
  }
  if (event.type === "opaque_end") block.content = event.content
  else if (event.type === "toolcall_end") block.content = finishCall(block.text, event.toolCall)
  else if (event.type === "text_end") {
    block.content = {
      type: "text",
      text: block.text,
      ...(event.signature !== undefined && { textSignature: event.signature }),
    }
  } else if (event.type === "thinking_end") {
    block.content = {
      type: "thinking",
      thinking: block.text,
      ...(event.signature !== undefined && { thinkingSignature: event.signature }),
      ...(event.redacted !== undefined && { redacted: event.redacted }),
    }
  } else grow(block, event)
}

function grow(block: Block, event: Extract<BlockEvent, { delta: string }>): void {
  block.text += event.delta
  if (event.type === "text_delta") block.content = { type: "text", text: block.text }
  else if (event.type === "thinking_delta") block.content = { type: "thinking", thinking: block.text }
  else block.content = event.partial?.content[event.contentIndex] ?? block.content
}

const KIND = {
  text_delta: "text",
  text_end: "text",
  thinking_delta: "thinking",
  thinking_end: "thinking",
  toolcall_delta: "toolCall",
  toolcall_end: "toolCall",
  opaque_end: "opaque",
} as const

const STARTED_BY = {
  text_delta: "text_start",
  text_end: "text_start",
  thinking_delta: "thinking_start",
  thinking_end: "thinking_start",
  toolcall_delta: "toolcall_start",
  toolcall_end: "toolcall_start",
  opaque_end: "opaque_start",
} as const

type StartEvent = Extract<
  BlockEvent,
  { type: "text_start" | "thinking_start" | "toolcall_start" | "opaque_start" }
>

function isStart(event: BlockEvent): event is StartEvent {
  return event.type.endsWith("_start")
}

/** Ids, names and kinds have no event of their own before the end: an open block shows the snapshot's. */
function opened(event: StartEvent): Content {
  if (event.type === "text_start") return { type: "text", text: "" }
  if (event.type === "thinking_start") return { type: "thinking", thinking: "" }
  const shown = event.partial?.content[event.contentIndex]
  if (event.type === "toolcall_start") {
    return shown?.type === "toolCall" ? shown : { type: "toolCall", id: "", name: "", arguments: {} }
  }
  return shown?.type === "opaque" ? shown : { type: "opaque", kind: "", data: null }
}

/** A call whose arguments are broken has no others than the adapter's reading of them. */
function finishCall(text: string, call: ToolCall): ToolCall {
  if (call.argumentsError !== undefined) return call
  return { ...call, arguments: parseArguments(text) ?? call.arguments }
}

/**
 * @returns the arguments that this JSON means: none at all for an empty text or for `null`, which vendors
 * send for a call without arguments; undefined where it is no JSON object.
 */
export function parseArguments(text: string): ToolCallArguments | undefined {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed === "null") return {}
  try {
    const value: unknown = JSON.parse(trimmed)
    return isObject(value) && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function lastPartial(events: readonly AssistantMessageEvent[]): AssistantMessage | undefined {
  return events.reduce<AssistantMessage | undefined>(
    (last, event) => ("partial" in event ? event.partial : last),
    undefined,
  )
}

function cannot(why: string, index?: number, event?: string): ConformanceError {
  return new ConformanceError("These events cannot be folded", [violation("fold", why, index, event)])
}
