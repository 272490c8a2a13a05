import { describe, expect, test, vi } from "vitest"
import { bearerToken } from "../src/index.ts"

const asking = (authorization?: string) =>
  new Request("https://proxy.test", { headers: authorization === undefined ? {} : { authorization } })

describe("a bearer token", () => {
  test.each([
    { authorization: "Bearer secret-1" },
    { authorization: "bearer secret-1" },
    { authorization: "Bearer   secret-1 " },
  ])("lets $authorization in", async ({ authorization }) => {
    expect(await bearerToken("secret-1")(asking(authorization))).toBe("bearer")
  })

  test.each([
    { authorization: undefined, message: "A bearer token is needed" },
    { authorization: "", message: "A bearer token is needed" },
    { authorization: "Bearer ", message: "A bearer token is needed" },
    { authorization: "Basic secret-1", message: "A bearer token is needed" },
    { authorization: "Bearer secret-1 secret-1", message: "A bearer token is needed" },
    { authorization: "Bearer secret", message: "The token is not valid" },
    { authorization: "Bearer secret-12", message: "The token is not valid" },
    { authorization: "Bearer Secret-1", message: "The token is not valid" },
  ])("turns $authorization away", async ({ authorization, message }) => {
    expect(await bearerToken("secret-1")(asking(authorization))).toEqual({ status: 401, message })
  })

  test("tells callers apart by their tokens", async () => {
    const authorize = bearerToken({ alice: "secret-a", bob: "secret-b" })

    expect(await authorize(asking("Bearer secret-a"))).toBe("alice")
    expect(await authorize(asking("Bearer secret-b"))).toBe("bob")
    expect(await authorize(asking("Bearer alice"))).toMatchObject({ status: 401 })
  })

  test.each([
    { tokens: "" },
    { tokens: undefined },
    { tokens: { alice: "a", bob: "" } },
    { tokens: { bob: undefined } },
  ])("that is empty ($tokens) is a mistake that shows when the server starts", ({ tokens }) => {
    expect(() => bearerToken(tokens as never)).toThrow(/The token of "(bearer|bob)" is empty/)
  })

  test("is not one of which only the digest's first or last byte is right", async () => {
    const authorize = bearerToken("secret-1")
    const bytesOf = async (text: string) =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
    const expected = await bytesOf("secret-1")
    const close = { first: "", last: "" }
    for (let guess = 0; close.first === "" || close.last === ""; guess++) {
      const bytes = await bytesOf(`guess-${guess}`)
      if (bytes[0] === expected[0]) close.first = `guess-${guess}`
      if (bytes[31] === expected[31]) close.last = `guess-${guess}`
    }

    expect(await authorize(asking(`Bearer ${close.first}`))).toMatchObject({ status: 401 })
    expect(await authorize(asking(`Bearer ${close.last}`))).toMatchObject({ status: 401 })
  })

  test("is compared by digests of one length, and one of the guess whatever it is", async () => {
    const digest = vi.spyOn(crypto.subtle, "digest")
    const authorize = bearerToken({ a: "secret-a", b: "secret-b", c: "secret-c" })

    for (const guess of ["secret-a", "secret-c", "s", "x".repeat(10_000)])
      await authorize(asking(`Bearer ${guess}`))

    // Those of the known tokens are made once.
    expect(digest).toHaveBeenCalledTimes(3 + 4)
    expect(new Set(digest.mock.calls.map(([algorithm]) => algorithm))).toEqual(new Set(["SHA-256"]))
    digest.mockRestore()
  })
})
