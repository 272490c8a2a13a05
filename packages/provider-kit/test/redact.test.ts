import { describe, expect, test } from "vitest"
import { redact } from "../src/index.ts"
import { secretsOfUrl } from "../src/redact.ts"

describe("redact", () => {
  test.each([
    {
      text: "key sk-secret is wrong; sk-secret",
      secrets: ["sk-secret"],
      shown: "key [redacted] is wrong; [redacted]",
    },
    { text: "?key=a%2Fb%20cd", secrets: ["a/b cd"], shown: "?key=[redacted]" },
    { text: 'Header "Bearer sk-1\\n2"', secrets: ["sk-1\n2"], shown: 'Header "Bearer [redacted]"' },
    { text: "Bearer sk-1234 given", secrets: ["sk-1234\n"], shown: "Bearer [redacted] given" },
    { text: "abcd abcdef", secrets: ["abcd", "abcdef"], shown: "[redacted] [redacted]" },
    { text: "a regular $& expression", secrets: ["$&.*"], shown: "a regular $& expression" },
    { text: "nothing to hide", secrets: [undefined, "", "no"], shown: "nothing to hide" },
  ])("shows $shown", ({ text, secrets, shown }) => {
    expect(redact(text, secrets)).toBe(shown)
  })
})

describe("secretsOfUrl", () => {
  test.each([
    { url: undefined, secrets: [] },
    { url: "no address", secrets: [] },
    { url: "https://api.test/v1?api-version=2024-10-21", secrets: ["", ""] },
    { url: "https://me:p%40ss@api.test/v1", secrets: ["me", "p@ss"] },
    { url: "https://api.test/v1?key=AIza0123456789abcdef", secrets: ["", "", "AIza0123456789abcdef"] },
  ])("of $url are $secrets", ({ url, secrets }) => {
    expect(secretsOfUrl(url)).toEqual(secrets)
  })
})
