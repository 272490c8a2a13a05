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
  readonly #ended = new Map<number, unknown>()
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

  /**
   * A UI memoises on blocks: one that has ended is the same object in every snapshot that follows. An open one
   * may have changed without an event that tells it: by a signature, or an id that came late.
   */
  #checkIdentity(event: Record<string, unknown>, index: number): void {
    const content = isObject(event.partial) ? event.partial.content : undefined
    if (!Array.isArray(content)) return
    for (const [at, block] of this.#ended) {
      if (content[at] === block || this.#violations.length >= TOLD) continue
      const says = `block ${at} has ended and is another object than in the snapshot before`
      this.#violations.push(violation("identity", says, index, String(event.type)))
    }
    const { type, contentIndex } = event
    if (typeof type === "string" && type.endsWith("_end") && typeof contentIndex === "number") {
      this.#ended.set(contentIndex, content[contentIndex])
    }
  }
}
