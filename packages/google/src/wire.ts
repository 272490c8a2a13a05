/**
 * Reads values off a wire whose other end may send anything.
 *
 * A value that is not of the shape expected counts as absent: new fields appear without a version, and proxies in
 * between add and drop some of their own.
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

/** @returns the text, or an empty one where there is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** @returns the count; undefined where it is none. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value < Infinity ? value : undefined
}
