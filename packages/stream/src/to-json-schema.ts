/**
 * Says of any schema that a tool may have what it is in plain JSON Schema, the form that goes over a wire.
 *
 * TypeBox and JSON Schema are copied; a Standard Schema (zod, arktype, valibot) is asked. None of these
 * libraries is imported.
 *
 * This file does not validate, neither arguments nor the schema; see `@heddle/tools`. What comes out is JSON
 * data and nothing else: no symbols, no functions. Input is never written.
 */
import type { StandardSchema, ToolParameters } from "@heddle/types"

/** One answer per schema, so that every request says the same and costs no conversion. */
const known = new WeakMap<object, Readonly<Record<string, unknown>>>()

/**
 * Thrown by {@link toJsonSchema} for a schema whose JSON Schema cannot be known: a Standard Schema of a library
 * that cannot state it, one with parts that JSON Schema has no words for (dates, transformations), or something
 * that is no schema.
 */
export class JsonSchemaUnavailableError extends Error {
  override readonly name = "JsonSchemaUnavailableError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "JSON_SCHEMA_UNAVAILABLE"
}

/**
 * The JSON Schema (draft 2020-12) of a tool's parameters.
 *
 * A Standard Schema is asked for the schema of its input: what a model has to write. That wins where an object
 * is both.
 *
 * @returns the same deeply frozen object for the same schema. A schema that is changed after its first use keeps
 * its first form.
 * @throws JsonSchemaUnavailableError where there is none, saying what to do.
 */
export function toJsonSchema(parameters: ToolParameters): Readonly<Record<string, unknown>> {
  const cached = known.get(parameters)
  if (cached) return cached

  const schema = toJsonData(isStandardSchema(parameters) ? askForJsonSchema(parameters) : parameters)
  known.set(parameters, schema)
  known.set(schema, schema)
  return schema
}

/** The schemas of some libraries are functions. */
function isStandardSchema(parameters: ToolParameters): parameters is StandardSchema {
  const standard: unknown = (parameters as Partial<StandardSchema> | null | undefined)?.["~standard"]
  return typeof standard === "object" && standard !== null
}

function askForJsonSchema(schema: StandardSchema): unknown {
  const { vendor, jsonSchema } = schema["~standard"]
  if (!jsonSchema) {
    throw new JsonSchemaUnavailableError(
      vendor === "valibot"
        ? "A valibot schema cannot state its JSON Schema: wrap it with toStandardJsonSchema() of @valibot/to-json-schema"
        : `This ${vendor} schema cannot state its JSON Schema: use a version of ${vendor} that can (https://standardschema.dev/json-schema), or write the parameters as JSON Schema`,
    )
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" })
  } catch (cause) {
    throw new JsonSchemaUnavailableError(
      `This ${vendor} schema has no JSON Schema (${cause instanceof Error ? cause.message : cause}): describe what the model writes with types that JSON has`,
      { cause },
    )
  }
}

function toJsonData(schema: unknown): Readonly<Record<string, unknown>> {
  try {
    if (isPlainObject(schema)) return JSON.parse(JSON.stringify(schema), (_key, part) => Object.freeze(part))
  } catch (cause) {
    throw new JsonSchemaUnavailableError(
      `The parameters are not JSON data (${cause instanceof Error ? cause.message : cause}): a schema holds no cycle and no bigint`,
      { cause },
    )
  }
  throw new JsonSchemaUnavailableError(
    "The parameters are no schema: use TypeBox, a plain JSON Schema object, or a Standard Schema",
  )
}

/** Also of another realm. An instance of a class is a schema of some library that cannot state its form. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
