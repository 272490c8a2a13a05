import { objectsOf, textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import type { OutputItem } from "./output-item.ts"
import { StreamedText } from "./streamed-text.ts"

/** What of the thinking can be read: a summary of it, or the thinking itself. Either comes in parts. */
export type ReasoningKind = "summary" | "content"

/** Between parts: each is a paragraph, often with a title. */
const SEPARATOR = "\n\n"

/**
 * A reasoning item: one thinking block, whose signature is the whole item.
 *
 * The block is there also when nothing of the thinking can be read, because the item must go back.
 */
export class ReasoningItem implements OutputItem {
  readonly #message: AssistantMessageBuilder
  readonly #key: string
  readonly #all = new StreamedText()
  /** The part that is being written. */
  #part = new StreamedText()
  #kind: ReasoningKind | undefined
  #index = 0

  constructor(message: AssistantMessageBuilder, key: string) {
    this.#message = message
    this.#key = key
    message.thinking(key, "")
  }

  added(): void {}

  /** The vendor announces a part, or writes to it. */
  part(kind: ReasoningKind, index: number): void {
    if (this.#kind === undefined) this.#begin(kind, index)
    else if (kind !== this.#kind || index > this.#index) {
      this.#feed(SEPARATOR)
      this.#begin(kind, index)
    }
  }

  text(kind: ReasoningKind, index: number, delta: unknown): void {
    if (typeof delta !== "string") return
    this.part(kind, index)
    this.#feed(delta)
  }

  /** A part that says again in another way what was streamed is not shown twice. */
  wholeText(kind: ReasoningKind, index: number, text: unknown): void {
    if (typeof text !== "string" || (this.#kind !== undefined && kind !== this.#kind)) return
    if (this.#kind !== undefined && index < this.#index) return
    this.part(kind, index)
    this.#feed(this.#part.rest(text))
  }

  done(item: WireObject): void {
    const summary = textsOf(item.summary)
    const kind = this.#kind ?? (summary.length > 0 ? "summary" : "content")
    const whole = kind === "summary" ? summary : textsOf(item.content)
    if (whole.length > 0) this.#feed(this.#all.rest(whole.join(SEPARATOR)))
    this.#message.signature(this.#key, JSON.stringify(item))
    this.end()
  }

  end(): void {
    this.#message.close(this.#key)
  }

  #begin(kind: ReasoningKind, index: number): void {
    this.#kind = kind
    this.#index = index
    this.#part = new StreamedText()
  }

  #feed(delta: string): void {
    this.#all.add(delta)
    this.#part.add(delta)
    this.#message.thinking(this.#key, delta)
  }
}

function textsOf(parts: unknown): string[] {
  return objectsOf(parts).map((part) => textOf(part.text))
}
