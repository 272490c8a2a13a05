import { describe, expect, test } from "vitest"
import { toEnding } from "../src/stop-reason.ts"

describe("toEnding", () => {
  test.each([
    { word: "end_turn", reason: "stop" },
    { word: "stop_sequence", reason: "stop" },
    { word: "compaction", reason: "stop" },
    { word: "max_tokens", reason: "length" },
    { word: "model_context_window_exceeded", reason: "length" },
    { word: "tool_use", reason: "toolUse" },
    { word: "pause_turn", reason: "paused" },
    { word: "a_reason_from_the_future", reason: "stop" },
  ])("reads $word as $reason", ({ word, reason }) => {
    expect(toEnding(word)).toEqual({ reason })
  })

  test.each([
    { details: { category: "cyber", explanation: "Too dangerous." }, says: "Too dangerous." },
    { details: { category: "bio", explanation: null }, says: "The model refused to answer (bio)" },
    { details: { category: null }, says: "The model refused to answer" },
    { details: undefined, says: "The model refused to answer" },
  ])("reads a refusal with $details as: $says", ({ details, says }) => {
    expect(toEnding("refusal", details)).toEqual({
      failure: { code: "content_filter", retryable: false },
      says,
    })
  })
})
