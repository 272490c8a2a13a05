import { describe, expect, test } from "vitest"
import { calculate } from "../src/browser/calculate.ts"

describe("calculate", () => {
  test.each([
    { expression: "12 * (3 + 4)", value: 84 },
    { expression: "2 + 3 * 4 - 5", value: 9 },
    { expression: "10 - 4 - 3", value: 3 },
    { expression: "100 / 10 / 5 % 3", value: 2 },
    { expression: "2^3^2", value: 512 },
    { expression: "-2^2", value: -4 },
    { expression: "2^-1 * 3", value: 1.5 },
    { expression: "-2 * -3", value: 6 },
    { expression: "1.5e3 + .5", value: 1500.5 },
  ])("$expression is $value", ({ expression, value }) => {
    expect(calculate(expression)).toBe(value)
  })

  test.each([
    { expression: "", why: "ends too early" },
    { expression: "2 +", why: "ends too early" },
    { expression: "(1", why: "ends too early" },
    { expression: "1)", why: 'Did not expect ")"' },
    { expression: "alert(1)", why: 'Did not expect "a"' },
    { expression: "1 / 0", why: "no finite value" },
    { expression: "(".repeat(501), why: "at most 500 characters" },
  ])("$expression is refused: $why", ({ expression, why }) => {
    expect(() => calculate(expression)).toThrow(why)
  })
})
