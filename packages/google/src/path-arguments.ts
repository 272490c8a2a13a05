/**
 * Puts the arguments of a streamed call together.
 *
 * Vertex can send arguments value by value, each with the JSON path of its place (`$.operations[0].name`); a long
 * string comes in pieces with one path. Order is the model's, so a container is made when the first value inside
 * it arrives.
 *
 * A path that cannot be followed makes the call unusable but not the answer: it is reported as the call's
 * `argumentsError`. Objects here have no prototype, so a key cannot be anything but a key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9535#name-normalized-paths
 */
import { isWireObject, textOf, type WireObject } from "@heddle/provider-kit"

type Step = string | number
type Holder = Record<string, unknown> | unknown[]

/** `.name`, `[3]`, `['name']` or `["name"]`. */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y

/** How many elements of an array may be missing before one that arrives. The model writes them in order. */
const WIDEST_GAP = 1000

/** Collects one call's arguments. */
export class PathArguments {
  readonly #root: Record<string, unknown> = Object.create(null)
  #problem: string | undefined

  /** What is wrong with the arguments, if anything. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** @returns the JSON of all that has arrived. */
  toJson(): string {
    return JSON.stringify(this.#root)
  }

  /** An entry of `partialArgs`. */
  add(fragment: WireObject): void {
    const value = scalarOf(fragment)
    if (value === undefined) return // says only that the value at this path is complete
    const path = textOf(fragment.jsonPath)
    const steps = toSteps(path)
    if (!steps || !put(this.#root, steps, value)) {
      this.#problem ??= `The arguments hold a value at a place that cannot be followed: ${path.slice(0, 100)}`
    }
  }

  /** Arguments that came as a whole. */
  merge(args: WireObject): void {
    for (const [name, value] of Object.entries(args)) this.#root[name] = value
  }
}

function scalarOf(fragment: WireObject): unknown {
  const { stringValue, numberValue, boolValue } = fragment
  if (typeof stringValue === "string") return stringValue
  if (typeof numberValue === "number") return numberValue
  if (typeof boolValue === "boolean") return boolValue
  return "nullValue" in fragment ? null : undefined
}

/** @returns undefined for a path that is not the path of one member of the arguments. */
function toSteps(path: string): readonly Step[] | undefined {
  if (!path.startsWith("$")) return undefined
  const steps: Step[] = []
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at
    const found = STEP.exec(path)
    if (!found) return undefined
    const [, name, index, single, double] = found
    steps.push(index !== undefined ? Number(index) : (name ?? withoutEscapes(single ?? double ?? "")))
  }
  return typeof steps[0] === "string" ? steps : undefined
}

function withoutEscapes(quoted: string): string {
  return quoted.replace(/\\(?:u([0-9A-Fa-f]{4})|(.))/g, (_, code: string | undefined, character: string) =>
    code === undefined ? (CONTROLS[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const CONTROLS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }

/** @returns false where something of another kind is in the way. */
function put(root: Holder, steps: readonly Step[], value: unknown): boolean {
  let holder = root
  for (const [depth, step] of steps.entries()) {
    if (!makeRoom(holder, step)) return false
    const place = holder as Record<Step, unknown>
    const known = place[step]
    if (depth === steps.length - 1) {
      if (typeof known === "object" && known !== null) return false
      place[step] = typeof known === "string" && typeof value === "string" ? known + value : value
      return true
    }
    place[step] ??= typeof steps[depth + 1] === "number" ? [] : Object.create(null)
    const next = place[step]
    if (!isHolder(next)) return false
    holder = next
  }
  return false
}

function makeRoom(holder: Holder, step: Step): boolean {
  if (!Array.isArray(holder)) return typeof step === "string"
  if (typeof step !== "number" || step > holder.length + WIDEST_GAP) return false
  while (holder.length < step) holder.push(null)
  return true
}

function isHolder(value: unknown): value is Holder {
  return Array.isArray(value) || isWireObject(value)
}
