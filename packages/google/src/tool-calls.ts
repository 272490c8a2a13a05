/**
 * Passes function calls on, whether they come whole or in pieces.
 *
 * A call in pieces begins with its name and `willContinue`, goes on in parts that name no function, and ends with
 * the first of them that does not say `willContinue`; that last part is an empty one, and may be missing. One
 * call at most is under way.
 */
import { isWireObject, objectsOf, textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { PathArguments } from "./path-arguments.ts"

const CUT_OFF = "The arguments were cut off"

interface OpenCall {
  readonly key: number
  readonly id: string
  readonly args: PathArguments
}

export class ToolCalls {
  readonly #message: AssistantMessageBuilder
  readonly #nextKey: () => number
  readonly #createId: () => string
  #open: OpenCall | undefined

  /** @param nextKey Counts the blocks of the message. */
  constructor(message: AssistantMessageBuilder, nextKey: () => number, createId: () => string) {
    this.#message = message
    this.#nextKey = nextKey
    this.#createId = createId
  }

  /**
   * @param call The part's `functionCall`.
   * @param signature The part's, or an empty text.
   */
  add(call: WireObject, signature: string): void {
    const fragments = objectsOf(call.partialArgs)
    if (!this.#continues(call)) {
      this.end()
      if (call.willContinue !== true && fragments.length === 0) {
        this.#whole(call, signature)
        return
      }
      this.#open = { key: this.#begin(call, signature), id: textOf(call.id), args: new PathArguments() }
    } else if (this.#open && signature !== "") {
      this.#message.signature(this.#open.key, signature)
    }
    for (const fragment of fragments) this.#open?.args.add(fragment)
    if (isWireObject(call.args)) this.#open?.args.merge(call.args)
    if (call.willContinue !== true) this.end()
  }

  /**
   * Whatever comes next belongs to something else.
   *
   * @param isCut The end came before the call was complete.
   */
  end(isCut = false): void {
    if (!this.#open) return
    const { key, args } = this.#open
    this.#open = undefined
    this.#message.toolInput(key, args.toJson())
    this.#message.close(key, { argumentsError: args.problem ?? (isCut ? CUT_OFF : undefined) })
  }

  /** A part with a name begins a call, unless it repeats the id of the one under way. */
  #continues(call: WireObject): boolean {
    if (!this.#open) return false
    const id = textOf(call.id)
    return id === "" ? textOf(call.name) === "" : id === this.#open.id
  }

  #whole(call: WireObject, signature: string): void {
    const isEmpty = textOf(call.name) === "" && textOf(call.id) === "" && call.args == null
    if (isEmpty) return // ends a call that has ended already
    const key = this.#begin(call, signature)
    if (call.args != null) this.#message.toolArguments(key, call.args)
    this.#message.close(key)
  }

  #begin(call: WireObject, signature: string): number {
    const key = this.#nextKey()
    this.#message.toolCall(key, { id: textOf(call.id) || this.#createId(), name: textOf(call.name) })
    if (signature !== "") this.#message.signature(key, signature)
    return key
  }
}
