import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Type } from "@sinclair/typebox"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { ToolArgumentsError, validateToolArguments } from "../src/index.ts"
import { deepFreeze } from "./support.ts"

function validate(parameters: object, args: unknown): unknown {
  return validateToolArguments({ name: "t", description: "", parameters }, { name: "t", arguments: args })
}

/** The error of arguments that do not fit. */
function refusal(parameters: object, args: unknown): ToolArgumentsError {
  try {
    validate(parameters, args)
  } catch (error) {
    if (error instanceof ToolArgumentsError) return error
    throw error
  }
  throw new Error("The arguments were accepted")
}

/** The issues, one line each. */
function issues(parameters: object, args: unknown): string[] {
  return refusal(parameters, args).issues.map(({ path, message }) => `${path}: ${message}`)
}

const typebox = Type.Object({
  path: Type.String(),
  lines: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
  deep: Type.Optional(Type.Object({ flag: Type.Boolean() })),
  mode: Type.Optional(Type.Union([Type.Literal("read"), Type.Literal("write")])),
})

const zod = z.object({
  path: z.string(),
  lines: z.array(z.int().min(1)).optional(),
  deep: z.object({ flag: z.boolean() }).optional(),
  mode: z.enum(["read", "write"]).optional(),
})

const valibot = toStandardJsonSchema(
  v.object({
    path: v.string(),
    lines: v.optional(v.array(v.pipe(v.number(), v.integer(), v.minValue(1)))),
    deep: v.optional(v.object({ flag: v.boolean() })),
    mode: v.optional(v.picklist(["read", "write"])),
  }),
)

const arktype = type({
  path: "string",
  "lines?": "(number.integer >= 1)[]",
  "deep?": { flag: "boolean" },
  "mode?": "'read' | 'write'",
})

const plain = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    path: { type: "string" },
    lines: { type: "array", items: { type: "integer", minimum: 1 } },
    deep: { $ref: "#/$defs/deep" },
    mode: { enum: ["read", "write"] },
  },
  required: ["path"],
  $defs: { deep: { type: "object", properties: { flag: { type: "boolean" } }, required: ["flag"] } },
}

describe.each([
  { library: "TypeBox", schema: typebox },
  { library: "zod", schema: zod },
  { library: "valibot", schema: valibot },
  { library: "arktype", schema: arktype },
  { library: "plain JSON Schema", schema: plain },
])("validateToolArguments with $library", ({ schema }) => {
  test("gives back what fits, as a copy that is free to change", () => {
    const args = deepFreeze({ path: "a", lines: [1, 2], deep: { flag: true }, mode: "read" })

    const copy = validate(schema, args) as { lines: number[]; deep: { flag: boolean } }
    copy.lines.push(3)
    copy.deep.flag = false

    expect(args).toEqual({ path: "a", lines: [1, 2], deep: { flag: true }, mode: "read" })
    expect(copy).toEqual({ path: "a", lines: [1, 2, 3], deep: { flag: false }, mode: "read" })
  })

  test("mends the slips of models", () => {
    const args = deepFreeze({ path: "a", lines: "2", deep: '{"flag":"true"}', mode: null })
    expect(validate(schema, args)).toEqual({ path: "a", lines: [2], deep: { flag: true } })
  })

  test("lists every failing path with what was expected and what came", () => {
    const error = refusal(schema, { path: 5, lines: [1, "x"], deep: {}, mode: "burn" })

    expect(error.code).toBe("TOOL_ARGUMENTS_INVALID")
    expect(error.message).toMatch(/^Invalid arguments for tool t:\n/)
    expect(error.message).toMatch(/\nCorrect them and call the tool again\.$/)
    const line = (path: string): string =>
      error.message.split("\n").find((each) => each.startsWith(`- ${path}: `)) ?? ""
    expect(line("path")).toMatch(/string.*(number|5)/)
    expect(line("lines[1]")).toMatch(/(number|integer|int).*(string|"x")/)
    expect(line("deep.flag")).toMatch(/boolean|Expected "flag"/)
    expect(line("mode")).toMatch(/read.*write.*"burn"/)
    expect(error.issues).toHaveLength(4)
  })
})

