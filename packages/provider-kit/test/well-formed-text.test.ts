import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { toWellFormed, toWellFormedText } from "../src/index.ts"
import { frozen } from "./frozen.ts"

describe("toWellFormedText", () => {
  test.each([
    { text: "", clean: "" },
    { text: "plain", clean: "plain" },
    { text: "a\uD83Db", clean: "ab" },
    { text: "a\uDE00b", clean: "ab" },
    { text: "\uDE00\uD83D", clean: "" },
    { text: "pair \uD83D\uDE00 stays", clean: "pair 😀 stays" },
    { text: "\uD83D\uD83D\uDE00", clean: "😀" },
    { text: "\uD83D\uDE00\uDE00", clean: "😀" },
  ])("makes $clean", ({ text, clean }) => {
    expect(toWellFormedText(text)).toBe(clean)
  })

  test("leaves nothing unpaired in any text and takes nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.length + 1))
        const clean = toWellFormedText(cut)
        expect(clean).not.toMatch(/[\uD800-\uDFFF]/u)
        expect(cut.replaceAll(/[\uD800-\uDFFF]/gu, "")).toBe(clean)
      }),
    )
  })

  test("does the same where the engine cannot tell", () => {
    const native = Object.getOwnPropertyDescriptor(String.prototype, "isWellFormed") ?? {}
    try {
      Reflect.deleteProperty(String.prototype, "isWellFormed")
      expect(toWellFormedText("a\uD83Db")).toBe("ab")
      expect(toWellFormedText("a😀b")).toBe("a😀b")
    } finally {
      Object.defineProperty(String.prototype, "isWellFormed", native)
    }
  })
})

describe("toWellFormed", () => {
  test("cleans strings and keys at any depth and writes nothing", () => {
    const bytes = new Uint8Array([1])
    const value = frozen({ "k\uD83D": ["a\uD83D", { b: "\uDE00", n: 1, nothing: null }], bytes })

    const cleaned: unknown = toWellFormed(value)

    expect(cleaned).toEqual({ k: ["a", { b: "", n: 1, nothing: null }], bytes })
    expect((cleaned as { bytes: Uint8Array }).bytes).toBe(bytes)
  })

  test("returns what is clean as it is, and shares the clean parts of what is not", () => {
    const clean = { a: ["b", { c: "d" }] }
    const dirty = { clean, text: "\uD83D" }

    expect(toWellFormed(clean)).toBe(clean)
    expect(toWellFormed(dirty).clean).toBe(clean)
  })

  test("keeps a key named __proto__ a key", () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":"\\ud83d"}}')

    const cleaned = toWellFormed(value)

    expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"a":""}}')
    expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype)
  })
})
