/**
 * Immutable copies of what a foreign StreamFn delivers.
 *
 * Many producers keep one message and write into it. What a reader of the loop holds must not change under
 * it, so the message, its usage, its content array and the block an event is about are copied; the other
 * blocks are the copies made before. Streams that promise snapshots do not come here.
 *
 * A producer that is faster than its reader has written one state into all the events that wait. They share one
 * snapshot.
 */
import type { AssistantMessage, AssistantMessageEvent, ToolCallArguments } from "@heddle/types"

type Content = AssistantMessage["content"][number]

/** An event that is about a block. */
export type UpdateEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>

/** Copies what one stream delivers. */
export interface SnapshotCopier {
  /** A whole message: the first one, or the last. */
  message(message: AssistantMessage): AssistantMessage
  /** @param late Nothing but its reader has run since the event before it was read. */
  event(event: UpdateEvent, late: boolean): UpdateEvent
}

export function copySnapshots(): SnapshotCopier {
  let original: AssistantMessage | undefined
  let latest: AssistantMessage | undefined
  let blocks: readonly Content[] = []
  /** The producer's own arguments objects, as last seen, by content index. */
  const seen: (ToolCallArguments | undefined)[] = []

  /**
   * A producer that makes a new arguments object for each event does not write into the old ones, so only an
   * object that is new to us, or the one of the event before, has to be copied: all others cost nothing.
   */
  function copyChanged(block: Content, index: number): Content {
    if (block.type !== "toolCall") return { ...block }
    const before = seen[index]
    const given = block.arguments
    seen[index] = given
    return { ...block, arguments: before === undefined || before === given ? copyJson(given) : given }
  }

  function snapshotOf(partial: AssistantMessage, changed: number, late: boolean): AssistantMessage {
    const { content } = partial
    if (late && latest && original === partial && hasSameText(content[changed], blocks[changed]))
      return latest
    const copies = blocks.slice(0, content.length)
    if (changed < copies.length) copies[changed] = copyChanged(content[changed]!, changed)
    while (copies.length < content.length) {
      copies.push(copyChanged(content[copies.length]!, copies.length))
    }
    blocks = copies
    original = partial
    latest = copyMessage(partial, copies)
    return latest
  }

  return {
    message(message) {
      blocks = message.content.map(copyBlock)
      return copyMessage(message, blocks)
    },
    event(event, late) {
      const { type, contentIndex } = event
      const partial = snapshotOf(event.partial, contentIndex, late)
      // Written out, because nearly all events are deltas, and a literal is the fastest copy.
      if (type === "text_delta" || type === "thinking_delta" || type === "toolcall_delta") {
        return { type, contentIndex, delta: event.delta, partial }
      }
      const copy = { ...event, partial }
      if (copy.type === "toolcall_end") return { ...copy, toolCall: copyBlock(copy.toolCall) }
      if (copy.type === "opaque_end") return { ...copy, content: { ...copy.content } }
      return copy
    },
  }
}

function copyMessage(message: AssistantMessage, content: readonly Content[]): AssistantMessage {
  const { usage } = message
  // Producers without types may have none.
  return usage
    ? { ...message, usage: { ...usage, cost: { ...usage.cost } }, content }
    : { ...message, content }
}

function copyBlock<TContent extends Content>(block: TContent): TContent {
  return block.type === "toolCall" ? { ...block, arguments: copyJson(block.arguments) } : { ...block }
}

/** Spreading and then assigning keeps a `__proto__` key of JSON what it is: a key. */
function copyJson<T>(value: T): T {
  if (!isObject(value)) return value
  if (Array.isArray(value)) return value.map(copyJson) as T
  const copy = { ...value }
  for (const key of Object.keys(copy) as (keyof T)[]) {
    const member = copy[key]
    if (isObject(member)) copy[key] = copyJson(member)
  }
  return copy
}

/** Whether a block shows what its copy does: after a delta that was not read too late, it is longer. */
function hasSameText(block: Content | undefined, copy: Content | undefined): boolean {
  if (block?.type === "text") return copy?.type === "text" && copy.text === block.text
  return block?.type === "thinking" && copy?.type === "thinking" && copy.thinking === block.thinking
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
