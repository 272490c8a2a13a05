import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { coerce } from "../src/coerce.ts"
import { documentOf } from "../src/schema-document.ts"
import { deepFreeze } from "./support.ts"

/** What becomes of a value of this schema. */
function mend(schema: object, value: unknown): unknown {
  const document = documentOf(deepFreeze(schema))
  if (!document) throw new Error("no schema")
  return coerce(deepFreeze(value), document).value
}

const NUMBER = { type: "number" }
const INTEGER = { type: "integer" }
const BOOLEAN = { type: "boolean" }
const STRING = { type: "string" }
const STRINGS = { type: "array", items: STRING }
const NUMBERS = { type: "array", items: NUMBER }
const POINT = { type: "object", properties: { x: NUMBER, label: STRING }, required: ["x"] }

describe("coerce mends", () => {
  test.each([
    { slip: "a number in quotes", schema: NUMBER, from: "42", to: 42 },
    { slip: "a negative number in quotes", schema: NUMBER, from: "-0.5", to: -0.5 },
    { slip: "an exponent in quotes", schema: NUMBER, from: "1e3", to: 1000 },
    { slip: "trailing zeros in quotes", schema: NUMBER, from: "1.50", to: 1.5 },
    { slip: "the largest safe integer", schema: INTEGER, from: "9007199254740991", to: 9007199254740991 },
    { slip: "a whole number with a fraction of zero", schema: INTEGER, from: "3.0", to: 3 },
    { slip: "true in quotes", schema: BOOLEAN, from: "true", to: true },
    { slip: "false in quotes", schema: BOOLEAN, from: "false", to: false },
    { slip: "an object as JSON", schema: POINT, from: '{"x":1}', to: { x: 1 } },
    { slip: "an object as JSON, with slips of its own", schema: POINT, from: '{"x":"1"}', to: { x: 1 } },
    { slip: "an array as JSON", schema: STRINGS, from: ' ["a","b"]', to: ["a", "b"] },
    { slip: "one item for a list", schema: STRINGS, from: "a", to: ["a"] },
    { slip: "one item for a list, with a slip of its own", schema: NUMBERS, from: "1", to: [1] },
    {
      slip: "one object for a list",
      schema: { type: "array", items: POINT },
      from: { x: "1" },
      to: [{ x: 1 }],
    },
    { slip: "null for an absent optional", schema: POINT, from: { x: 1, label: null }, to: { x: 1 } },
    { slip: "items", schema: NUMBERS, from: ["1", 2], to: [1, 2] },
    {
      slip: "the places of a tuple",
      schema: { type: "array", prefixItems: [NUMBER, BOOLEAN], items: INTEGER },
      from: ["1", "true", "3"],
      to: [1, true, 3],
    },
    {
      slip: "the places of a tuple as draft 7 writes it",
      schema: { type: "array", items: [NUMBER, STRING], additionalItems: BOOLEAN },
      from: ["1", "2", "true"],
      to: [1, "2", true],
    },
    {
      slip: "additional properties",
      schema: { type: "object", additionalProperties: NUMBER },
      from: { a: "1" },
      to: { a: 1 },
    },
    {
      slip: "pattern properties",
      schema: { type: "object", patternProperties: { "^n-": NUMBER }, additionalProperties: STRING },
      from: { "n-a": "1", b: "1" },
      to: { "n-a": 1, b: "1" },
    },
    { slip: "one of several types", schema: { type: ["number", "null"] }, from: "42", to: 42 },
    { slip: "a listed number", schema: { enum: [1, 2] }, from: "2", to: 2 },
    { slip: "a constant", schema: { const: true }, from: "true", to: true },
    { slip: "the first branch that fits", schema: { anyOf: [BOOLEAN, NUMBER] }, from: "42", to: 42 },
    { slip: "the only branch that fits", schema: { oneOf: [NUMBER, BOOLEAN] }, from: "true", to: true },
    { slip: "an optional list", schema: { anyOf: [STRINGS, { type: "null" }] }, from: "a", to: ["a"] },
    { slip: "all parts of allOf", schema: { allOf: [NUMBER, { minimum: 1 }] }, from: "2", to: 2 },
    {
      slip: "what a condition asks for",
      schema: JSON.parse(
        '{"if":{"properties":{"kind":{"const":"n"}}},"then":{"properties":{"value":{"type":"number"}}}}',
      ),
      from: { kind: "n", value: "1" },
      to: { kind: "n", value: 1 },
    },
    {
      slip: "references",
      schema: { $defs: { n: NUMBER }, type: "object", properties: { a: { $ref: "#/$defs/n" } } },
      from: { a: "1" },
      to: { a: 1 },
    },
    {
      slip: "recursion",
      schema: {
        type: "object",
        properties: { value: NUMBER, children: { type: "array", items: { $ref: "#" } } },
      },
      from: { value: "1", children: [{ value: "2", children: '[{"value":"3"}]' }] },
      to: { value: 1, children: [{ value: 2, children: [{ value: 3 }] }] },
    },
    { slip: "nullable as OpenAPI writes it", schema: { type: "number", nullable: true }, from: "1", to: 1 },
  ])("$slip: $from", ({ schema, from, to }) => {
    expect(mend(schema, from)).toEqual(to)
  })

  test("arguments named __proto__ and constructor without touching a prototype", () => {
    const schema = { type: "object", additionalProperties: NUMBER }

    const mended = mend(schema, JSON.parse('{"__proto__":"1","constructor":"2"}')) as object

    expect(Object.entries(mended)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ])
    expect(Object.getPrototypeOf(mended)).toBe(Object.prototype)
  })
})

