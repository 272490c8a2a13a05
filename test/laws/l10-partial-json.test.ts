import { PartialJson } from "@heddle/stream/partial-json"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

/** Everything that was shown is still there in the end: strings may have grown, lists and objects too. */
function isPrefix(shown: unknown, whole: unknown): boolean {
  if (typeof shown === "string") return typeof whole === "string" && whole.startsWith(shown)
  if (Array.isArray(shown)) {
    return Array.isArray(whole) && shown.every((member, index) => isPrefix(member, whole[index]))
  }
  if (typeof shown === "object" && shown !== null) {
    return (
      typeof whole === "object" &&
      whole !== null &&
      Object.entries(shown).every(
        ([key, member]) =>
          Object.hasOwn(whole, key) && isPrefix(member, (whole as Record<string, unknown>)[key]),
      )
    )
  }
  return Object.is(shown, whole)
}

describe("law 10", () => {
  test("any split gives JSON.parse, and a shown value is a prefix of the final one", () => {
    const document = fc.tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"))
    fc.assert(
      fc.property(document, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), ([value, indent], sizes) => {
        const text = JSON.stringify(value, undefined, indent)
        const json = new PartialJson()
        const shown: unknown[] = []
        const clones: unknown[] = []
        for (let at = 0; at < text.length; ) {
          const size = sizes.next().value
          json.append(text.slice(at, at + size))
          at += size
          if (json.value !== undefined) shown.push(json.value)
          clones.push(structuredClone(shown.at(-1)))
        }
        const finished = json.finish()

        expect(finished).toEqual({ value: JSON.parse(text) })
        for (const part of shown) expect(isPrefix(part, JSON.parse(text))).toBe(true)
        expect(shown.at(-1)).toEqual(clones.at(-1))
      }),
      { numRuns: 500 },
    )
  })
})
