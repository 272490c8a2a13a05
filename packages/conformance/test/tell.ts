import type { AssistantMessage, AssistantMessageEvent, StreamFailure } from "@heddle/types"

type Content = AssistantMessage["content"][number]

/** A message by hand, without the message builder: what checks the builder must not be made by it. */
export function assistantMessage(fields: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "test",
    provider: "test",
    model: "test-1",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop",
    timestamp: 1,
    ...fields,
  }
}

export const FAILURE: StreamFailure = { code: "server", retryable: true }

/** One text block, in two deltas. */
export function textEvents(): AssistantMessageEvent[] {
  const text = (value: string) => assistantMessage({ content: [{ type: "text", text: value }] })
  return [
    { type: "start", partial: assistantMessage() },
    { type: "text_start", contentIndex: 0, partial: text("") },
    { type: "text_delta", contentIndex: 0, delta: "Hel", partial: text("Hel") },
    { type: "text_delta", contentIndex: 0, delta: "lo", partial: text("Hello") },
    { type: "text_end", contentIndex: 0, content: "Hello", partial: text("Hello") },
    { type: "done", reason: "stop", message: text("Hello") },
  ]
}

/** Two calls whose deltas interleave. */
export function callEvents(): AssistantMessageEvent[] {
  const call = (id: string, args: Record<string, unknown>): Content => ({
    type: "toolCall",
    id,
    name: "read",
    arguments: args,
  })
  const of = (...content: Content[]) => assistantMessage({ content })
  const [a, b] = [call("a", { path: "a.ts" }), call("b", { path: "b.ts" })] as const
  return [
    { type: "start", partial: of() },
    { type: "toolcall_start", contentIndex: 0, partial: of(call("a", {})) },
    { type: "toolcall_start", contentIndex: 1, partial: of(call("a", {}), call("b", {})) },
    {
      type: "toolcall_delta",
      contentIndex: 0,
      delta: '{"path":"a',
      partial: of(call("a", { path: "a" }), call("b", {})),
    },
    {
      type: "toolcall_delta",
      contentIndex: 1,
      delta: '{"path":"b.ts"}',
      partial: of(call("a", { path: "a" }), b),
    },
    { type: "toolcall_end", contentIndex: 1, toolCall: b as never, partial: of(call("a", { path: "a" }), b) },
    { type: "toolcall_delta", contentIndex: 0, delta: '.ts"}', partial: of(a, b) },
    { type: "toolcall_end", contentIndex: 0, toolCall: a as never, partial: of(a, b) },
    {
      type: "done",
      reason: "toolUse",
      message: assistantMessage({ content: [a, b], stopReason: "toolUse" }),
    },
  ]
}

/** Thinking with a signature, redacted thinking without text, and a vendor's own block. */
export function thinkingEvents(): AssistantMessageEvent[] {
  const open: Content = { type: "thinking", thinking: "" }
  const grown: Content = { type: "thinking", thinking: "Hm" }
  const signed: Content = { ...grown, thinkingSignature: "sig" }
  const redacted: Content = { type: "thinking", thinking: "", thinkingSignature: "data", redacted: true }
  const opaque: Content = { type: "opaque", kind: "search", data: { q: "x" } }
  const of = (...content: Content[]) => assistantMessage({ content })
  return [
    { type: "start", partial: of() },
    { type: "thinking_start", contentIndex: 0, partial: of(open) },
    { type: "thinking_delta", contentIndex: 0, delta: "Hm", partial: of(grown) },
    { type: "thinking_end", contentIndex: 0, content: "Hm", signature: "sig", partial: of(signed) },
    { type: "thinking_start", contentIndex: 1, partial: of(signed, redacted) },
    {
      type: "thinking_end",
      contentIndex: 1,
      content: "",
      signature: "data",
      redacted: true,
      partial: of(signed, redacted),
    },
    { type: "opaque_start", contentIndex: 2, partial: of(signed, redacted, { ...opaque, data: null }) },
    { type: "opaque_end", contentIndex: 2, content: opaque, partial: of(signed, redacted, opaque) },
    { type: "done", reason: "stop", message: of(signed, redacted, opaque) },
  ]
}

/** A request that failed before its first byte. */
export function loneError(): AssistantMessageEvent[] {
  const error = assistantMessage({ stopReason: "error", errorMessage: "Overloaded", failure: FAILURE })
  return [{ type: "error", reason: "error", error }]
}
