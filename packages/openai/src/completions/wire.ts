/**
 * Reads values off a wire whose other end may send anything.
 *
 * What is not of the expected shape is treated as absent: vendors add fields, leave fields out and send null
 * for them, and none of it is worth a failure.
 */

/** A JSON object of which nothing is known yet. */
export type WireObject = Readonly<Record<string, unknown>>

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** @returns the objects of an array; none where it is no array. */
export function objectsOf(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isWireObject) : []
}

/** @returns the first of the values that is a text with something in it. */
export function textOf(...values: readonly unknown[]): string {
  for (const value of values) if (typeof value === "string" && value !== "") return value
  return ""
}

/** @returns the first of the values that is a count. */
export function countOf(...values: readonly unknown[]): number | undefined {
  for (const value of values) if (typeof value === "number" && value >= 0 && value < Infinity) return value
  return undefined
}
