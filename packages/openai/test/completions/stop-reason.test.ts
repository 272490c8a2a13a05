import { expect, test } from "vitest"
import { toEnding } from "../../src/completions/stop-reason.ts"

test.each([
  { word: "stop", reason: "stop" },
  { word: "eos", reason: "stop" },
  { word: "end_turn", reason: "stop" },
  { word: "length", reason: "length" },
  { word: "model_length", reason: "length" },
  { word: "model_context_window_exceeded", reason: "length" },
  { word: "tool_calls", reason: "toolUse" },
  { word: "function_call", reason: "toolUse" },
  { word: "__proto__", reason: "stop" },
  { word: "a_reason_from_the_future", reason: "stop" },
])("finish_reason $word becomes $reason", ({ word, reason }) => {
  expect(toEnding(word)).toEqual({ reason })
})

test.each([
  { word: "content_filter", code: "content_filter", retryable: false },
  { word: "sensitive", code: "content_filter", retryable: false },
  { word: "error", code: "server", retryable: true },
  { word: "network_error", code: "server", retryable: true },
  { word: "insufficient_system_resource", code: "overloaded", retryable: true },
])("finish_reason $word is a failure: $code", ({ word, code, retryable }) => {
  expect(toEnding(word)).toMatchObject({ failure: { code, retryable }, says: expect.any(String) })
})
