import { describe, expect, test } from "vitest"
import { calculate } from "../src/calculate.ts"

describe("calculate", () => {
  test.each([
    { expression: "1 + 2 * 3", value: 7 },
    { expression: "(1 + 2) * 3", value: 9 },
    { expression: "10 / 4 - 1", value: 1.5 },
    { expression: "7 % 4", value: 3 },
    { expression: "2 ^ 3 ^ 2", value: 512 },
    { expression: "2 ** 10", value: 1024 },
    { expression: "-2 ^ 2", value: -4 },
    { expression: "2 * -3", value: -6 },
    { expression: "1.5e3 + .5", value: 1500.5 },
    { expression: "sqrt(16) + abs(-2)", value: 6 },
    { expression: "round(pi * 100)", value: 314 },
    { expression: " 6 × 7 ÷ 2 ", value: 21 },
  ])("reads $expression as $value", ({ expression, value }) => {
    expect(calculate(expression)).toBe(value)
  })

  test.each([
    { expression: "", message: "The expression ends too early" },
    { expression: "1 +", message: "The expression ends too early" },
    { expression: "(1", message: "The expression ends too early" },
    { expression: "1 2", message: 'Did not expect "2" at character 3 of the expression' },
    { expression: "2 & 3", message: 'Did not expect "&" at character 3 of the expression' },
    { expression: "process.exit(1)", message: 'Did not expect "p" at character 1 of the expression' },
    { expression: "constructor(1)", message: 'Did not expect "c" at character 1 of the expression' },
    { expression: "1 / 0", message: "1 / 0 has no finite value" },
    { expression: "(".repeat(5000), message: "The expression is nested deeper than 100 levels" },
    { expression: "-".repeat(5000), message: "The expression is nested deeper than 100 levels" },
  ])("refuses $expression", ({ expression, message }) => {
    expect(() => calculate(expression)).toThrow(message)
  })
})
