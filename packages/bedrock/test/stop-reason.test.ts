import { expect, test } from "vitest"
import { toEnding } from "../src/stop-reason.ts"

test.each([
  { word: "end_turn", reason: "stop" },
  { word: "stop_sequence", reason: "stop" },
  { word: "max_tokens", reason: "length" },
  { word: "model_context_window_exceeded", reason: "length" },
  { word: "tool_use", reason: "toolUse" },
  { word: "a_reason_from_the_future", reason: "stop" },
])("stopReason $word becomes $reason", ({ word, reason }) => {
  expect(toEnding(word)).toEqual({ reason })
})

test.each([
  { word: "guardrail_intervened", failure: { code: "content_filter", retryable: false } },
  { word: "content_filtered", failure: { code: "content_filter", retryable: false } },
  { word: "refusal", failure: { code: "content_filter", retryable: false } },
  { word: "malformed_model_output", failure: { code: "protocol", retryable: true } },
  { word: "malformed_tool_use", failure: { code: "protocol", retryable: true } },
])("stopReason $word is a failure: $failure.code", ({ word, failure }) => {
  expect(toEnding(word)).toMatchObject({ failure })
})
