/**
 * A tool's JSON Schema, made ready to be asked about values.
 *
 * The validator writes bookkeeping into the schema it is given, so it gets a copy of its own: the tool's may
 * be frozen, shared, or TypeBox's. On the way the copy is freed of what real-world schemas trip over (see
 * `adapt`); what a valid schema of draft 2020-12 means stays the same.
 */
import { dereference, type Schema, validate } from "@cfworker/json-schema"
import type { ToolParameters } from "@heddle/types"
import { isObject, mapValues } from "./plain-data.ts"

/** A schema or a part of one. Booleans take everything or nothing. */
export type SchemaNode = Schema | boolean

export interface SchemaDocument {
  readonly root: SchemaNode
  /** Throws when a `$ref` leads nowhere, or a pattern is no regular expression. */
  readonly fits: (value: unknown, node: SchemaNode) => boolean
  /** What a node's `$ref` leads to. */
  readonly target: (node: Schema) => SchemaNode
}

const documents = new WeakMap<object, SchemaDocument>()

/**
 * @returns undefined for a Standard Schema that cannot state its JSON Schema.
 * @throws when it is no schema, contradicts itself, or is nested in a circle.
 */
export function documentOf(parameters: ToolParameters): SchemaDocument | undefined {
  const known = documents.get(parameters)
  if (known) return known
  if (Object(parameters) !== parameters) throw new TypeError("its parameters are no schema")
  let schema: unknown = parameters
  if ("~standard" in parameters) {
    try {
      schema = parameters["~standard"].jsonSchema?.input({ target: "draft-2020-12" })
    } catch {
      return undefined // what only the library understands, such as dates
    }
    if (!schema) return undefined
  }
  const root = adapt(schema, new Map()) as SchemaNode
  const lookup = dereference(root)
  const document: SchemaDocument = {
    root,
    fits: (value, node) => validate(value, node, "2020-12", lookup).valid,
    target: (node) => lookup[node.__absolute_ref__ ?? ""] ?? true,
  }
  documents.set(parameters, document)
  return document
}

/**
 * Copies a schema for the validator, and mends on the way:
 * - `nullable: true`, as OpenAPI writes it, admits null;
 * - `\-` and the like, which regular expressions refuse under the `u` flag, are written as they take them.
 *
 * A part that is used in two places stays one: its `$id` may stand only once.
 */
function adapt(schema: unknown, copies: Map<object, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => adapt(part, copies))
  if (!isObject(schema)) return schema
  if (!copies.has(schema)) {
    const copy = mapValues(schema, (value, keyword) => {
      if (typeof value !== "string") return adapt(value, copies)
      if (keyword === "type" && schema.nullable === true) return [value, "null"]
      return keyword === "pattern" ? unicodePattern(value) : value
    })
    copies.set(schema, copy)
  }
  return copies.get(schema)
}

function unicodePattern(pattern: string): string {
  return pattern.replace(/\\./gs, (pair) =>
    /[\w^$\\.*+?()[\]{}|/]$/.test(pair) ? pair : `\\u{${pair.codePointAt(1)?.toString(16)}}`,
  )
}

/** What a schema says about the kind of a value, apart from all it says about its inside. */
export function gateOf({ type, enum: values, const: value }: Schema): Schema {
  return { type, enum: values, const: value } as Schema
}

/** The schemas of one property: those that name it, else that of all the others. */
export function memberNodes(
  { properties = {}, patternProperties = {}, additionalProperties }: Schema,
  key: string,
): readonly SchemaNode[] {
  const patterns = Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, "u").test(key))
  const nodes = patterns.map((pattern) => patternProperties[pattern] ?? true)
  if (Object.hasOwn(properties, key)) nodes.push(properties[key] ?? true)
  return nodes.length > 0 ? nodes : [additionalProperties ?? true]
}

/** The schema of one item: by its place in a tuple, else that of all the others. */
export function itemNode(
  { prefixItems, items = true, additionalItems = true }: Schema,
  index: number,
): SchemaNode {
  const tuple = prefixItems ?? items
  const rest = Array.isArray(items) ? additionalItems : items
  return (Array.isArray(tuple) ? tuple[index] : undefined) ?? rest
}
