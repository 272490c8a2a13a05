import { describe, expect, test } from "vitest"
import { redact } from "../src/index.ts"

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