describe("validateToolArguments", () => {
  test.each([
    {
      what: "a wrong type",
      schema: { properties: { a: { type: "integer" } } },
      args: { a: "1.5" },
      says: 'a: expected integer, received string "1.5"',
    },
    {
      what: "several types",
      schema: { properties: { a: { type: ["number", "null"] } } },
      args: { a: {} },
      says: "a: expected number or null, received object",
    },
    {
      what: "a missing property",
      schema: { properties: { a: { type: "string" } }, required: ["a"] },
      args: {},
      says: "a: expected string, received nothing (required property is missing)",
    },
    {
      what: "an unknown property",
      schema: { properties: {}, additionalProperties: false },
      args: { a: [1] },
      says: "a: expected no such property, received array of 1",
    },
    {
      what: "a list of choices",
      schema: { properties: { a: { enum: ["x", 1, null] } } },
      args: { a: "y" },
      says: 'a: expected "x" or 1 or null, received string "y"',
    },
    {
      what: "a constant",
      schema: { properties: { a: { const: "x" } } },
      args: { a: true },
      says: 'a: expected "x", received boolean true',
    },
    {
      what: "a limit",
      schema: { properties: { a: { type: "string", minLength: 3 } } },
      args: { a: "y" },
      says: 'a: expected minLength 3, received string "y"',
    },
    {
      what: "a pattern",
      schema: { properties: { a: { pattern: "^x" } } },
      args: { a: "y" },
      says: 'a: expected pattern "^x", received string "y"',
    },
    {
      what: "a union of kinds",
      schema: { properties: { a: { anyOf: [{ type: "number" }, { type: "boolean" }] } } },
      args: { a: "x" },
      says: 'a: expected number or boolean, received string "x"',
    },
    {
      what: "a reference",
      schema: { $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } }, required: ["a"] },
      args: {},
      says: "a: expected number, received nothing (required property is missing)",
    },
    {
      what: "a path through lists",
      schema: { properties: { a: { items: { properties: { "b c": { type: "null" } } } } } },
      args: { a: [{}, { "b c": 1 }] },
      says: "a[1].b c: expected null, received number 1",
    },
    {
      what: "the whole",
      schema: { type: "object" },
      args: [],
      says: "arguments: expected object, received array of 0",
    },
    {
      what: "what no keyword tells",
      schema: { properties: { a: { contains: { const: 1 } } } },
      args: { a: [2] },
      says: 'a: expected contains {"const":1}, received array of 1',
    },
    {
      what: "properties that nothing evaluated",
      schema: { properties: { a: {} }, unevaluatedProperties: false },
      args: { b: 1 },
      says: 'arguments: expected a value that fits {"properties":{"a":{}},"unevaluatedProperties":false}, received object',
    },
  ])("says what is wrong with $what", ({ schema, args, says }) => {
    expect(issues(schema, args)).toEqual([says])
  })

  test("follows the branch of a union that the tag asks for", () => {
    const circle = Type.Object({ kind: Type.Literal("circle"), radius: Type.Number() })
    const square = Type.Object({ kind: Type.Literal("square"), side: Type.Number({ minimum: 1 }) })
    const schema = Type.Object({ shape: Type.Union([Type.Null(), circle, square]) })

    expect(issues(schema, { shape: { kind: "square", side: "0" } })).toEqual([
      "shape.side: expected minimum 1, received number 0",
    ])
    expect(issues(schema, { shape: { kind: "circle" } })).toEqual([
      "shape.radius: expected number, received nothing (required property is missing)",
    ])
    expect(issues(schema, { shape: { kind: "line" } })).toEqual([
      'shape.kind: expected "circle" or "square", received string "line"',
    ])
  })

  test("follows the branch of a union that comes closest where there is no tag", () => {
    const schema = Type.Union([
      Type.Object({ url: Type.String() }),
      Type.Object({ path: Type.String(), line: Type.Number() }),
    ])
    expect(issues(schema, { path: "a", line: "x" })).toEqual(['line: expected number, received string "x"'])
  })

  test("says so where a value fits more than the one branch it may", () => {
    const schema = { properties: { a: { oneOf: [{ type: "number" }, { type: "integer" }] } } }
    expect(issues(schema, { a: 1 })).toEqual([
      'a: expected a value that fits {"oneOf":[{"type":"number"},{"type":"integer"}]}, received number 1',
    ])
  })

  test("says so where there is no branch at all", () => {
    expect(issues({ anyOf: [] }, { a: 1 })).toEqual([
      'arguments: expected a value that fits {"anyOf":[]}, received object',
    ])
  })

  test("lists twenty issues and counts the rest", () => {
    const { message } = refusal(
      { items: { type: "number" } },
      Array.from({ length: 30 }, () => "x"),
    )
    expect(message.split("\n")).toHaveLength(23)
    expect(message).toContain("\n- and 10 more\n")
  })

  test("shows a long value in part", () => {
    const { message } = refusal({ type: "number" }, "x".repeat(1000))
    expect(message.length).toBeLessThan(300)
  })

  test("keeps a property named __proto__", () => {
    const args = validate({ type: "object" }, JSON.parse('{"__proto__":{"admin":true},"a":1}')) as object

    expect(Object.keys(args)).toEqual(["__proto__", "a"])
    expect("admin" in args).toBe(false)
  })

  test("takes absent for undefined", () => {
    expect(validate({ additionalProperties: { type: "number" } }, { a: 1, b: undefined })).toEqual({ a: 1 })
    expect(issues({ type: "object" }, undefined)).toEqual(["arguments: expected object, received null"])
  })

  test("asks a schema that is used by many calls for its JSON Schema once", () => {
    let asked = 0
    const schema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => {
            asked++
            return { type: "number" }
          },
        },
      },
    }

    expect([validate(schema, "1"), validate(schema, "2")]).toEqual([1, 2])
    expect(asked).toBe(1)
  })
})

