import { describe, expect, test } from "vitest"
import { hasCredentials, mergeHeaders } from "../src/index.ts"
import { secretsOf } from "../src/request-headers.ts"
import { frozen } from "./frozen.ts"

describe("mergeHeaders", () => {
  test("lets later layers win, whatever the case of a name", () => {
    const layers = frozen([
      { "X-A": "1", "X-B": "1" },
      undefined,
      { "x-a": "2" },
      { "X-a": "3", "x-b": null },
    ])

    expect(mergeHeaders(...layers)).toEqual({ "x-a": "3", "x-b": null })
  })

  test("lets a later layer add what an earlier one removed", () => {
    expect(mergeHeaders({ a: null }, { A: "1" })).toEqual({ a: "1" })
  })
})

describe("hasCredentials", () => {
  test.each([
    { headers: {}, has: false },
    { headers: { "x-title": "t" }, has: false },
    { headers: { authorization: "Bearer x" }, has: true },
    { headers: { authorization: null }, has: true },
    { headers: { "api-key": "x" }, has: true },
  ])("of $headers is $has", ({ headers, has }) => {
    expect(hasCredentials(headers)).toBe(has)
  })
})

describe("secretsOf", () => {
  test("names whole values and bare tokens of credential headers alone", () => {
    const headers = { authorization: "Bearer tok-1", "x-api-key": "key-2", cookie: null, "x-title": "public" }

    expect(secretsOf(headers)).toEqual(["Bearer tok-1", "tok-1", "key-2", "key-2"])
  })

  test("knows the headers of gateways by their names", () => {
    const headers = {
      "cf-aig-authorization": "Bearer tok-1",
      "x-portkey-api-key": "key-2",
      "x-token": "tok-3",
    }

    expect(secretsOf(headers)).toEqual(["Bearer tok-1", "tok-1", "key-2", "key-2", "tok-3", "tok-3"])
  })
})
