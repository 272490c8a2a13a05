/**
 * Reads values off a wire whose other end may send anything.
 *
 * What is not of the expected shape is treated as absent: the vendor adds fields and sends null for those it
 * leaves out, compatible servers leave out more, and none of it is worth a failure.
 */

/** A JSON object of which nothing is known yet. */
export type WireObject = Readonly<Record<string, unknown>>

const EMPTY: WireObject = {}

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** @returns the object, or an empty one. */
export function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : EMPTY
}

/** @returns the objects of an array; none where it is no array. */
export function objectsOf(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isWireObject) : []
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value < Infinity ? value : undefined
}

/** @returns the object that the text is the JSON of; an empty one for any other text. */
export function parseObject(text: string | undefined): WireObject {
  try {
    return objectOf(JSON.parse(text ?? "null"))
  } catch {
    return EMPTY
  }
}
