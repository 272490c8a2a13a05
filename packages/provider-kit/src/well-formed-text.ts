/**
 * Removes what no vendor accepts in a text: halves of surrogate pairs.
 *
 * Text that was cut at a UTF-16 border (a truncated tool output, a model stopped inside an emoji) carries
 * them, `JSON.stringify` writes them as escapes, and the vendor answers 400. Nothing else is changed, and what
 * is well formed is returned as it is, not copied.
 */

/** Matches lone surrogates only: with the `u` flag a pair is one character of another plane. */
const UNPAIRED = /[\uD800-\uDFFF]/gu

/** @returns the text without unpaired surrogates. */
export function toWellFormedText(text: string): string {
  return isWellFormed(text) ? text : text.replace(UNPAIRED, "")
}

/**
 * Cleans every string inside arrays and plain objects, keys included. Other objects (bytes, dates) pass.
 *
 * @returns the value itself where nothing had to change; the input is never written.
 */
export function toWellFormed<T>(value: T): T {
  return clean(value) as T
}

/** Native since 2023; the expression is the fallback. Neither copies the text. */
function isWellFormed(text: string): boolean {
  const native = text as unknown as { isWellFormed?(): boolean }
  return native.isWellFormed?.() ?? text.search(UNPAIRED) === -1
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return toWellFormedText(value)
  if (Array.isArray(value)) return cleanArray(value)
  return isPlainObject(value) ? cleanObject(value) : value
}

function cleanArray(values: readonly unknown[]): readonly unknown[] {
  const cleaned = values.map(clean)
  return cleaned.some((value, index) => value !== values[index]) ? cleaned : values
}

function cleanObject(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let changed = false
  const entries = Object.entries(record).map(([key, value]): [string, unknown] => {
    const entry: [string, unknown] = [toWellFormedText(key), clean(value)]
    changed ||= entry[0] !== key || entry[1] !== value
    return entry
  })
  return changed ? Object.fromEntries(entries) : record
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