describe("validateToolArguments with a Standard Schema", () => {
  test("gives what the library makes of the value", () => {
    const schema = z.object({ words: z.string().transform((text) => text.length), n: z.number().default(7) })
    expect(validate(schema, { words: "four", n: null })).toEqual({ words: 4, n: 7 })
  })

  test("gives a promise only where the library validates asynchronously", async () => {
    const schema = z.object({ n: z.number().refine(async (n) => n > 1, "must be greater than 1") })

    const valid = validate(schema, { n: "2" })
    expect(valid).toBeInstanceOf(Promise)
    expect(await valid).toEqual({ n: 2 })
    await expect(validate(schema, { n: 1 })).rejects.toMatchObject({
      code: "TOOL_ARGUMENTS_INVALID",
      issues: [{ path: "n", message: "must be greater than 1, received number 1" }],
    })
  })

  test("completes a message that does not say what was expected", () => {
    const schema = z.object({ a: z.union([z.number(), z.boolean()]) })
    expect(issues(schema, { a: "x" })).toEqual([
      'a: Invalid input: expected number or boolean, received string "x"',
    ])
  })

  test("keeps the words of the tool's author", () => {
    const schema = z.object({ day: z.string("must be an ISO date (received something else)") })
    expect(issues(schema, { day: 1 })).toEqual(["day: must be an ISO date (received something else)"])
  })

  test("validates without mending where the library has no JSON Schema for it", () => {
    const dates = z.object({ at: z.date() })
    const bare = v.object({ n: v.number() })

    expect(issues(dates, { at: "2020" })[0]).toMatch(/^at: .*expected date.*received string/)
    expect(validate(bare, { n: 1 })).toEqual({ n: 1 })
    expect(issues(bare, { n: "1" })).toEqual(['n: Invalid type: Expected number but received "1"'])
  })

  test("validates without mending where the JSON Schema is of no use", () => {
    const schema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ $ref: "#/nowhere" }) },
      },
    }
    expect(validate(schema, "1")).toBe("1")
  })

  test("reports a library that throws or rejects", async () => {
    const failing = (validate: () => unknown): object => ({
      "~standard": { version: 1, vendor: "test", validate },
    })
    const cause = new Error("out of order")

    const thrown = refusal(
      failing(() => {
        throw cause
      }),
      {},
    )
    expect(thrown).toMatchObject({
      message: "The arguments of tool t cannot be checked: out of order",
      cause,
      issues: [],
    })
    await expect(
      validate(
        failing(() => Promise.reject(cause)),
        {},
      ),
    ).rejects.toBeInstanceOf(ToolArgumentsError)
  })
})

