/**
 * Which event says what about the output, as a table.
 *
 * An event is about one item, mostly about one part of it. What the item makes of it is the item's business.
 */
import { isWireObject, type WireObject } from "@heddle/provider-kit"
import { CustomCallItem, FunctionCallItem } from "./call-item.ts"
import { isTextPart, MessageItem } from "./message-item.ts"
import type { OutputItems } from "./output-items.ts"
import { ReasoningItem } from "./reasoning-item.ts"

/** Writes what an event says to the item that it is about. */
export type OutputEvent = (items: OutputItems, event: WireObject) => void

/** By the type of the event. Events that are not here say nothing that would not be said again. */
export const OUTPUT_EVENTS: ReadonlyMap<string, OutputEvent> = new Map(
  Object.entries<OutputEvent>({
    "response.output_item.added": (items, event) => items.added(event),
    "response.output_item.done": (items, event) => items.done(event),

    "response.content_part.added": wholePart,
    "response.content_part.done": wholePart,
    "response.output_text.delta": toMessage((item, at, event) => item.text(at, event.delta)),
    "response.output_text.done": toMessage((item, at, event) => item.wholeText(at, event.text)),
    "response.output_text.annotation.added": toMessage((item, at, event) =>
      item.annotation(at, event.annotation),
    ),
    "response.refusal.delta": toMessage((item, at, event) => item.text(at, event.delta)),
    "response.refusal.done": toMessage((item, at, event) => item.wholeText(at, event.refusal)),

    "response.reasoning_summary_part.added": toSummary((item, at) => item.part("summary", at)),
    "response.reasoning_summary_text.delta": toSummary((item, at, { delta }) =>
      item.text("summary", at, delta),
    ),
    "response.reasoning_summary_text.done": toSummary((item, at, { text }) =>
      item.wholeText("summary", at, text),
    ),
    "response.reasoning_text.delta": toReasoning((item, at, { delta }) => item.text("content", at, delta)),
    "response.reasoning_text.done": toReasoning((item, at, { text }) => item.wholeText("content", at, text)),

    "response.function_call_arguments.delta": (items, event) =>
      items.use(event, FunctionCallItem)?.input(event.delta),
    "response.function_call_arguments.done": (items, event) =>
      items.use(event, FunctionCallItem)?.wholeInput(event.arguments),
    "response.custom_tool_call_input.delta": (items, event) =>
      items.use(event, CustomCallItem)?.input(event.delta),
    "response.custom_tool_call_input.done": (items, event) =>
      items.use(event, CustomCallItem)?.wholeInput(event.input),
  }),
)

/** Writes to one part of an item. */
type PartWriter<TItem> = (item: TItem, part: number, event: WireObject) => void

function toMessage(write: PartWriter<MessageItem>): OutputEvent {
  return (items, event) => {
    const item = items.use(event, MessageItem)
    if (item) write(item, indexOf(event.content_index), event)
  }
}

function toSummary(write: PartWriter<ReasoningItem>): OutputEvent {
  return (items, event) => {
    const item = items.use(event, ReasoningItem)
    if (item) write(item, indexOf(event.summary_index), event)
  }
}

function toReasoning(write: PartWriter<ReasoningItem>): OutputEvent {
  return (items, event) => {
    const item = items.use(event, ReasoningItem)
    if (item) write(item, indexOf(event.content_index), event)
  }
}

/** Parts of reasoning are announced by the same event; they say nothing new. */
function wholePart(items: OutputItems, event: WireObject): void {
  if (!isWireObject(event.part) || !isTextPart(event.part)) return
  items.use(event, MessageItem)?.wholePart(indexOf(event.content_index), event.part)
}

function indexOf(value: unknown): number {
  return typeof value === "number" ? value : 0
}
