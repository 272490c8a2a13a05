import type { AssistantMessage, Model, ToolCall, ToolResultMessage, UserMessage } from "@heddle/types"

/** The model that reads the transcripts of these tests. */
export const model: Model = {
  id: "m-1",
  name: "M 1",
  api: "test-api",
  provider: "test",
  baseUrl: "http://127.0.0.1:1",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 10_000,
}

export function user(content: UserMessage["content"]): UserMessage {
  return { role: "user", content, timestamp: 1 }
}

/** Written by {@link model}, unless the fields say otherwise. */
export function assistant(
  content: AssistantMessage["content"],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  const { api, provider, id } = model
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost }
  const base = { api, provider, model: id, usage, stopReason: "stop", timestamp: 2 } as const
  return { role: "assistant", content, ...base, ...fields }
}

export function call(id: string, name = "read"): ToolCall {
  return { type: "toolCall", id, name, arguments: {} }
}

export function result(toolCallId: string, text = "ok"): ToolResultMessage {
  const content = [{ type: "text", text }] as const
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 3 }
}
