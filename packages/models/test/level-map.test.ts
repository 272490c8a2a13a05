import { describe, expect, test } from "vitest"
import { toLevelMap } from "../src/level-map.ts"

const none = { minimal: null, low: null, medium: null, high: null, xhigh: null, max: null }

describe("the level map of a row", () => {
  test.each([
    {
      words: "low high",
      map: { ...none, off: null, low: "low", high: "high" },
      so: "without a word for off, nothing is said",
    },
    { words: "none low", map: { ...none, off: "none", low: "low" }, so: "none is the vendor's word for off" },
    { words: "off low", map: { ...none, low: "low" }, so: "off is left to the adapter" },
    { words: "off LOW HIGH", map: { ...none, low: "LOW", high: "HIGH" }, so: "words keep their case" },
    { words: "", map: { ...none, off: null }, so: "no level is known" },
  ])("of $words: $so", ({ words, map }) => {
    expect(toLevelMap(words)).toEqual(map)
  })
})
