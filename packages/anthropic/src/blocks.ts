/**
 * Follows the content blocks of one response from start to stop.
 *
 * Text, thinking and calls grow on the builder as they arrive. What is none of these becomes an opaque block,
 * whole when it stops: server tools, their results, summaries, changes of model.
 */
import { type AssistantMessageBuilder, type BlockKey, parseStreamingJson } from "@heddle/stream"
import { isWireObject, objectOf, objectsOf, textOf, type WireObject } from "./wire.ts"

/** What is remembered of a block until it closes. */
interface Block {
  readonly key: BlockKey
  readonly type: string
  /** As it was opened, and for opaque blocks as it has become. */
  data: WireObject
  /** The JSON of its input, as far as it came in pieces. */
  input: string
  readonly citations: WireObject[]
}

export class Blocks {
  readonly #message: AssistantMessageBuilder
  readonly #round: number
  /** By the vendor's `index`. */
  readonly #open = new Map<unknown, Block>()
  /** A call without arguments that has stopped: whether it was cut off shows in what follows. */
  #unsure: Block | undefined
  #count = 0
  #calls = 0

  /** @param round Keys of rounds after the first are prefixed by it. */
  constructor(message: AssistantMessageBuilder, round: number) {
    this.#message = message
    this.#round = round
  }

  /** How many have been started. */
  get count(): number {
    return this.#count
  }

  /** How many of them are calls of the client's tools. */
  get calls(): number {
    return this.#calls
  }

  start(index: unknown, data: WireObject): void {
    this.#closeUnsure()
    const type = textOf(data.type)
    if (type === "") return // what arrives for it says what it is
    const key = this.#keyOf(index)
    this.#open.set(index, { key, type, data, input: "", citations: [...objectsOf(data.citations)] })
    this.#count++
    switch (type) {
      case "text":
        this.#message.text(key, textOf(data.text))
        break
      case "thinking":
        this.#message.thinking(key, textOf(data.thinking))
        this.#sign(key, data.signature)
        break
      case "redacted_thinking":
        this.#message.redactedThinking(key, textOf(data.data))
        break
      case "tool_use":
        this.#calls++
        this.#message.toolCall(key, { id: textOf(data.id), name: textOf(data.name) })
        this.#signCall(key, data)
        break
      default:
        this.#message.opaque(key, type, data)
        // From here on another model answers, and the usage is its own.
        if (type === "fallback") this.#message.responseModel(textOf(objectOf(data.to).model))
    }
  }

  /** Blocks that nobody has started are opened by what arrives for them. */
  delta(index: unknown, delta: WireObject): void {
    const block = this.#open.get(index)
    const key = block?.key ?? this.#keyOf(index)
    switch (delta.type) {
      case "text_delta":
        this.#message.text(key, textOf(delta.text))
        break
      case "thinking_delta":
        this.#message.thinking(key, textOf(delta.thinking))
        break
      case "signature_delta":
        this.#sign(key, delta.signature)
        break
      case "citations_delta":
        if (isWireObject(delta.citation)) block?.citations.push(delta.citation)
        break
      case "input_json_delta":
        this.#input(key, block, textOf(delta.partial_json))
        break
      case "compaction_delta": {
        const { type: _, ...summary } = delta
        if (block) block.data = { ...block.data, ...summary }
        break
      }
    }
  }

  stop(index: unknown): void {
    const block = this.#open.get(index)
    this.#open.delete(index)
    if (!block) {
      this.#message.close(this.#keyOf(index))
    } else if (block.type === "tool_use" && block.input === "" && !this.#wholeInput(block)) {
      this.#closeUnsure()
      this.#unsure = block
    } else {
      this.#close(block)
    }
  }

  /** @param isCut The answer was cut off: a call that had not begun its arguments stays open, to be told of. */
  stopAll(isCut: boolean): void {
    for (const index of this.#open.keys()) this.stop(index)
    if (!isCut) this.#closeUnsure()
  }

  #close({ key, type, data, input, citations }: Block): void {
    if (citations.length > 0) this.#message.signature(key, JSON.stringify({ citations }))
    if (isOpaque(type)) {
      this.#message.opaque(key, type, input === "" ? data : { ...data, input: parseStreamingJson(input) })
    }
    this.#message.close(key)
  }

  #closeUnsure(): void {
    if (this.#unsure) this.#close(this.#unsure)
    this.#unsure = undefined
  }

  #input(key: BlockKey, block: Block | undefined, json: string): void {
    if (block) block.input += json
    if (block === undefined || block.type === "tool_use") this.#message.toolInput(key, json)
  }

  /** Normally `{}`, which says nothing; calls out of a sandbox have everything here, some servers as text. */
  #wholeInput({ key, data: { input } }: Block): boolean {
    const isWhole = isWireObject(input) ? Object.keys(input).length > 0 : textOf(input) !== ""
    if (isWhole) this.#message.toolArguments(key, input)
    return isWhole
  }

  #sign(key: BlockKey, signature: unknown): void {
    if (textOf(signature) !== "") this.#message.signature(key, textOf(signature))
  }

  /** Who calls (`caller`), and whatever else the vendor wants back with a call. */
  #signCall(key: BlockKey, { type: _, id: __, name: ___, input: ____, ...rest }: WireObject): void {
    if (Object.keys(rest).length > 0) this.#message.signature(key, JSON.stringify(rest))
  }

  #keyOf(index: unknown): BlockKey {
    return this.#round === 0 && typeof index === "number" ? index : `${this.#round}:${index}`
  }
}

function isOpaque(type: string): boolean {
  return type !== "text" && type !== "thinking" && type !== "redacted_thinking" && type !== "tool_use"
}
