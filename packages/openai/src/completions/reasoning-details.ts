/**
 * OpenRouter's `reasoning_details`: the thinking of a model with the upstream vendor's proof of it.
 *
 * They arrive in fragments (a signature comes last, with no text) and must go back whole: one entry per
 * `index`, as they would stand in a response that was not streamed. Between the two they live as JSON in the
 * signature of a thinking block.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
import { objectsOf, textOf, type WireObject } from "@heddle/provider-kit"

/** Fields that arrive in pieces. Everything else is whole, and the last value counts. */
const IN_PIECES = ["text", "summary"] as const

/** Without an index entries are told apart by nothing, and only these are known to go on from the last one. */
const CONTINUES = [...IN_PIECES, "signature"] as const

type Entry = Record<string, unknown>

/** Puts fragments together into the entries that they are of. */
export class ReasoningDetails {
  #entries: Entry[] = []

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  add(fragments: readonly WireObject[]): void {
    for (const fragment of fragments) {
      const entry = this.#entries.findLast((known) => belongs(fragment, known))
      if (entry) merge(entry, fragment)
      else this.#entries.push({ ...fragment })
    }
  }

  /** @returns the entries so far as the text of a signature, and starts anew. */
  take(): string {
    const signature = JSON.stringify(this.#entries)
    this.#entries = []
    return signature
  }
}

/** What fragments show of the thinking, for a vendor that sends them without the plain text. */
export function detailsText(fragments: readonly WireObject[]): string {
  return fragments.map((fragment) => textOf(fragment.text) || textOf(fragment.summary)).join("")
}

/** @returns the entries of several signatures as one list; signatures that are no details give none. */
export function mergeDetails(signatures: readonly string[]): readonly WireObject[] {
  const details = new ReasoningDetails()
  for (const signature of signatures) details.add(objectsOf(parse(signature)))
  return objectsOf(parse(details.take()))
}

/** One `index` may hold entries of two types, and one type of several ids. */
function belongs(fragment: WireObject, entry: WireObject): boolean {
  return (
    fragment.index === entry.index &&
    fragment.type === entry.type &&
    (fragment.id == null || entry.id == null || fragment.id === entry.id) &&
    (typeof fragment.index === "number" || CONTINUES.some((field) => typeof fragment[field] === "string"))
  )
}

function merge(entry: Entry, fragment: WireObject): void {
  for (const [field, value] of Object.entries(fragment)) {
    if (value === null || value === undefined) continue
    const known = entry[field]
    const continues = (IN_PIECES as readonly string[]).includes(field) && typeof known === "string"
    entry[field] = continues && typeof value === "string" ? known + value : value
  }
}

function parse(signature: string): unknown {
  try {
    return JSON.parse(signature)
  } catch {
    return undefined
  }
}