describe("coerce leaves alone", () => {
  test.each([
    { what: "an empty string for a number", schema: NUMBER, value: "" },
    { what: "a blank string for a number", schema: NUMBER, value: " " },
    { what: "a blank string for a boolean", schema: BOOLEAN, value: " " },
    { what: "a number with space around", schema: NUMBER, value: " 42 " },
    { what: "a hexadecimal number", schema: NUMBER, value: "0x1f" },
    { what: "a number with zeros in front", schema: NUMBER, value: "007" },
    { what: "a number with a plus", schema: NUMBER, value: "+1" },
    { what: "a word for a number", schema: NUMBER, value: "NaN" },
    { what: "infinity", schema: NUMBER, value: "1e999" },
    { what: "a number that would vanish", schema: NUMBER, value: "1e-999" },
    { what: "a number beyond 2^53", schema: NUMBER, value: "9007199254740993" },
    { what: "a power of ten beyond 2^53", schema: INTEGER, value: "1e20" },
    { what: "more digits than a double keeps", schema: INTEGER, value: "3.00000000000000000001" },
    { what: "a fraction for an integer", schema: INTEGER, value: "3.5" },
    { what: "a fraction that is no string", schema: INTEGER, value: 3.5 },
    { what: "1 for true", schema: BOOLEAN, value: 1 },
    { what: '"1" for true', schema: BOOLEAN, value: "1" },
    { what: '"yes" for true', schema: BOOLEAN, value: "yes" },
    { what: "a number for a string", schema: STRING, value: 1 },
    { what: "null for a string", schema: STRING, value: null },
    { what: "null for a number", schema: NUMBER, value: null },
    { what: "null for a list", schema: STRINGS, value: null },
    { what: '"null" for null', schema: { type: "null" }, value: "null" },
    { what: "a list for one item", schema: STRING, value: ["a"] },
    { what: "a broken JSON array", schema: STRINGS, value: '["a", "b"' },
    { what: "text in brackets for a list", schema: STRINGS, value: "[draft] a" },
    { what: "a broken JSON object", schema: POINT, value: '{"x":1' },
    { what: "a JSON object with a number beyond 2^53", schema: POINT, value: '{"x":9007199254740993}' },
    { what: "JSON of another kind", schema: POINT, value: "[1]" },
    { what: "one item that does not fit the list", schema: NUMBERS, value: "a" },
    { what: "one item for a tuple", schema: { type: "array", prefixItems: [STRING] }, value: "a" },
    { what: "one item for a list of lists", schema: { type: "array", items: STRINGS }, value: "a" },
    { what: "null for a required property", schema: POINT, value: { x: null } },
    {
      what: "null for an unknown property",
      schema: { ...POINT, additionalProperties: STRING },
      value: { x: 1, y: null },
    },
    { what: "JSON where a string is welcome", schema: { type: ["object", "string"] }, value: '{"a":1}' },
    { what: "what fits a branch", schema: { anyOf: [NUMBER, STRING] }, value: "42" },
    { what: "what fits a later branch", schema: { anyOf: [POINT, STRINGS, STRING] }, value: "[1]" },
    { what: "a null that is welcome", schema: { type: ["number", "null"] }, value: null },
    {
      what: "a null that is welcome in an optional property",
      schema: { type: "object", properties: { a: { anyOf: [NUMBER, { type: "null" }] } } },
      value: { a: null },
    },
    { what: "a null that OpenAPI welcomes", schema: { type: "number", nullable: true }, value: null },
    { what: "anything where anything goes", schema: {}, value: "42" },
  ])("$what: $value", ({ schema, value }) => {
    expect(mend(schema, value)).toEqual(value)
  })

  test("a value that fits, down to its identity", () => {
    const value = { x: 1, label: "42" }
    expect(mend(POINT, value)).toBe(value)
  })
})

