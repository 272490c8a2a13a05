import { describe, expect, test } from "vitest"
import { messageOfBody, statusText } from "../src/failure-message.ts"

describe("messageOfBody", () => {
  test.each([
    { body: { error: { message: "one" } }, says: "one" },
    { body: { error: "two" }, says: "two" },
    { body: { message: "three" }, says: "three" },
    { body: { detail: "four" }, says: "four" },
    { body: { detail: [{ msg: "five" }, { msg: "six" }] }, says: "five; six" },
    { body: { message: { detail: [{ msg: "seven" }] } }, says: "seven" },
    { body: { error: { message: "" }, message: "eight" }, says: "eight" },
    { body: { error: { message: { message: "nine" } } }, says: "nine" },
    { body: [{ error: { message: "ten" } }], says: "ten" },
    { body: { errors: [{ message: "eleven" }] }, says: "eleven" },
    { body: { Message: "twelve" }, says: "twelve" },
    { body: '{"error":{"message":"thirteen"}}', says: "thirteen" },
    { body: 'id:1\nevent:error\ndata:{"message":"fourteen"}\n\n', says: "fourteen" },
    { body: " upstream connect error \n", says: "upstream connect error" },
    { body: "<!doctype html><title>401</title>", says: undefined },
    { body: '{"error": {"mess', says: undefined },
    { body: "", says: undefined },
    { body: "{}", says: undefined },
    { body: {}, says: undefined },
    { body: { error: null }, says: undefined },
    { body: { error: 5, message: 6, detail: 7 }, says: undefined },
    { body: null, says: undefined },
    { body: undefined, says: undefined },
    { body: 12, says: undefined },
  ])("finds $says in $body", ({ body, says }) => {
    expect(messageOfBody(body)).toBe(says)
  })

  test("adds what the upstream said behind OpenRouter", () => {
    const raw = '{"error":{"message":"prompt is too long"}}'

    expect(
      messageOfBody({ error: { message: "Provider returned error", code: 400, metadata: { raw } } }),
    ).toBe("Provider returned error: prompt is too long")
  })

  test("is never a dump", () => {
    expect(messageOfBody({ message: "x".repeat(100_000) })?.length).toBeLessThan(2100)
    expect(messageOfBody("x".repeat(100_000))?.length).toBeLessThan(600)
  })
})

describe("statusText", () => {
  test.each([
    { status: 503, text: "503 Service Unavailable" },
    { status: 520, text: "HTTP status 520" },
  ])("of $status is $text", ({ status, text }) => {
    expect(statusText(status)).toBe(text)
  })
})
