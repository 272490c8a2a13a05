/**
 * The events that a reader was given, and whether they are still what they were.
 *
 * It watches what needs the objects themselves; what the events say is the grammar's.
 */
import type { AssistantMessageEvent } from "@heddle/types"
import { isObject } from "./difference.ts"
import { Ledger } from "./ledger.ts"
import { type Violation, violation } from "./violation.ts"

/** Changes that are told of one stream: the first ones say enough. */
const TOLD = 3

export class Deliveries {
  readonly #events: AssistantMessageEvent[] = []
  readonly #ledger = new Ledger()
  readonly #violations: Violation[] = []
  #content: readonly unknown[] = []
  #characters = 0

  get events(): readonly AssistantMessageEvent[] {
    return this.#events
  }

  /** Characters of all deltas together. */
  get characters(): number {
    return this.#characters
  }

  /** Takes note of an event in the moment the reader gets it. */
  add(event: AssistantMessageEvent): void {
    const index = this.#events.push(event) - 1
    this.#ledger.record(event, index, "event")
    const loose: unknown = event
    if (!isObject(loose)) return
    if (typeof loose.delta === "string") this.#characters += loose.delta.length
    this.#checkIdentity(loose, index)
  }

  /** @returns what is wrong by now with the events as objects. */
  violations(): Violation[] {
    const changed = this.#ledger.changes().slice(0, TOLD)
    return changed
      .map(({ label, says }) => {
        const index = Number(label)
        const type = this.#events[index]?.type
        return violation("delivered-unchanged", `changed after it was delivered: ${says}`, index, type)
      })
      .concat(this.#violations)
  }

  /** A UI memoises on blocks: only the one that an event is about may be a new object. */
  #checkIdentity(event: Record<string, unknown>, index: number): void {
    const content = isObject(event.partial) ? event.partial.content : undefined
    if (!Array.isArray(content)) return
    const changed = this.#content.findIndex((block, at) => at !== event.contentIndex && content[at] !== block)
    this.#content = content
    if (changed === -1 || this.#violations.length >= TOLD) return
    const says = `block ${changed} is another object than in the snapshot before, though nothing happened to it`
    this.#violations.push(violation("identity", says, index, String(event.type)))
  }
}
