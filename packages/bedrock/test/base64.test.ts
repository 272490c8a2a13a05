import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { joinBase64, toBase64, toBytes } from "../src/base64.ts"

describe("base64", () => {
  test("of any bytes is what Node.js makes of them, and back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40_000, size: "max" }), (bytes) => {
        const base64 = toBase64(bytes)
        expect(base64).toBe(Buffer.from(bytes).toString("base64"))
        expect(Buffer.from(toBytes(base64) ?? []).equals(bytes)).toBe(true)
      }),
      { numRuns: 10 },
    )
  })

  test("of two pieces is that of both together", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
        expect(joinBase64(toBase64(one), toBase64(other))).toBe(
          Buffer.concat([one, other]).toString("base64"),
        )
      }),
    )
  })

  test("that is none gives nothing", () => {
    expect(toBytes("data:image/png;base64,aGk=")).toBeUndefined()
    expect(joinBase64("aGk=", "%")).toBe("aGk=")
  })
})
