/**
 * The first place where two JSON-like values differ, in words.
 *
 * Stricter than most `deepEqual`s on purpose: a field that is `undefined` differs from one that is absent,
 * because the contract's optional fields are absent when they have no value.
 */

/** How much of a value is shown. */
const SHOWN = 60

/** @returns undefined when the values are equal, else for example `content[0].text is "a", expected "b"`. */
export function difference(actual: unknown, expected: unknown, path = ""): string | undefined {
  if (Object.is(actual, expected)) return undefined
  if (!isObject(actual) || !isObject(expected)) return differs(path, actual, expected)
  if (Array.isArray(actual) !== Array.isArray(expected)) return differs(path, actual, expected)
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length) {
    return `${path || "the value"} has ${actual.length} entries, expected ${expected.length}`
  }
  for (const key of Object.keys(expected)) {
    if (!Object.hasOwn(actual, key)) {
      return `${at(path, key, expected)} is absent, expected ${show(expected[key])}`
    }
    const inner = difference(actual[key], expected[key], at(path, key, expected))
    if (inner !== undefined) return inner
  }
  for (const key of Object.keys(actual)) {
    if (!Object.hasOwn(expected, key)) {
      return `${at(path, key, actual)} is ${show(actual[key])}, expected to be absent`
    }
  }
  return undefined
}

/** @returns a value in a few characters, strings in quotes, cut where it is long. */
export function show(value: unknown): string {
  if (typeof value === "bigint" || typeof value === "symbol") return String(value)
  if (typeof value === "function") return "a function"
  if (typeof value === "string") return cut(JSON.stringify(value.length > 200 ? value.slice(0, 200) : value))
  if (typeof value !== "object" || value === null) return String(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  return cut(`an object with ${Object.keys(value).join(", ") || "no keys"}`)
}

/** @returns whether it is an object of any kind, arrays included. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}

function differs(path: string, actual: unknown, expected: unknown): string {
  if (typeof actual === "string" && typeof expected === "string") {
    const from = commonPrefix(actual, expected)
    if (from > SHOWN / 2) {
      const where = `${path || "the value"} differs from character ${from} on`
      return `${where}: is ${show(actual.slice(from))}, expected ${show(expected.slice(from))}`
    }
  }
  return `${path || "the value"} is ${show(actual)}, expected ${show(expected)}`
}

function commonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

function at(path: string, key: string, owner: unknown): string {
  if (Array.isArray(owner)) return `${path}[${key}]`
  return path === "" ? key : `${path}.${key}`
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
