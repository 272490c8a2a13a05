/**
 * Remembers what objects looked like when they were first seen, and says which have changed since.
 *
 * This is the comparison of an event with its clone taken on delivery, at a cost that fits streams: snapshots
 * share all but what changed, so each object is remembered once, however many events hold it, and a string is
 * remembered by reference. Only arrays and plain objects are followed; signals, functions and other instances
 * are compared by identity.
 */
import { difference } from "./difference.ts"

/** What one object was when it was seen first, and where it was found: paths are written when they are needed. */
interface Entry {
  readonly label: number | string
  readonly owner: Entry | undefined
  readonly key: string
  readonly object: Container
  readonly copy: Container
}

type Container = Readonly<Record<string, unknown>>

/** A change that was found. */
export interface Change {
  /** The label under which the object was seen first. */
  readonly label: number | string
  /** What changed, in words. */
  readonly says: string
}

export class Ledger {
  readonly #seen = new Set<object>()
  readonly #entries: Entry[] = []

  /** @param label Names the value in {@link changes}; `name` begins the paths in it. */
  record(value: unknown, label: number | string, name: string): void {
    let next = this.#entries.length
    this.#add(value, label, undefined, name)
    for (let entry = this.#entries[next]; entry; entry = this.#entries[++next]) {
      const { object } = entry
      for (const key in object) this.#add(object[key], label, entry, key)
    }
  }

  /** @returns every object that is not any more what it was, in the order they were seen. */
  changes(): Change[] {
    const changes: Change[] = []
    for (const entry of this.#entries) {
      const key = changedKey(entry.object, entry.copy)
      if (key !== undefined) changes.push({ label: entry.label, says: sayChange(entry, key) })
    }
    return changes
  }

  #add(value: unknown, label: number | string, owner: Entry | undefined, key: string): void {
    if (!isContainer(value) || this.#seen.has(value)) return
    this.#seen.add(value)
    // Arrays are copied as arrays, which is quick, and read like the objects they are.
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as Container
    this.#entries.push({ label, owner, key, object: value, copy })
  }
}

/** Inner objects have entries of their own, so here their identity is enough. */
function changedKey(now: Container, then: Container): string | undefined {
  for (const key in then) {
    if (!Object.is(now[key], then[key]) || !Object.hasOwn(now, key)) return key
  }
  for (const key in now) if (!Object.hasOwn(then, key)) return key
  return undefined
}

function sayChange(entry: Entry, key: string): string {
  const { object, copy } = entry
  const path = pathOf(entry)
  const now = Object.hasOwn(object, key) ? { [key]: object[key] } : {}
  const then = Object.hasOwn(copy, key) ? { [key]: copy[key] } : {}
  return difference(now, then, path) ?? `${path}.${key} was replaced by an equal object`
}

function pathOf({ owner, key }: Entry): string {
  if (!owner) return key
  return Array.isArray(owner.object) ? `${pathOf(owner)}[${key}]` : `${pathOf(owner)}.${key}`
}

/** @returns whether it is an array or a plain object. */
export function isContainer(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** @returns a copy of all arrays and plain objects in a value; all else is shared. Cycles are kept. */
export function copyOf<T>(value: T, copies: Map<unknown, unknown> = new Map()): T {
  if (!isContainer(value)) return value
  const known = copies.get(value)
  if (known !== undefined) return known as T
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  copies.set(value, copy)
  for (const [key, inner] of Object.entries(value)) {
    Object.defineProperty(copy, key, {
      value: copyOf(inner, copies),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return copy as T
}

/** Freezes all arrays and plain objects in a value. */
export function freezeDeep(value: unknown): void {
  if (!isContainer(value) || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) freezeDeep(inner)
}
