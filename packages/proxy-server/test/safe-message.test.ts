import { fauxModel } from "@heddle/faux"
import { describe, expect, test } from "vitest"
import { toSafeMessage } from "../src/safe-message.ts"

const model = fauxModel({
  baseUrl: "https://vendor.internal:8443/v1",
  headers: { "x-key": "opensesame", authorization: "Bearer abcdefgh", "x-short": "a" },
})

describe("what a client is told of a failure", () => {
  test.each([
    { message: "Overloaded" },
    {
      message:
        "Rate limit reached for gpt-5 in organization on tokens per min (TPM): Limit 30000, Used 29000.",
    },
    { message: "max_tokens: 4096 is too large; the model allows 2048" },
    { message: "Unexpected token: }" },
    { message: "messages.3.content.1.tool_use.id: String should match pattern" },
    { message: "The script failed the request: network" },
    { message: "The stream ended without a done or error event" },
    { message: "Grüße\n\nat 10:30 the model said: no (really)" },
  ])("is $message as it is", ({ message }) => {
    expect(toSafeMessage(message, model)).toBe(message)
  })

  test.each([
    { message: "GET https://api.vendor.com/v1/x?key=1 failed", says: "GET … failed" },
    { message: "see <http://localhost:11434/api> or wss://a.b/c)", says: "see <…> or …)" },
    { message: "connect ECONNREFUSED 10.0.0.5:443", says: "connect ECONNREFUSED …" },
    { message: "connect ECONNREFUSED ::1:8080", says: "connect ECONNREFUSED …" },
    { message: "connect to [fe80::1]:443 failed", says: "connect to … failed" },
    { message: "getaddrinfo ENOTFOUND db.internal.corp", says: "getaddrinfo ENOTFOUND …" },
    { message: "no route to vendor.internal", says: "no route to …" },
    { message: "bad header opensesame, and abcdefgh", says: "bad header …, and …" },
    { message: "Incorrect API key provided: sk-proj-abc123XYZ.", says: "Incorrect API key provided: …." },
    { message: "invalid x-api-key: verysecret", says: "invalid x-api-key: …" },
    { message: 'api_key="abc" was refused', says: 'api_key="…" was refused' },
    { message: "password = hunter2, user = x", says: "password = …, user = x" },
    { message: "Authorization: Bearer eyJhbGciOi.J9-x_y=", says: "Authorization: Bearer …" },
    { message: "AKIAIOSFODNN7EXAMPLE is not valid", says: "… is not valid" },
    { message: "AIzaSyA-1234567890abcdefg", says: "…" },
    { message: "key 0123456789abcdef0123456789abcdef is off", says: "key … is off" },
    {
      message: "boom\n    at send (/srv/app/index.js:10:5)\n    at async run (node:internal:1:2)\nafter",
      says: "boom\nafter",
    },
    { message: "boom\n    at /srv/app/index.js:10:5", says: "boom" },
  ])("of $message is $says", ({ message, says }) => {
    expect(toSafeMessage(message, model)).toBe(says)
  })

  test("is not long", () => {
    expect(toSafeMessage("x ".repeat(1_000_000), model)).toHaveLength(2001)
  })

  test("does not take long, whatever it says", () => {
    const begun = performance.now()
    for (const evil of [
      "a-".repeat(50_000),
      "a".repeat(100_000),
      "1.".repeat(50_000),
      "at (".repeat(20_000),
    ]) {
      toSafeMessage(evil, model)
    }

    expect(performance.now() - begun).toBeLessThan(500)
  })
})
