import { describe, expect, test } from "vitest"
import { toBlockedEnding, toEnding, wordOf } from "../src/stop-reason.ts"

test.each([
  { word: "STOP", reason: "stop" },
  { word: "FUNCTION_CALL", reason: "stop" },
  { word: "MAX_TOKENS", reason: "length" },
  { word: "CONTINUATION", reason: "length" },
])("finishReason $word is $reason", ({ word, reason }) => {
  expect(toEnding(word, "an explanation")).toEqual({ reason })
})

test.each([
  { word: "SAFETY", code: "content_filter", retryable: false },
  { word: "RECITATION", code: "content_filter", retryable: false },
  { word: "BLOCKLIST", code: "content_filter", retryable: false },
  { word: "PROHIBITED_CONTENT", code: "content_filter", retryable: false },
  { word: "SPII", code: "content_filter", retryable: false },
  { word: "LANGUAGE", code: "content_filter", retryable: false },
  { word: "IMAGE_SAFETY", code: "content_filter", retryable: false },
  { word: "IMAGE_PROHIBITED_CONTENT", code: "content_filter", retryable: false },
  { word: "IMAGE_RECITATION", code: "content_filter", retryable: false },
  { word: "MODEL_ARMOR", code: "content_filter", retryable: false },
  { word: "ESCALATION", code: "content_filter", retryable: false },
  { word: "MALFORMED_FUNCTION_CALL", code: "protocol", retryable: true },
  { word: "UNEXPECTED_TOOL_CALL", code: "protocol", retryable: true },
  { word: "TOO_MANY_TOOL_CALLS", code: "protocol", retryable: true },
  { word: "MALFORMED_RESPONSE", code: "protocol", retryable: true },
  { word: "NO_IMAGE", code: "protocol", retryable: true },
  { word: "IMAGE_OTHER", code: "protocol", retryable: true },
  { word: "MISSING_THOUGHT_SIGNATURE", code: "invalid_request", retryable: false },
  { word: "PUP_LIMITED_DISABLED", code: "auth", retryable: false },
  { word: "OTHER", code: "unknown", retryable: false },
  { word: "A_REASON_FROM_THE_FUTURE", code: "unknown", retryable: false },
])("finishReason $word is a failure, $code", ({ word, code, retryable }) => {
  expect(toEnding(word, "")).toEqual({
    failure: { code, retryable },
    says: expect.stringContaining(`(finishReason: ${word}).`),
  })
})

describe("a blocked prompt", () => {
  test.each([
    "SAFETY",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "IMAGE_SAFETY",
    "MODEL_ARMOR",
    "JAILBREAK",
    "OTHER",
    "A_REASON_FROM_THE_FUTURE",
  ])("is filtered content, for the reason %s", (word) => {
    expect(toBlockedEnding(word, "")).toEqual({
      failure: { code: "content_filter", retryable: false },
      says: `The vendor blocked the prompt (blockReason: ${word}).`,
    })
  })

  test("is explained in the vendor's words", () => {
    expect(toBlockedEnding("SAFETY", "Because.")).toMatchObject({ says: "Because." })
  })
})

test.each([
  { word: "FINISH_REASON_UNSPECIFIED", means: "" },
  { word: "BLOCKED_REASON_UNSPECIFIED", means: "" },
  { word: "BLOCK_REASON_UNSPECIFIED", means: "" },
  { word: "STOP", means: "STOP" },
])("$word says $means", ({ word, means }) => {
  expect(wordOf(word)).toBe(means)
})
