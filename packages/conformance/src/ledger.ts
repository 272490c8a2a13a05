/**
 * Remembers what objects looked like when they were first seen, and says which have changed since.
 *
 * This is the comparison of an event with its clone taken on delivery, at a cost that fits streams: snapshots
 * share all but what changed, so each object is remembered once, however many events hold it, and a string is
 * remembered by reference. Only arrays and plain objects are followed; signals, functions and other instances
 * are compared by identity.
 */
import { difference } from "./difference.ts"

interface Entry {
  readonly label: number | string
  readonly path: string
  readonly copy: Readonly<Record<string, unknown>>
}

/** A change that was found. */
export interface Change {
  /** The label under which the object was seen first. */
  readonly label: number | string
  /** What changed, in words. */
  readonly says: string
}

export class Ledger {
  readonly #entries = new Map<object, Entry>()

  /** @param label Names the value in {@link changes}. */
  record(value: unknown, label: number | string, path: string): void {
    const pending: [unknown, string][] = [[value, path]]
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [object, at] = next
      if (!isContainer(object) || this.#entries.has(object)) continue
      this.#entries.set(object, { label, path: at, copy: { ...object } })
      for (const [key, inner] of Object.entries(object)) {
        if (isContainer(inner))
          pending.push([inner, Array.isArray(object) ? `${at}[${key}]` : `${at}.${key}`])
      }
    }
  }

  /** @returns every object that is not any more what it was, in the order they were seen. */
  changes(): Change[] {
    const changes: Change[] = []
    for (const [object, { label, path, copy }] of this.#entries) {
      const says = changeOf({ ...object }, copy, path)
      if (says !== undefined) changes.push({ label, says })
    }
    return changes
  }
}

/** Inner objects have entries of their own, so here their identity is enough. */
function changeOf(
  now: Readonly<Record<string, unknown>>,
  then: Readonly<Record<string, unknown>>,
  path: string,
): string | undefined {
  for (const key of new Set([...Object.keys(then), ...Object.keys(now)])) {
    if (Object.is(now[key], then[key]) && Object.hasOwn(now, key) === Object.hasOwn(then, key)) continue
    const says = difference({ [key]: now[key] }, Object.hasOwn(then, key) ? { [key]: then[key] } : {}, path)
    return says ?? `${path}.${key} was replaced by an equal object`
  }
  return undefined
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