/** A schema of any shape, and a value that fits it. */
interface Sample {
  readonly schema: object
  readonly value: unknown
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string().map((value) => ({ schema: STRING, value })),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((value) => ({ schema: NUMBER, value: value + 0 })),
  fc.integer().map((value) => ({ schema: INTEGER, value })),
  fc.boolean().map((value) => ({ schema: BOOLEAN, value })),
  fc.constant({ schema: { type: "null" }, value: null }),
  fc.constantFrom<Sample>(
    { schema: { enum: ["a", "b", 1] }, value: "a" },
    { schema: { const: 7 }, value: 7 },
    { schema: { type: ["number", "null"] }, value: null },
    { schema: {}, value: "x" },
  ),
)

const KEYS = ["a", "b", "__proto__", "constructor"]

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.tuple(tie("sample"), fc.nat(3)).map(([{ schema, value }, length]) => ({
      schema: { type: "array", items: schema },
      value: Array.from({ length }, () => value),
    })),
    fc
      .tuple(fc.dictionary(fc.constantFrom(...KEYS), tie("sample")), fc.boolean())
      .map(([members, closed]) => {
        const entries = Object.entries(members)
        return {
          schema: {
            type: "object",
            properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
            required: entries.map(([key]) => key).filter((key) => key > "a"),
            ...(closed && { additionalProperties: false }),
          },
          value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
        }
      }),
    fc
      .tuple(tie("sample"), tie("sample"), fc.constantFrom("anyOf", "oneOf", "allOf"))
      .map(([one, other, word]) => ({
        schema: { [word]: [other.schema, one.schema] },
        value: one.value,
      })),
    tie("sample").map(({ schema, value }) => ({
      schema: {
        $defs: { part: schema },
        allOf: [{ type: ["object", "array", "string", "number", "boolean", "null"] }],
      },
      value,
    })),
  ),
}))

/** The same value as a model may write it: in quotes, as JSON, or alone in place of its list. */
function slip(value: unknown, chance: () => boolean): unknown {
  if (typeof value === "number" || typeof value === "boolean") return chance() ? String(value) : value
  if (typeof value !== "object" || value === null) return value
  const slipped = Array.isArray(value)
    ? value.map((item) => slip(item, chance))
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, slip(member, chance)]))
  return chance() ? JSON.stringify(slipped) : slipped
}

