import { afterEach, describe, expect, test, vi } from "vitest"
import { envKey } from "../src/index.ts"

afterEach(() => vi.unstubAllEnvs())

describe("envKey", () => {
  test("takes the first variable that holds something", () => {
    vi.stubEnv("KIT_A", " ")
    vi.stubEnv("KIT_B", " key-b\n")
    vi.stubEnv("KIT_C", "key-c")

    expect(envKey(["KIT_NONE", "KIT_A", "KIT_B", "KIT_C"])).toBe("key-b")
    expect(envKey(["KIT_NONE"])).toBeUndefined()
    expect(envKey([])).toBeUndefined()
  })

  test.each([
    { host: "without a process", process: undefined },
    { host: "without an environment", process: {} },
    {
      host: "that refuses to show it",
      process: {
        get env(): never {
          throw new Error("NotCapable")
        },
      },
    },
  ])("finds no key on a host $host", ({ process }) => {
    vi.stubGlobal("process", process)
    try {
      expect(envKey(["KIT_A"])).toBeUndefined()
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
