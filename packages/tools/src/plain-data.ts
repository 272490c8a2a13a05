/** Deeper than arguments ever are, and shallow enough for a recursive validator. */
const MAX_DEPTH = 200

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** An object literal or parsed JSON, of whichever realm; not an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value.then === "function"
}

/** The record with each value replaced; a result of `undefined` leaves the key out. `__proto__` stays a key. */
export function mapValues<T>(
  record: Readonly<Record<string, T>>,
  map: (value: T, key: string) => unknown,
): Record<string, unknown> {
  const entries = Object.entries(record).map(([key, value]) => [key, map(value, key)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/**
 * A deep copy of JSON data, which leaves out what is `undefined`. What is neither plain object nor array
 * stays what it is.
 *
 * @throws RangeError when the data is nested too deeply to be checked, or in a circle.
 */
export function copyData(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value)) return value.map((item) => copyData(item, depth + 1) ?? null)
  return isPlainObject(value) ? mapValues(value, (member) => copyData(member, depth + 1)) : value
}
