import { describe, expect, test } from "vitest"
import { Snapshots } from "../src/snapshot.ts"

describe("a snapshot", () => {
  test("is a frozen copy at every depth", () => {
    const value = { list: [{ text: "a" }] }

    const copy = new Snapshots().of(value)
    value.list[0]!.text = "b"

    expect(copy).toEqual({ list: [{ text: "a" }] })
    expect(Object.isFrozen(copy)).toBe(true)
    expect(Object.isFrozen(copy.list[0])).toBe(true)
    expect(Object.isFrozen(value)).toBe(false)
  })

  test("keeps what is more than plain data as it is", () => {
    class Schema {
      readonly shape = {}
    }
    const value = {
      run: () => {},
      signal: new AbortController().signal,
      schema: new Schema(),
      date: new Date(0),
    }

    expect(new Snapshots().of(value)).toEqual(value)
    expect(new Snapshots().of(value).schema).toBe(value.schema)
  })

  test("keeps symbols, null prototypes and keys that look like prototypes", () => {
    const kind = Symbol("kind")
    const value = Object.assign(
      Object.create(null),
      { [kind]: "Object" },
      JSON.parse('{"__proto__":{"a":1}}'),
    )
    Object.defineProperty(value, "__proto__", { value: { a: 1 }, enumerable: true, configurable: true })

    const copy = new Snapshots().of(value)

    expect(Object.getPrototypeOf(copy)).toBe(null)
    expect(copy[kind]).toBe("Object")
    expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ a: 1 })
  })

  test("of a cycle is a cycle of the same shape", () => {
    const value: { self?: object } = {}
    value.self = value

    const copy = new Snapshots().of(value)

    expect(copy).not.toBe(value)
    expect(copy.self).toBe(copy)
  })

  test("shares what has not changed with the one before", () => {
    const snapshots = new Snapshots()
    const messages = [{ text: "a" }, { text: "b" }]
    const first = snapshots.of(messages)
    messages[1]!.text = "c"
    messages.push({ text: "d" })

    const second = snapshots.of(messages)

    expect(second).toEqual([{ text: "a" }, { text: "c" }, { text: "d" }])
    expect(second[0]).toBe(first[0])
    expect(first).toEqual([{ text: "a" }, { text: "b" }])
  })

  test.each([{ value: 1 }, { value: "a" }, { value: null }, { value: undefined }])(
    "of $value is itself",
    ({ value }) => {
      expect(new Snapshots().of(value)).toBe(value)
    },
  )
})
