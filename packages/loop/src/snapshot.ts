/**
 * Immutable copies of what a foreign StreamFn delivers.
 *
 * Many producers keep one message and write into it. What a reader of the loop holds must not change under
 * it, so the message, its usage, its content array and the block an event is about are copied; the other
 * blocks are the copies made before. Streams that promise snapshots do not come here.
 */
import type { AssistantMessage, AssistantMessageEvent, ToolCallArguments } from "@heddle/types"

type Content = AssistantMessage["content"][number]
type UpdateEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>

/** Copies the events of one stream. */
export class SnapshotCopier {
  #content: readonly Content[] = []
  /** The producer's own arguments objects, as last seen, by content index. */
  readonly #arguments = new Map<number, ToolCallArguments>()

  /** A whole message: the first one, or the last. */
  message(message: AssistantMessage): AssistantMessage {
    this.#content = message.content.map((block) => this.#block(block, cloneJson))
    return this.#around(message)
  }

  event<TEvent extends UpdateEvent>(event: TEvent): TEvent {
    const { contentIndex } = event
    this.#content = event.partial.content.map((block, index) => {
      const known = this.#content[index]
      if (index !== contentIndex && known) return known
      return this.#block(block, (value) => this.#argumentsAt(index, value))
    })
    const copy = { ...event, partial: this.#around(event.partial) }
    const block = this.#content[contentIndex]
    if (copy.type === "toolcall_end" && block?.type === "toolCall") {
      return { ...copy, toolCall: this.#block(copy.toolCall, cloneJson) }
    }
    if (copy.type === "opaque_end") return { ...copy, content: { ...copy.content } }
    return copy
  }

  /** The message with the blocks we have copied. */
  #around(message: AssistantMessage): AssistantMessage {
    const { usage } = message
    return {
      ...message,
      ...(usage && { usage: { ...usage, cost: { ...usage.cost } } }),
      content: this.#content,
    }
  }

  #block(block: Content, copyArguments: (value: ToolCallArguments) => ToolCallArguments): Content {
    return block.type === "toolCall" ? { ...block, arguments: copyArguments(block.arguments) } : { ...block }
  }

  /**
   * A producer that makes a new object for each event does not write into the old ones, so only an object
   * that is new to us, or the one of the event before, has to be copied: all others cost nothing.
   */
  #argumentsAt(index: number, value: ToolCallArguments): ToolCallArguments {
    const known = this.#arguments.get(index)
    this.#arguments.set(index, value)
    return known === undefined || known === value ? cloneJson(value) : value
  }
}

function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(cloneJson) as T
  // `fromEntries` defines own properties, so that a "__proto__" key stays one.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cloneJson(member)])) as T
}
