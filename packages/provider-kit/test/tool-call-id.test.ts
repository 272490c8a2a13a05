import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createToolCallIdRewriter, type ToolCallIdRules } from "../src/index.ts"

const vendors: { vendor: string; rules: ToolCallIdRules; accepted: RegExp }[] = [
  { vendor: "OpenAI", rules: { maxLength: 40 }, accepted: /^.{1,40}$/s },
  { vendor: "Anthropic", rules: { characters: "word", maxLength: 64 }, accepted: /^[a-zA-Z0-9_-]{1,64}$/ },
  {
    vendor: "Mistral",
    rules: { characters: "alphanumeric", maxLength: 9, exactLength: true },
    accepted: /^[a-zA-Z0-9]{9}$/,
  },
  { vendor: "a vendor that takes anything", rules: {}, accepted: /^.+$/s },
]

/** Ids that differ at their end, repeat, or hold what nobody accepts. */
const ids = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.nat(40).map((count) => `call_${count}`),
  fc.nat(40).map((count) => `toolu_${"x".repeat(60)}_${count}`),
)

describe("createToolCallIdRewriter", () => {
  test.each(vendors)("gives every call an id of its own that $vendor accepts", ({ rules, accepted }) => {
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 60 }), (given) => {
        const rewritten = given.map(createToolCallIdRewriter(rules))
        expect(new Set(rewritten).size).toBe(given.length)
        for (const id of rewritten) expect(id).toMatch(accepted)
        for (const id of rewritten) expect(id).not.toMatch(/[\uD800-\uDFFF]/u)
      }),
    )
  })

  test.each(vendors)("gives $vendor the same ids again, whatever is appended", ({ rules }) => {
    fc.assert(
      fc.property(fc.array(ids), fc.array(ids), (given, later) => {
        const before = given.map(createToolCallIdRewriter(rules))
        const after = [...given, ...later].map(createToolCallIdRewriter(rules))
        expect(after.slice(0, given.length)).toEqual(before)
      }),
    )
  })

  test("changes nothing that is accepted", () => {
    const rewrite = createToolCallIdRewriter({ characters: "word", maxLength: 64 })

    expect(["toolu_01", "call-2", "c"].map((id) => rewrite(id))).toEqual(["toolu_01", "call-2", "c"])
  })

  test("keeps two long ids apart that share all that fits", () => {
    const rewrite = createToolCallIdRewriter({ maxLength: 40 })
    const shared = `call_${"a".repeat(100)}`

    const [one, other] = [rewrite(`${shared}1`), rewrite(`${shared}2`)]

    expect(one).not.toBe(other)
    expect(one.length).toBeLessThanOrEqual(40)
    expect(one.slice(0, 20)).toBe(shared.slice(0, 20))
  })

  test("steps aside when a later id is the one it made up", () => {
    const [madeUp] = ["a|b"].map(createToolCallIdRewriter({ characters: "word" }))
    const rewrite = createToolCallIdRewriter({ characters: "word" })

    const first = rewrite("a|b")
    const second = rewrite(madeUp ?? "")

    expect(first).toBe(madeUp)
    expect(second).not.toBe(first)
  })

  test("makes ten thousand different ids of nine characters", () => {
    const rewrite = createToolCallIdRewriter({ characters: "alphanumeric", maxLength: 9, exactLength: true })

    const made = new Set(Array.from({ length: 10_000 }, (_, index) => rewrite(`call_${index}`)))

    expect(made.size).toBe(10_000)
  })
})
