/**
 * Parts that are neither text, thinking nor a call of a client's tool: code that the vendor ran, pictures the model
 * made, server tools and their results.
 *
 * A part is one of many kinds, told apart by which field it has. New kinds appear; they are kept and sent back like
 * the known ones, with the signature that may hang on them.
 *
 * @see https://ai.google.dev/api/caching#Part
 */
import { isWireObject, type WireObject } from "@heddle/provider-kit"

/**
 * Fields of a candidate that say where its text comes from. They become blocks at the end of the message, in this
 * order, and are nothing to send back.
 */
export const METADATA_KINDS = ["citationMetadata", "urlContextMetadata", "groundingMetadata"] as const

/** Objects that describe a part and are not what it is. */
const DESCRIPTIONS: ReadonlySet<string> = new Set([
  "functionCall",
  "mediaProcessing",
  "mediaResolution",
  "partMetadata",
  "speechMetadata",
  "videoMetadata",
])

/** @returns the kind, such as `executableCode`; undefined where the part is of no kind of its own. */
export function opaqueKind(part: WireObject): string | undefined {
  return Object.keys(part).find((field) => !DESCRIPTIONS.has(field) && isWireObject(part[field]))
}

/** Whether a block of this kind is a part of the answer, as opposed to something told about it. */
export function isPart(kind: string): boolean {
  return !(METADATA_KINDS as readonly string[]).includes(kind)
}
