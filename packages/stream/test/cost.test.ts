import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { calculateCost } from "../src/cost.ts"

const model = { cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }
const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const million = 1_000_000

describe("calculateCost", () => {
  test.each([
    { counter: "input", dollars: 3 },
    { counter: "output", dollars: 15 },
    { counter: "cacheRead", dollars: 0.3 },
    { counter: "cacheWrite", dollars: 3.75 },
  ] as const)("prices a million $counter tokens at $dollars dollars", ({ counter, dollars }) => {
    const cost = calculateCost(model, { ...nothing, [counter]: million })

    expect(cost).toEqual({ ...nothing, [counter]: dollars, total: dollars })
  })

  test("prices long cache writes at twice the input price, and the rest at the cache-write price", () => {
    const cost = calculateCost(model, { ...nothing, cacheWrite: million, cacheWriteLong: million / 4 })

    expect(cost.cacheWrite).toBeCloseTo(0.75 * 3.75 + 0.25 * 2 * 3, 12)
    expect(cost.total).toBe(cost.cacheWrite)
  })

  test("never prices more long cache writes than there are cache writes", () => {
    const cost = calculateCost(model, { ...nothing, cacheWrite: million, cacheWriteLong: 5 * million })

    expect(cost.cacheWrite).toBe(6)
  })

  test("leaves reasoning out, which is part of the output", () => {
    const usage = { ...nothing, output: million, reasoning: million / 2 }

    expect(calculateCost(model, usage).total).toBe(15)
  })

  test("costs nothing where the model is free", () => {
    const free = { cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }
    const usage = { input: 7, output: 8, cacheRead: 9, cacheWrite: 10, cacheWriteLong: 10 }

    expect(calculateCost(free, usage)).toEqual({ ...nothing, total: 0 })
  })

  test("gives a total that is the sum of four parts, none of them negative, and writes nothing", () => {
    const count = fc.nat(10_000_000)
    const price = fc.double({ min: 0, max: 1000, noNaN: true })
    const prices = fc.record({ input: price, output: price, cacheRead: price, cacheWrite: price })
    const usage = fc.record({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      cacheWriteLong: count,
    })
    fc.assert(
      fc.property(prices, usage, (cost, counts) => {
        const frozen = Object.freeze({ cost: Object.freeze(cost) })
        const { input, output, cacheRead, cacheWrite, total } = calculateCost(frozen, Object.freeze(counts))

        expect(total).toBe(input + output + cacheRead + cacheWrite)
        expect(Math.min(input, output, cacheRead, cacheWrite)).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
