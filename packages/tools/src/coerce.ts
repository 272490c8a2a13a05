/**
 * Mends the slips that models make with types, and says what is wrong where there is nothing to mend.
 *
 * A number or boolean in quotes, an object or array written as a JSON string, one item in place of a list, a
 * null for an absent optional property: each is mended only where the schema refuses what is there and takes
 * what it plainly means. A value that fits is never touched, so neither is one that fits a branch of a union.
 *
 * The validator would report every layer of a failure and every branch of a union. Here the schema is walked
 * and the validator asked about one thing at a time, so that only the causes are left; of a union it is the
 * branch that was most likely meant. What is given is never written.
 */
import type { Schema } from "@cfworker/json-schema"
import { brief, describeNode, describeValue, either } from "./describe.ts"
import { parseMeaning } from "./parse-meaning.ts"
import { isObject, isPlainObject, mapValues } from "./plain-data.ts"
import { gateOf, itemNode, memberNodes, type SchemaDocument, type SchemaNode } from "./schema-document.ts"

/** Why a value does not fit. */
export interface Misfit {
  readonly path: readonly PropertyKey[]
  /** What the schema asks for there. */
  readonly expected: string
  /** What is there, shortened. */
  readonly received: string
  /** Set where the value is of a wrong type, or none of those listed. */
  readonly gate?: "type" | "choice"
}

export interface Coerced {
  readonly value: unknown
  /** Empty where the value fits. */
  readonly misfits: readonly Misfit[]
}

/** Mending one part can make room for another, where `allOf` puts several schemas on one value. */
const PASSES = 3
const MISSING = "nothing (required property is missing)"
/** Keywords that make sense alone: limits, patterns, formats, and those too rare to be walked into. */
const LIMIT = /^(m|ex|not|pattern$|format|unique|propertyN|dep|contains)/

/** @returns the value itself where it fits, else a copy with its slips mended, as far as they can be. */
export function coerce(given: unknown, { root, fits, target }: SchemaDocument): Coerced {
  /** What has been worked out already: unions ask about the same part many times. */
  const known = new Map<unknown, Map<SchemaNode, Coerced>>()

  /** @param wrap False for the item of a list that is being made up: one list is enough. */
  function mend(value: unknown, node: SchemaNode, wrap = true): Coerced {
    const results = (wrap && known.get(value)) || new Map<SchemaNode, Coerced>()
    if (wrap) known.set(value, results)
    const result =
      results.get(node) ?? (fits(value, node) ? { value, misfits: [] } : mendMisfit(value, node, wrap))
    results.set(node, result)
    return result
  }

  function mendMisfit(given: unknown, node: SchemaNode, wrap: boolean): Coerced {
    if (typeof node === "boolean") return { value: given, misfits: [misfit("no such property", given)] }
    const misfits: Misfit[] = []
    /** Takes over what became of the value, or of what is in it. */
    const take = ({ value, misfits: found }: Coerced, ...path: PropertyKey[]): unknown => {
      for (const each of found) misfits.push({ ...each, path: [...path, ...each.path] })
      return value
    }

    let value = given
    const parts: SchemaNode[] = [...(node.allOf ?? [])]
    if (node.$ref !== undefined) parts.push(target(node))
    if (node.if !== undefined) parts.push((fits(value, node.if) ? node.then : node.else) ?? true)
    for (const part of parts) value = take(mend(value, part, wrap))
    value = take(mendKind(value, node, wrap))
    if (Array.isArray(value))
      value = value.map((item, index) => take(mend(item, itemNode(node, index)), index))
    else if (isPlainObject(value))
      value = mapValues(value, (member, key) => {
        const nodes = memberNodes(node, key)
        const optional = Object.hasOwn(node.properties ?? {}, key) && !node.required?.includes(key)
        if (member === null && optional && !nodes.every((each) => fits(null, each))) return undefined
        return nodes.reduce<unknown>((part, each) => take(mend(part, each), key), member)
      })
    for (const union of ["anyOf", "oneOf"] as const)
      value = take(mendUnion(value, { [union]: node[union] }, node[union] ?? [], wrap))

    if (fits(value, node)) return { value, misfits: [] }
    for (const [keyword, limit] of Object.entries(node))
      if (LIMIT.test(keyword) && !fits(value, { [keyword]: limit }))
        misfits.push(misfit(`${keyword} ${brief(limit)}`, value))
    for (const key of isObject(value) ? (node.required ?? []) : [])
      if (!Object.hasOwn(value as object, key)) {
        const expected = describeNode(memberNodes(node, key)[0], target)
        misfits.push({ path: [key], expected, received: MISSING })
      }
    if (misfits.length === 0) misfits.push(misfit(`a value that fits ${brief(node)}`, value))
    return { value, misfits }
  }

  function mendKind(value: unknown, node: Schema, wrap: boolean): Coerced {
    const gate = gateOf(node)
    const takes = (candidate: unknown): boolean => fits(candidate, gate)
    if (takes(value)) return { value, misfits: [] }
    const meant = typeof value === "string" ? parseMeaning(value) : undefined
    if (meant !== undefined && takes(meant)) return { value: meant, misfits: [] }

    // A broken list is not one item of a list, and a place in a tuple is not any item.
    const list = Array.isArray(value) || (typeof value === "string" && /^\s*\[/.test(value))
    const tuple = Array.isArray(node.prefixItems ?? node.items)
    if (wrap && value !== null && !list && !tuple && takes([])) {
      const items = itemNode(node, 0)
      const item = mend(value, items, false).value
      if (fits(item, items)) return { value: [item], misfits: [] }
    }
    const listed = gate.const !== undefined || gate.enum !== undefined
    const rejected = misfit(describeNode(gate, target), value)
    return { value, misfits: [{ ...rejected, gate: listed ? "choice" : "type" }] }
  }

  function mendUnion(value: unknown, union: Schema, branches: readonly SchemaNode[], wrap: boolean): Coerced {
    if (fits(value, union)) return { value, misfits: [] }
    const candidates = branches.map((branch) => mend(value, branch, wrap))
    const fitting = candidates.find((candidate) => fits(candidate.value, union))
    if (fitting) return { value: fitting.value, misfits: [] }

    const meant = candidates.filter((candidate) => !rejection(candidate))
    const [closest] = meant.sort((a, b) => distance(a) - distance(b))
    if (closest) return closest
    // The inner reason says more: that no branch has such a tag, not that one of them wants null.
    const reasons = candidates.flatMap((candidate) => rejection(candidate) ?? [])
    const [first] = reasons.sort((a, b) => b.path.length - a.path.length)
    if (!first) return { value, misfits: [] }
    const alike = reasons.filter(({ path }) => String(path) === String(first.path))
    return { value, misfits: [{ ...first, expected: either(alike.map(({ expected }) => expected)) }] }
  }

  let coerced = mend(given, root)
  for (let pass = 1; pass < PASSES; pass++) coerced = mend(coerced.value, root)
  return coerced
}

/** What says that a branch was not meant: the value is of another kind, or has the tag of another branch. */
function rejection({ misfits }: Coerced): Misfit | undefined {
  return misfits.find(
    ({ path, gate }) => gate && (path.length === 0 || (path.length === 1 && gate === "choice")),
  )
}

/** How far a value is from a branch. What is missing counts more: it may be there under another branch's name. */
function distance({ misfits }: Coerced): number {
  return misfits.length + misfits.filter(({ received }) => received === MISSING).length
}

function misfit(expected: string, value: unknown): Misfit {
  return { path: [], expected, received: describeValue(value) }
}
