import type { JsonSchema } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { JsonSchemaUnavailableError, toJsonSchema } from "../src/to-json-schema.ts"

const readFile = {
  type: "object",
  properties: { path: { type: "string" }, limit: { type: "number" } },
  required: ["path"],
}

describe("toJsonSchema", () => {
  test.each([
    { library: "JSON Schema", schema: readFile },
    {
      library: "TypeBox",
      schema: Type.Object({ path: Type.String(), limit: Type.Optional(Type.Number()) }),
    },
    { library: "zod", schema: z.object({ path: z.string(), limit: z.number().optional() }) },
    { library: "arktype", schema: type({ path: "string", "limit?": "number" }) },
    {
      library: "valibot",
      schema: toStandardJsonSchema(v.object({ path: v.string(), limit: v.optional(v.number()) })),
    },
  ])("reads $library", ({ schema }) => {
    const { $schema: _dialect, additionalProperties: _strictness, ...read } = toJsonSchema(schema)

    expect(read).toEqual(readFile)
  })

  test("returns JSON data without the symbols of TypeBox", () => {
    const schema = Type.Object({ deep: Type.Array(Type.Union([Type.Literal("a"), Type.Null()])) })

    const read = toJsonSchema(schema)

    expect(symbolsIn(schema)).toBeGreaterThan(0)
    expect(symbolsIn(read)).toBe(0)
    expect(read).toStrictEqual(JSON.parse(JSON.stringify(schema)))
  })

  test("keeps what it does not know, references and a property named __proto__", () => {
    const text =
      '{"type":"object","x-vendor":{"a":[1]},"properties":{"__proto__":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"null"}}}'
    const read = toJsonSchema(JSON.parse(text))

    expect(JSON.stringify(read)).toBe(text)
    expect(Object.getPrototypeOf(read.properties)).toBe(Object.prototype)
  })

  test("asks a Standard Schema for what the model has to write, not for what comes out", () => {
    const schema = z.object({ n: z.string().transform(Number), size: z.number().default(3) })

    expect(toJsonSchema(schema)).toMatchObject({
      properties: { n: { type: "string" }, size: { type: "number", default: 3 } },
      required: ["n"],
    })
  })

  test("asks for draft 2020-12", () => {
    const asked: unknown[] = []
    const input = (options: unknown) => {
      asked.push(options)
      return readFile
    }

    toJsonSchema(standard({ input }))

    expect(asked).toEqual([{ target: "draft-2020-12" }])
  })

  test("prefers what a Standard Schema states where the object is JSON Schema too", () => {
    const both = { type: "string", ...standard({ input: () => readFile }) }

    expect(toJsonSchema(both)).toEqual(readFile)
  })

  test("writes neither its input nor what a library returned", () => {
    const plain = deepFreeze(structuredClone(readFile))
    const stated = structuredClone(readFile)

    toJsonSchema(plain)
    toJsonSchema(standard({ input: () => stated }))

    expect(plain).toEqual(readFile)
    expect(Object.isFrozen(stated)).toBe(false)
    expect(Object.isFrozen(stated.properties.path)).toBe(false)
  })

  test("returns something else than its input, frozen to the last level", () => {
    const schema = structuredClone(readFile)

    const read = toJsonSchema(schema) as typeof readFile

    expect(read).not.toBe(schema)
    expect(read.properties.path).not.toBe(schema.properties.path)
    expect([read, read.properties, read.properties.path, read.required].every(Object.isFrozen)).toBe(true)
  })

  test("returns the same object for the same schema, and for its own result", () => {
    let asked = 0
    const schema = standard({ input: () => ({ ...readFile, asked: ++asked }) })

    const read = toJsonSchema(schema)

    expect(toJsonSchema(schema)).toBe(read)
    expect(toJsonSchema(read)).toBe(read)
    expect(asked).toBe(1)
  })

  test.each([
    {
      problem: "valibot without its wrapper",
      schema: v.object({}),
      says: /toStandardJsonSchema\(\) of @valibot/,
    },
    {
      problem: "a library without the ability",
      schema: standard(undefined),
      says: /version of acme that can/,
    },
    { problem: "a date in zod", schema: z.object({ at: z.date() }), says: /Date cannot be represented/ },
    { problem: "null", schema: null, says: /are no schema/ },
    { problem: "undefined", schema: undefined, says: /are no schema/ },
    { problem: "a string", schema: "object", says: /are no schema/ },
    { problem: "a list", schema: [readFile], says: /are no schema/ },
    { problem: "a function", schema: () => readFile, says: /are no schema/ },
    { problem: "an instance of a class", schema: new (class Schema {})(), says: /are no schema/ },
    {
      problem: "a Standard Schema that states nothing",
      schema: standard({ input: () => null }),
      says: /no schema/,
    },
    { problem: "a cycle", schema: cycle(), says: /no cycle/ },
    { problem: "a bigint", schema: { type: "integer", maximum: 3n }, says: /no bigint/ },
  ])("refuses $problem with a stable code and a way out", ({ schema, says }) => {
    const error = thrownBy(() => toJsonSchema(schema as JsonSchema))

    expect(error).toBeInstanceOf(JsonSchemaUnavailableError)
    expect(error).toMatchObject({ code: "JSON_SCHEMA_UNAVAILABLE", message: expect.stringMatching(says) })
  })
})

function standard(jsonSchema: object | undefined): JsonSchema {
  return {
    "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }), jsonSchema },
  }
}

function cycle(): object {
  const schema: Record<string, unknown> = { type: "object" }
  schema.properties = { self: schema }
  return schema
}

function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt()
  } catch (error) {
    return error
  }
  return undefined
}

function symbolsIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce<number>(
    (sum, part) => sum + symbolsIn(part),
    Object.getOwnPropertySymbols(value).length,
  )
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}
