import { objectsOf, textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { textSignature } from "./item-signature.ts"
import type { OutputItem } from "./output-item.ts"
import { StreamedText } from "./streamed-text.ts"

interface Part {
  readonly key: string
  readonly text: StreamedText
  annotations: unknown[]
}

/**
 * A message: each part of its content is a text block.
 *
 * A refusal is text too: prose from the model, in a response that completes like any other. The phase of the
 * message and the citations of a part go into the signature of its block.
 */
export class MessageItem implements OutputItem {
  readonly #message: AssistantMessageBuilder
  readonly #key: string
  readonly #parts = new Map<number, Part>()
  #phase = ""

  /** @param key The builder's key for the item; its parts are numbered behind it. */
  constructor(message: AssistantMessageBuilder, key: string) {
    this.#message = message
    this.#key = key
  }

  added(item: WireObject): void {
    this.#phase = textOf(item.phase)
  }

  text(index: number, delta: unknown): void {
    if (typeof delta === "string") this.#feed(this.#part(index), delta)
  }

  wholeText(index: number, text: unknown): void {
    const part = this.#part(index)
    this.#feed(part, part.text.rest(text))
  }

  /** A part as it was announced, or as a whole. */
  wholePart(index: number, wire: WireObject): void {
    if (!isTextPart(wire)) return
    this.wholeText(index, textOf(wire.text) || textOf(wire.refusal))
    const annotations = objectsOf(wire.annotations)
    if (annotations.length > 0) this.#part(index).annotations = [...annotations]
  }

  annotation(index: number, annotation: unknown): void {
    this.#part(index).annotations.push(annotation)
  }

  done(item: WireObject): void {
    this.#phase = textOf(item.phase) || this.#phase
    for (const [index, part] of objectsOf(item.content).entries()) this.wholePart(index, part)
    this.end()
  }

  end(): void {
    for (const { key, annotations } of this.#parts.values()) {
      const signature = textSignature(this.#phase, annotations)
      if (signature !== undefined) this.#message.signature(key, signature)
      this.#message.close(key)
    }
  }

  #part(index: number): Part {
    const known = this.#parts.get(index)
    if (known) return known
    const part: Part = { key: `${this.#key}:${index}`, text: new StreamedText(), annotations: [] }
    this.#parts.set(index, part)
    this.#message.text(part.key, "")
    return part
  }

  #feed({ key, text }: Part, delta: string): void {
    text.add(delta)
    this.#message.text(key, delta)
  }
}

/** What is not text is nothing that could be shown. */
export function isTextPart({ type }: WireObject): boolean {
  return type === "output_text" || type === "refusal"
}
