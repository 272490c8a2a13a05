import { textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import type { OutputItem } from "./output-item.ts"

/** An item of the vendor's own kind (a tool that runs at the vendor, its result): kept as it is. */
export class OpaqueItem implements OutputItem {
  readonly #message: AssistantMessageBuilder
  readonly #key: string

  constructor(message: AssistantMessageBuilder, key: string) {
    this.#message = message
    this.#key = key
  }

  added(item: WireObject): void {
    this.#message.opaque(this.#key, textOf(item.type), item)
  }

  done(item: WireObject): void {
    this.added(item)
    this.end()
  }

  end(): void {
    this.#message.close(this.#key)
  }
}
