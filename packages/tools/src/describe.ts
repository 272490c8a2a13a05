/** Puts values, paths and schemas into a few words for the model. */
import type { SchemaDocument, SchemaNode } from "./schema-document.ts"

/** Characters of a value that are shown. */
const MAX_SHOWN = 100

/** A path as one would write it in code. */
export function describePath(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
  return steps.join("").replace(/^\./, "") || "arguments"
}

/** The kind of a value, and of a short one the value too. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (Array.isArray(value)) return `array of ${value.length}`
  return typeof value === "object" ? "object" : `${typeof value} ${brief(value)}`
}

/** What a part of a schema takes. */
export function describeNode(node: SchemaNode | undefined, target: SchemaDocument["target"]): string {
  if (typeof node !== "object") return "a value"
  const { const: only, enum: values, type, $ref, anyOf, oneOf } = node
  if (only !== undefined) return brief(only)
  if (values) return either(values.map(brief))
  if (type) return either([type].flat())
  if ($ref !== undefined) return describeNode(target(node), target)
  return either((anyOf ?? oneOf ?? [true]).map((branch) => describeNode(branch, target)))
}

export function either(alternatives: readonly string[]): string {
  return [...new Set(alternatives)].join(" or ")
}

export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
