import { describe, expect, test } from "vitest"
import { findVendor, hostOf } from "../src/index.ts"

const ROWS = {
  acme: { hosts: ["acme.example", "api.acme.test"] },
  local: { hosts: ["localhost:1234"] },
  nowhere: { hosts: [] },
}

describe("findVendor", () => {
  test.each([
    { provider: "other", baseUrl: "https://acme.example/v1", row: "acme" },
    { provider: "other", baseUrl: "https://eu.acme.example", row: "acme" },
    { provider: "local", baseUrl: "https://api.acme.test/v1", row: "acme" },
    { provider: "other", baseUrl: "http://localhost:1234/v1", row: "local" },
    { provider: "other", baseUrl: "http://localhost:4321/v1", row: undefined },
    { provider: "acme", baseUrl: "https://gateway.example/acme", row: "acme" },
    { provider: "nowhere", baseUrl: "", row: "nowhere" },
    { provider: "acme", baseUrl: "not a URL", row: "acme" },
    { provider: "other", baseUrl: "https://acme.example.evil.test", row: undefined },
    { provider: "other", baseUrl: "https://notacme.example", row: undefined },
    { provider: "toString", baseUrl: "", row: undefined },
  ] as const)("knows $provider at $baseUrl as $row", ({ provider, baseUrl, row }) => {
    expect(findVendor(ROWS, { provider, baseUrl })).toBe(row && ROWS[row])
  })
})

describe("hostOf", () => {
  test.each([
    { baseUrl: "https://Acme.example:8443/v1", host: "acme.example:8443" },
    { baseUrl: "https://acme.example:443", host: "acme.example" },
    { baseUrl: "", host: "" },
    { baseUrl: "acme.example/v1", host: "" },
  ])("takes $host from $baseUrl", ({ baseUrl, host }) => {
    expect(hostOf(baseUrl)).toBe(host)
  })
})
