import { describe, expect, test } from "vitest"
import { countOf, isWireObject, objectOf, objectsOf, parseObject, textOf } from "../src/index.ts"

describe("a value off the wire", () => {
  test.each([
    { value: { a: 1 }, isObject: true },
    { value: Object.create(null), isObject: true },
    { value: [], isObject: false },
    { value: null, isObject: false },
    { value: undefined, isObject: false },
    { value: "{}", isObject: false },
    { value: 1, isObject: false },
  ])("$value counts as an object: $isObject", ({ value, isObject }) => {
    expect(isWireObject(value)).toBe(isObject)
    expect(objectOf(value)).toEqual(isObject ? value : {})
  })

  test("is a list of the objects that are in it", () => {
    expect(objectsOf([{ a: 1 }, null, "b", [], { c: 2 }])).toEqual([{ a: 1 }, { c: 2 }])
    expect(objectsOf({ 0: { a: 1 }, length: 1 })).toEqual([])
    expect(objectsOf(undefined)).toEqual([])
  })

  test("is a text, or an empty one", () => {
    expect(textOf("a")).toBe("a")
    for (const value of [null, undefined, 1, {}, ["a"]]) expect(textOf(value)).toBe("")
  })

  test("is a count where it is a finite number from zero on", () => {
    for (const value of [0, 0.5, 12]) expect(countOf(value)).toBe(value)
    for (const value of [-1, Number.NaN, Infinity, "1", null, undefined])
      expect(countOf(value)).toBeUndefined()
  })

  test("is read from JSON where that is of an object", () => {
    expect(parseObject('{"a":1}')).toEqual({ a: 1 })
    for (const text of ["[1]", "null", "1", "{", "", undefined]) expect(parseObject(text)).toEqual({})
  })
})
