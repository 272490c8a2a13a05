/**
 * Finds out which tool call a fragment is of, and passes it on.
 *
 * OpenAI numbers the calls of a message by `index`. Other servers leave it out, repeat it for every call, send
 * ids late, empty, again with every fragment, or never. The rules, in this order: the index; without one the
 * id; with neither the last call. A fragment that names a tool where the call already has what a fragment
 * begins with is of a new call.
 *
 * What the fragments add up to is the builder's business.
 */

import { isWireObject, objectOf, textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"

interface Call {
  /** The builder's key: calls are counted in the order in which they appear. */
  readonly key: number
  readonly index: number | undefined
  id: string
  name: string
  hasInput: boolean
  /** A custom call: its input is free text, which becomes the one argument `input`. */
  isCustom: boolean
}

/** The signature of a custom call: it goes back as one. */
export const CUSTOM: string = JSON.stringify({ type: "custom" })

export class ToolCalls {
  readonly #message: AssistantMessageBuilder
  readonly #calls: Call[] = []
  #last: Call | undefined

  constructor(message: AssistantMessageBuilder) {
    this.#message = message
  }

  /** @param fragment An entry of `delta.tool_calls`. */
  add(fragment: WireObject): void {
    const isCustom = isWireObject(fragment.custom)
    const wireFunction = objectOf(isCustom ? fragment.custom : fragment.function)
    const id = textOf(fragment.id)
    const name = textOf(wireFunction.name)
    const index = typeof fragment.index === "number" ? fragment.index : undefined
    const input = isCustom ? wireFunction.input : wireFunction.arguments
    const known = this.#find(index, id, name)
    if (!known && id === "" && name === "" && input === undefined) return
    const call = known ?? this.#open(index)
    this.#last = call
    if (!known || (id !== "" && call.id === "") || (name !== "" && call.name === "")) {
      this.#message.toolCall(call.key, { id, name })
      call.id ||= id
      call.name ||= name
    }
    if (isCustom && !call.isCustom) this.#begin(call)
    if (call.isCustom) this.#message.toolInput(call.key, JSON.stringify(textOf(input)).slice(1, -1))
    else if (typeof input === "string") this.#message.toolInput(call.key, input)
    else if (isWireObject(input)) this.#message.toolArguments(call.key, input)
    else return
    call.hasInput ||= input !== ""
  }

  /** Nothing more is written to any call from here on unless it says so itself. */
  otherContent(): void {
    this.#last = undefined
  }

  /**
   * @param isCut The answer was cut off. A model writes one thing after the other, so only what it wrote last can
   * have been cut; the calls before it are complete.
   */
  end(isCut: boolean): void {
    for (const call of this.#calls) {
      if (isCut && call === this.#last) continue
      if (call.isCustom) this.#message.toolInput(call.key, '"}')
      if (isCut) this.#message.close(call.key)
    }
  }

  #begin(call: Call): void {
    call.isCustom = true
    this.#message.signature(call.key, CUSTOM)
    this.#message.toolInput(call.key, '{"input":"')
  }

  #find(index: number | undefined, id: string, name: string): Call | undefined {
    if (index !== undefined) {
      const call = this.#calls.findLast((known) => known.index === index)
      // vLLM has sent a fresh id with every fragment, Gemini index 0 for every call: only the latter names it.
      const isOther = call && id !== "" && call.id !== "" && id !== call.id && name !== "" && call.name !== ""
      if (call) return isOther ? this.#calls.find((known) => known.id === id) : call
      const last = this.#calls.at(-1)
      return id === "" && name === "" && last?.index === undefined ? last : undefined
    }
    if (id !== "") {
      const call = this.#calls.find((known) => known.id === id)
      const last = this.#calls.at(-1)
      return call ?? (last?.id === "" && name === "" ? last : undefined)
    }
    const last = this.#calls.at(-1)
    const isNext = last && name !== "" && last.name !== "" && (last.hasInput || name !== last.name)
    return isNext ? undefined : last
  }

  #open(index: number | undefined): Call {
    const call: Call = { key: this.#calls.length, index, id: "", name: "", hasInput: false, isCustom: false }
    this.#calls.push(call)
    return call
  }
}
