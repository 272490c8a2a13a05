/**
 * Finds out which item of the output an event is about.
 *
 * Items are numbered by `output_index`. Numbers may be skipped and items may overlap; some servers number
 * nothing and only name items, and some write to an item that they never announced. What an item is follows
 * from its type, else from what is written to it.
 */

import { isWireObject, objectOf, textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { CustomCallItem, FunctionCallItem } from "./call-item.ts"
import { MessageItem } from "./message-item.ts"
import { OpaqueItem } from "./opaque-item.ts"
import type { OutputItem } from "./output-item.ts"
import { ReasoningItem } from "./reasoning-item.ts"

type ItemClass<TItem extends OutputItem> = new (message: AssistantMessageBuilder, key: string) => TItem

interface Entry {
  /** The vendor's id of the item. */
  readonly id: string
  readonly item: OutputItem
  isDone: boolean
}

const CLASSES: ReadonlyMap<unknown, ItemClass<OutputItem>> = new Map<unknown, ItemClass<OutputItem>>([
  ["message", MessageItem],
  ["reasoning", ReasoningItem],
  ["function_call", FunctionCallItem],
  ["custom_tool_call", CustomCallItem],
])

export class OutputItems {
  readonly #message: AssistantMessageBuilder
  readonly #byIndex = new Map<number, Entry>()
  readonly #byId = new Map<string, Entry>()
  #last: Entry | undefined
  #count = 0

  constructor(message: AssistantMessageBuilder) {
    this.#message = message
  }

  /** `response.output_item.added` */
  added(event: WireObject): void {
    const wire = event.item
    if (!isWireObject(wire) || textOf(wire.type) === "") return
    const Class = classOf(wire)
    const known = this.#find(event)
    const isSame = known?.item instanceof Class && !known.isDone && [wire.id, ""].includes(known.id)
    const entry = known && isSame ? known : this.#open(event, Class)
    entry.item.added(wire)
  }

  /** `response.output_item.done` */
  done(event: WireObject): void {
    const wire = event.item
    if (!isWireObject(wire) || textOf(wire.type) === "") return
    const Class = classOf(wire)
    const known = this.#find(event)
    const entry = known?.item instanceof Class ? known : this.#open(event, Class)
    if (entry.isDone) return
    entry.isDone = true
    entry.item.done(wire)
  }

  /** @returns the item that is written to; undefined where it is complete already. */
  use<TItem extends OutputItem>(event: WireObject, Class: ItemClass<TItem>): TItem | undefined {
    const known = this.#find(event)
    if (known?.item instanceof Class) return known.isDone ? undefined : known.item
    return this.#open(event, Class).item
  }

  /** The response is over. */
  end(isCut: boolean): void {
    for (const entry of this.#byIndex.values()) endEntry(entry, isCut)
    for (const entry of this.#byId.values()) endEntry(entry, isCut)
    if (this.#last) endEntry(this.#last, isCut)
  }

  #find(event: WireObject): Entry | undefined {
    if (typeof event.output_index === "number") return this.#byIndex.get(event.output_index)
    const id = idOf(event)
    return id === "" ? this.#last : this.#byId.get(id)
  }

  #open<TItem extends OutputItem>(
    event: WireObject,
    Class: ItemClass<TItem>,
  ): Entry & { readonly item: TItem } {
    const replaced = this.#find(event)
    if (replaced) endEntry(replaced, false)
    const id = idOf(event)
    const entry = { id, item: new Class(this.#message, `${this.#count++}`), isDone: false }
    if (typeof event.output_index === "number") this.#byIndex.set(event.output_index, entry)
    if (id !== "") this.#byId.set(id, entry)
    this.#last = entry
    return entry
  }
}

function endEntry(entry: Entry, isCut: boolean): void {
  if (entry.isDone) return
  entry.isDone = true
  entry.item.end(isCut)
}

function classOf(item: WireObject): ItemClass<OutputItem> {
  return CLASSES.get(item.type) ?? OpaqueItem
}

function idOf(event: WireObject): string {
  return textOf(event.item_id) || textOf(objectOf(event.item).id)
}