/** Whether one value is another one mended: the law, said without a schema. */
function meansTheSame(raw: unknown, mended: unknown): boolean {
  if (Object.is(raw, mended)) return true
  if (typeof raw === "string") {
    if (typeof mended === "boolean") return raw === String(mended)
    if (typeof mended === "number") return raw !== "" && raw.trim() === raw && Number(raw) === mended
    if (/^\s*[[{]/.test(raw) && typeof mended === "object" && isJsonOf(raw, mended)) return true
  }
  if (Array.isArray(mended)) {
    if (!Array.isArray(raw)) return mended.length === 1 && raw !== null && meansTheSame(raw, mended[0])
    return raw.length === mended.length && raw.every((item, index) => meansTheSame(item, mended[index]))
  }
  if (typeof raw !== "object" || typeof mended !== "object" || raw === null || mended === null) return false
  const rest = Object.entries(mended)
  const own = Object.entries(raw).filter(([key, value]) => Object.hasOwn(mended, key) || value !== null)
  return (
    own.length === rest.length &&
    own.every(([key, value]) => meansTheSame(value, Object.getOwnPropertyDescriptor(mended, key)?.value))
  )
}

function isJsonOf(text: string, mended: unknown): boolean {
  try {
    return meansTheSame(JSON.parse(text), mended)
  } catch {
    return false
  }
}

const anySchema = sample.map(({ schema }) => schema)
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("1", "true", null)),
  ),
  fc
    .tuple(sample, fc.infiniteStream(fc.boolean()))
    .map(([{ value }, chances]) => slip(value, () => chances.next().value ?? false)),
)

describe("coerce, for every schema and every value,", () => {
  test("never changes what fits", () => {
    fc.assert(
      fc.property(sample, ({ schema, value }) => {
        const document = documentOf(deepFreeze(schema))
        fc.pre(document?.fits(value, document.root) === true)
        expect(mend(schema, value)).toBe(value)
      }),
      { numRuns: 300 },
    )
  })

  test("never changes what is meant, never writes what it is given, and has nothing left to mend", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const mended = mend(schema, value)
        expect(meansTheSame(value, mended)).toBe(true)
        expect(mend(schema, mended)).toEqual(mended)
      }),
      { numRuns: 500 },
    )
  })

  test("reports misfits exactly where the result does not fit", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const document = documentOf(schema)
        if (!document) throw new Error("no schema")
        const { value: mended, misfits } = coerce(value, document)
        expect(misfits.length === 0).toBe(document.fits(mended, document.root))
      }),
      { numRuns: 300 },
    )
  })

  test("brings back what was written with slips, where no string is welcome", () => {
    const exact = fc.letrec<{ sample: Sample }>((tie) => ({
      sample: fc.oneof(
        { depthSize: "small" },
        fc.integer().map((value) => ({ schema: INTEGER, value })),
        fc.boolean().map((value) => ({ schema: BOOLEAN, value })),
        tie("sample").map(({ schema, value }) => ({
          schema: { type: "array", items: schema },
          value: [value, value],
        })),
        fc.dictionary(fc.constantFrom(...KEYS), tie("sample")).map((members) => ({
          schema: {
            type: "object",
            properties: Object.fromEntries(Object.entries(members).map(([key, { schema }]) => [key, schema])),
          },
          value: Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])),
        })),
      ),
    })).sample
    fc.assert(
      fc.property(exact, fc.infiniteStream(fc.boolean()), ({ schema, value }, chances) => {
        expect(
          mend(
            schema,
            slip(value, () => chances.next().value ?? false),
          ),
        ).toEqual(value)
      }),
      { numRuns: 300 },
    )
  })
})

describe("coerce ends", () => {
  test("on a recursive union that refuses a deep value, without trying every path through it", () => {
    const branch = (kind: string): object => ({
      type: "object",
      properties: { kind: { const: kind }, child: { $ref: "#" } },
      required: ["kind"],
    })
    const schema = { anyOf: [NUMBER, branch("a"), branch("b"), branch("c")] }
    let value: unknown = "5"
    for (let level = 0; level < 12; level++) value = { kind: "abc"[level % 3], child: value }

    const document = documentOf(schema)
    const mended = document && coerce(value, document)

    expect(mended?.misfits).toEqual([])
    expect(JSON.stringify(mended?.value)).toBe(JSON.stringify(value).replace('"5"', "5"))
  })

  test("with an error where a schema leads in a circle", () => {
    const schema = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }
    expect(() => mend(schema, 1)).toThrow(RangeError)
  })

  test("with an error where every list is a list of lists of itself", () => {
    const schema = { allOf: [{ type: "array" }, { items: { $ref: "#" } }] }
    expect(() => mend(schema, 5)).toThrow(RangeError)
  })
})
