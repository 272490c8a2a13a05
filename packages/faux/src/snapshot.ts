/**
 * Keeps what was said, whatever happens to it afterwards.
 *
 * Plain objects and arrays are copied and frozen, at every depth. Everything else (functions, signals, class
 * instances, schemas with behaviour) is kept as it is, because a copy of it would be something else.
 *
 * A transcript comes back with every request, a little longer each time. What has not changed since it was
 * seen last shares its copy, so that keeping a run costs as much memory as the run.
 */
export class Snapshots {
  readonly #copies = new WeakMap<object, object>()

  /** @returns a copy that never changes. */
  of<T>(value: T): T {
    return this.#copy(value, new Map()) as T
  }

  /** @param visiting The containers around this value: a cycle leads back to the copy in the making. */
  #copy(value: unknown, visiting: Map<object, object>): unknown {
    if (!isContainer(value)) return value
    const unfinished = visiting.get(value)
    if (unfinished) return unfinished

    const copy: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value))
    visiting.set(value, copy)
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (!property?.enumerable) continue
      const copied = this.#copy(Reflect.get(value, key), visiting)
      // Not an assignment: a key such as `__proto__` is data here.
      Object.defineProperty(copy, key, { value: copied, enumerable: true })
    }
    visiting.delete(value)

    const known = this.#copies.get(value)
    if (known && hasSameEntries(known, copy)) return known
    this.#copies.set(value, copy)
    return Object.freeze(copy)
  }
}

function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function hasSameEntries(one: object, other: object): boolean {
  const keys = Reflect.ownKeys(one)
  return (
    keys.length === Reflect.ownKeys(other).length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && Object.is(Reflect.get(one, key), Reflect.get(other, key)),
    )
  )
}
