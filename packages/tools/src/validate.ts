/**
 * Turns what a model wrote into arguments that a tool can trust.
 *
 * The value is copied, its slips are mended (`coerce.ts`) and it is checked: against the JSON Schema, or by
 * the Standard Schema's own library, whose transformed value then counts. Nothing is compiled to code, so
 * this works where `eval` is forbidden.
 */
import type { StandardIssue, StandardResult, StandardSchema, Tool } from "@heddle/types"
import { type Coerced, coerce, type Misfit } from "./coerce.ts"
import { describePath, describeValue } from "./describe.ts"
import { copyData, isPromiseLike } from "./plain-data.ts"
import { messageOf } from "./result.ts"
import { documentOf, type SchemaDocument } from "./schema-document.ts"

/** How many issues a message lists. */
const MAX_LISTED = 20

/** One reason why arguments do not fit. */
export interface ToolArgumentsIssue {
  /** Where, as one would write it in code: `filters[0].name`. `arguments` stands for the whole. */
  readonly path: string
  /** What was expected there, and what came. */
  readonly message: string
}

/**
 * Thrown by {@link validateToolArguments} when arguments do not fit, or cannot be checked because the tool's
 * schema is broken. The message is written for the model to act on.
 */
export class ToolArgumentsError extends Error {
  override readonly name = "ToolArgumentsError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "TOOL_ARGUMENTS_INVALID"
  /** Every failing path. Empty where the arguments could not be checked. */
  readonly issues: readonly ToolArgumentsIssue[]

  constructor(toolName: string, issues: readonly ToolArgumentsIssue[], options?: ErrorOptions) {
    super(
      issues.length > 0
        ? `Invalid arguments for tool ${toolName}:\n${listed(issues)}\nCorrect them and call the tool again.`
        : `The arguments of tool ${toolName} cannot be checked: ${whyUncheckable(options?.cause)}`,
      options,
    )
    this.issues = issues
  }
}

/**
 * @returns a copy of the arguments, mended and checked; a promise of it only where a Standard Schema
 *   validates asynchronously.
 * @throws ToolArgumentsError; the promise rejects with the same.
 */
export function validateToolArguments(
  { name, parameters }: Tool,
  toolCall: { readonly name?: string; readonly arguments: unknown },
): unknown {
  const fail = (error: unknown): never => {
    throw error instanceof ToolArgumentsError ? error : new ToolArgumentsError(name, [], { cause: error })
  }
  try {
    const args = copyData(toolCall.arguments) ?? null
    const document = documentOf(parameters)
    if ("~standard" in parameters) return validateStandard(name, parameters, args, document, fail)
    const { value, misfits } = document ? coerce(args, document) : asIs(args)
    if (misfits.length === 0) return value
    throw new ToolArgumentsError(
      name,
      misfits.map(({ path, expected, received }) => ({
        path: describePath(path),
        message: `expected ${expected}, received ${received}`,
      })),
    )
  } catch (error) {
    return fail(error)
  }
}

function validateStandard(
  toolName: string,
  schema: StandardSchema,
  args: unknown,
  document: SchemaDocument | undefined,
  fail: (error: unknown) => never,
): unknown {
  let coerced = asIs(args)
  try {
    if (document) coerced = coerce(args, document)
  } catch {
    // Its own library has the last word, so a JSON Schema that the validator cannot work with is no failure.
  }
  const { value, misfits } = coerced
  const take = (result: StandardResult): unknown => {
    if (!result.issues) return result.value
    throw new ToolArgumentsError(
      toolName,
      result.issues.map((issue) => toIssue(issue, value, misfits)),
    )
  }
  const result = schema["~standard"].validate(value)
  return isPromiseLike(result) ? Promise.resolve(result).then(take).catch(fail) : take(result)
}

/** The library's message, completed where it leaves out what was expected ("Invalid input") or what came. */
function toIssue(
  { message, path = [] }: StandardIssue,
  args: unknown,
  misfits: readonly Misfit[],
): ToolArgumentsIssue {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step))
  const at = describePath(keys)
  const same = misfits.find((misfit) => describePath(misfit.path) === at)
  const expected = same && !/expect|must/i.test(message) ? `: expected ${same.expected}` : ""
  const found = keys.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    args,
  )
  const received = /receiv|\(was/i.test(message) ? "" : `, received ${describeValue(found)}`
  return { path: at, message: message + expected + received }
}

function whyUncheckable(cause: unknown): string {
  if (cause instanceof RangeError) return "they are nested too deeply."
  // The validator goes on to list every part of the schema.
  return messageOf(cause).replace(/(\n| +Absolute URI).*/s, "")
}

function listed(issues: readonly ToolArgumentsIssue[]): string {
  const lines = issues.slice(0, MAX_LISTED).map(({ path, message }) => `- ${path}: ${message}`)
  const more = issues.length - lines.length
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n")
}

function asIs(value: unknown): Coerced {
  return { value, misfits: [] }
}
