import { textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { callSignature } from "./item-signature.ts"
import type { OutputItem } from "./output-item.ts"
import { StreamedText } from "./streamed-text.ts"

/** A function call: its arguments are JSON. */
export class FunctionCallItem implements OutputItem {
  readonly #message: AssistantMessageBuilder
  readonly #key: string
  /** Arguments that came with the announcement: they count where nothing else says what they are. */
  #announced: unknown

  constructor(message: AssistantMessageBuilder, key: string) {
    this.#message = message
    this.#key = key
  }

  added(item: WireObject): void {
    name(this.#message, this.#key, item)
    this.#announced = item.arguments
  }

  input(delta: unknown): void {
    if (typeof delta !== "string") return
    if (delta !== "") this.#announced = undefined
    this.#message.toolInput(this.#key, delta)
  }

  wholeInput(value: unknown): void {
    this.#announced = undefined
    this.#message.toolArguments(this.#key, value)
  }

  done(item: WireObject): void {
    name(this.#message, this.#key, item)
    this.wholeInput(item.arguments)
    sign(this.#message, this.#key, item)
    if (item.status !== "incomplete") this.#message.close(this.#key)
  }

  end(isCut: boolean): void {
    if (this.#announced) this.wholeInput(this.#announced)
    if (!isCut) this.#message.close(this.#key)
  }
}

/**
 * A custom call: its input is free text, which becomes the one argument `input`.
 *
 * @see https://developers.openai.com/api/docs/guides/function-calling#custom-tools
 */
export class CustomCallItem implements OutputItem {
  readonly #message: AssistantMessageBuilder
  readonly #key: string
  readonly #text = new StreamedText()
  #hasBegun = false

  constructor(message: AssistantMessageBuilder, key: string) {
    this.#message = message
    this.#key = key
  }

  added(item: WireObject): void {
    name(this.#message, this.#key, item)
  }

  input(delta: unknown): void {
    if (typeof delta !== "string") return
    if (!this.#hasBegun) this.#message.toolInput(this.#key, '{"input":"')
    this.#hasBegun = true
    this.#text.add(delta)
    this.#message.toolInput(this.#key, JSON.stringify(delta).slice(1, -1))
  }

  wholeInput(text: unknown): void {
    this.input(this.#text.rest(text))
  }

  done(item: WireObject): void {
    name(this.#message, this.#key, item)
    this.wholeInput(item.input)
    sign(this.#message, this.#key, { ...item, type: "custom_tool_call" })
    this.end(item.status === "incomplete")
  }

  end(isCut: boolean): void {
    if (isCut) return
    this.input("")
    this.#message.toolInput(this.#key, '"}')
    this.#message.close(this.#key)
  }
}

/** The id of a call is `call_id`; the item's own id means nothing to its output. */
function name(message: AssistantMessageBuilder, key: string, item: WireObject): void {
  message.toolCall(key, { id: textOf(item.call_id), name: textOf(item.name) })
}

function sign(message: AssistantMessageBuilder, key: string, item: WireObject): void {
  const signature = callSignature(item)
  if (signature !== undefined) message.signature(key, signature)
}
