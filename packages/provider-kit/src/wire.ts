/**
 * Reads values off a wire whose other end may send anything.
 *
 * What is not of the expected shape is treated as absent: vendors add fields, leave fields out and send null
 * for them, proxies in between do more of the same, and none of it is worth a failure.
 */

/** A JSON object of which nothing is known yet. */
export type WireObject = Readonly<Record<string, unknown>>

const EMPTY: WireObject = Object.freeze({})

const NONE: readonly WireObject[] = Object.freeze([])

/** Whether the value is a JSON object, as opposed to a list, a scalar or null. */
export function isWireObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** @returns the object itself; an empty one for anything else. */
export function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : EMPTY
}

/** @returns the objects of an array, which is the array itself where all are; none where it is no array. */
export function objectsOf(value: unknown): readonly WireObject[] {
  if (!Array.isArray(value)) return NONE
  return value.every(isWireObject) ? value : value.filter(isWireObject)
}

/** @returns the text; an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** @returns the number where it is finite and not negative. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value < Infinity ? value : undefined
}

/** @returns the object that the text is the JSON of; an empty one for any other text, or none. */
export function parseObject(text: string | undefined): WireObject {
  try {
    return objectOf(JSON.parse(text ?? "null"))
  } catch {
    return EMPTY
  }
}
