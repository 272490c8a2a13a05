import { describe, expect, test } from "vitest"
import { mergeCompat } from "../src/index.ts"
import { frozen } from "./frozen.ts"

interface Compat {
  readonly role: string
  readonly limit: number | null
}

const DEFAULTS: Compat = frozen({ role: "system", limit: 8 })

describe("mergeCompat", () => {
  test("lets later layers win, field by field", () => {
    expect(mergeCompat(DEFAULTS, { limit: 16 }, { role: "developer" }, { limit: 32 })).toEqual({
      role: "developer",
      limit: 32,
    })
  })

  test("takes undefined for absent, and null for a value", () => {
    expect(mergeCompat(DEFAULTS, { role: "developer", limit: null }, { role: undefined }, undefined)).toEqual(
      {
        role: "developer",
        limit: null,
      },
    )
  })

  test("gives a fresh record each time", () => {
    expect(mergeCompat(DEFAULTS)).toEqual(DEFAULTS)
    expect(mergeCompat(DEFAULTS)).not.toBe(DEFAULTS)
  })
})