describe("validateToolArguments with schemas from the wild", () => {
  test("takes the schema of an MCP server, with $defs, recursion and tuples", () => {
    const schema = deepFreeze({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        filter: { $ref: "#/$defs/filter" },
        range: { type: "array", prefixItems: [{ type: "integer" }, { type: "integer" }], items: false },
      },
      required: ["filter"],
      additionalProperties: false,
      $defs: {
        filter: {
          oneOf: [
            {
              type: "object",
              properties: { and: { type: "array", items: { $ref: "#/$defs/filter" } } },
              required: ["and"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { field: { type: "string" }, equals: { type: ["number", "boolean"] } },
              required: ["field", "equals"],
              additionalProperties: false,
            },
          ],
        },
      },
    })

    const leaf = { field: "a", equals: "1" }
    expect(validate(schema, { filter: { and: [leaf, { and: [leaf] }] }, range: ["1", 2] })).toEqual({
      filter: { and: [{ field: "a", equals: 1 }, { and: [{ field: "a", equals: 1 }] }] },
      range: [1, 2],
    })
    expect(issues(schema, { filter: { and: [{ field: 1, equals: 1 }] } })).toEqual([
      "filter.and[0].field: expected string, received number 1",
    ])
    expect(issues(schema, { filter: leaf, range: [1, 2, 3] })).toEqual([
      "range[2]: expected no such property, received number 3",
    ])
  })

  test("takes TypeBox's recursion, modules and shared schemas with an id", () => {
    const tree = Type.Recursive((This) => Type.Object({ value: Type.Number(), children: Type.Array(This) }))
    const module = Type.Module({
      Node: Type.Object({ next: Type.Optional(Type.Ref("Node")), n: Type.Number() }),
    })
    const point = Type.Object({ x: Type.Number() }, { $id: "point" })

    expect(validate(tree, { value: "1", children: [{ value: "2", children: [] }] })).toEqual({
      value: 1,
      children: [{ value: 2, children: [] }],
    })
    expect(validate(module.Import("Node"), { n: 1, next: { n: "2" } })).toEqual({ n: 1, next: { n: 2 } })
    expect(validate(Type.Object({ a: point, b: point }), { a: { x: "1" }, b: { x: 2 } })).toEqual({
      a: { x: 1 },
      b: { x: 2 },
    })
  })

  test("takes a pattern with escapes that only lenient engines know", () => {
    const schema = { properties: { day: { type: "string", pattern: "^\\d{4}\\-\\d\\d\\:\\\\$" } } }

    expect(validate(schema, { day: "2020-01:\\" })).toEqual({ day: "2020-01:\\" })
    expect(() => validate(schema, { day: "2020-01" })).toThrow(ToolArgumentsError)
  })

  test("takes names, defaults and examples that look like keywords", () => {
    const schema = {
      type: "object",
      properties: {
        id: { type: "string" },
        type: { type: "string" },
        $ref: { type: "number" },
        enum: { type: "array", default: { $ref: "#/none" }, examples: [{ $id: "x" }, { $id: "x" }] },
      },
    }
    const args = { id: "1", type: "a", $ref: "2", enum: [] }
    expect(validate(schema, args)).toEqual({ ...args, $ref: 2 })
  })

  test.each([
    {
      what: "a reference that leads nowhere",
      schema: { $ref: "#/$defs/none" },
      says: 'Unresolved $ref "#/$defs/none".',
    },
    {
      what: "a pattern that is none",
      schema: { properties: { a: { pattern: "[" } } },
      says: "Invalid regular expression",
    },
    {
      what: "references in a circle",
      schema: { $defs: { a: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
      says: "they are nested too deeply.",
    },
    { what: "keywords of a wrong form", schema: { anyOf: 5 }, says: "" },
    { what: "no form at all", schema: undefined as never, says: "its parameters are no schema" },
  ])("says so where the schema has $what", ({ schema, says }) => {
    const { message, issues: found } = refusal(schema, { a: "x" })

    expect(message).toContain(`The arguments of tool t cannot be checked: ${says}`)
    expect(message).not.toContain("cfworker")
    expect(found).toEqual([])
  })

  test("says so where a schema contains itself", () => {
    const schema: Record<string, unknown> = { type: "object" }
    schema.properties = { self: schema }
    expect(() => validate(schema, {})).toThrow("cannot be checked")
  })

  test.each([100, 1000, 100_000])("survives arguments %i levels deep", (levels) => {
    const schema = {
      $defs: { list: { anyOf: [{ type: "array", items: { $ref: "#/$defs/list" } }, { type: "number" }] } },
      properties: { list: { $ref: "#/$defs/list" } },
    }
    const list: unknown = JSON.parse("[".repeat(levels) + "]".repeat(levels))

    if (levels === 100) expect(validate(schema, { list })).toEqual({ list })
    else expect(() => validate(schema, { list })).toThrow("they are nested too deeply.")
    expect(() => validate(schema, { list: JSON.stringify({ list: "x" }) })).toThrow(ToolArgumentsError)
  })

  test("survives thousands of wrong items", () => {
    const items = Array.from({ length: 20_000 }, () => "x")
    expect(refusal({ properties: { items: { items: { type: "number" } } } }, { items }).issues).toHaveLength(
      20_000,
    )
  })
})

test("validateToolArguments works where code generation is forbidden", () => {
  const index = new URL("../src/index.ts", import.meta.url)
  const program = `
    import { validateToolArguments } from ${JSON.stringify(index)}
    import { Type } from "@sinclair/typebox"
    import { z } from "zod"
    const run = (parameters) => validateToolArguments({ name: "t", description: "", parameters }, { arguments: { n: "1" } })
    let refused = false
    try { new Function("") } catch { refused = true }
    console.log(JSON.stringify([
      refused,
      run(Type.Object({ n: Type.Number() })),
      run(z.object({ n: z.number() })),
      run({ type: "object", properties: { n: { type: "integer" } } }),
    ]))`

  const child = spawnSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", "--no-warnings", "--input-type=module", "--eval", program],
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)), encoding: "utf8" },
  )

  expect(child.stderr).toBe("")
  expect(JSON.parse(child.stdout)).toEqual([true, { n: 1 }, { n: 1 }, { n: 1 }])
})
