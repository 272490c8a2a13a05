import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { freeze } from "./freeze.ts"
import { replayBytes, replayEvents } from "./replay.ts"
import { begin, bytesOf, call, close, delta, end, HEL, HELLO, open, text } from "./wire-events.ts"

/** @returns the message that the events make, which obey the grammar. */
async function messageOf(...events: readonly unknown[]): Promise<AssistantMessage> {
  const replay = await replayEvents(freeze(events))
  assertWellFormed(replay.events)
  return replay.message
}

describe("the mapping of events", () => {
  test("makes a message of the events of an answer", async () => {
    expect(await messageOf(...HELLO)).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      responseId: "msg_1",
      responseModel: "claude-x-2026",
      stopReason: "stop",
      rawStopReason: "end_turn",
      usage: { input: 5, output: 2, totalTokens: 7 },
    })
  })

  test("streams thinking with its signature, which closes with the block", async () => {
    const { events, message } = await replayEvents([
      begin(),
      open(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      delta(0, { type: "thinking_delta", thinking: "." }),
      delta(0, { type: "signature_delta", signature: "c2ln" }),
      close(0),
      ...text(1, "Yes"),
      ...end(),
    ])

    expect(message.content[0]).toEqual({ type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" })
    expect(events.find(({ type }) => type === "thinking_end")).toMatchObject({
      content: "Hm.",
      signature: "c2ln",
    })
  })

  test("makes no block of one that says nothing of itself until something arrives for it", async () => {
    const message = await messageOf(
      begin(),
      open(0, {}),
      close(0),
      open(1, {}),
      delta(1, { type: "text_delta", text: "Hi" }),
      close(1),
      ...end(),
    )

    expect(message.content).toEqual([{ type: "text", text: "Hi" }])
  })

  test("keeps a signature without any thinking, and thinking that is encrypted", async () => {
    const message = await messageOf(
      begin(),
      open(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "signature_delta", signature: "c2ln" }),
      close(0),
      open(1, { type: "redacted_thinking", data: "ZW5j" }),
      close(1),
      ...end(),
    )

    expect(message.content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: "c2ln" },
      { type: "thinking", thinking: "", thinkingSignature: "ZW5j", redacted: true },
    ])
  })

  test("keeps parallel calls apart when their pieces interleave", async () => {
    const piece = (index: number, json: string) =>
      delta(index, { type: "input_json_delta", partial_json: json })
    const message = await messageOf(
      begin(),
      open(0, { type: "tool_use", id: "toolu_a", name: "read", input: {} }),
      open(1, { type: "tool_use", id: "toolu_b", name: "list", input: {} }),
      piece(0, ""),
      piece(0, '{"path":'),
      piece(1, ""),
      piece(0, '"a.ts"}'),
      close(1),
      close(0),
      ...end("tool_use"),
    )

    expect(message).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "toolCall", id: "toolu_a", name: "read", arguments: { path: "a.ts" } },
        { type: "toolCall", id: "toolu_b", name: "list", arguments: {} },
      ],
    })
    for (const block of message.content) expect(block).not.toHaveProperty("argumentsError")
  })

  test("reports a stop with calls as a tool use", async () => {
    expect((await messageOf(begin(), ...call(0, "a", "now", "{}"), ...end("end_turn"))).stopReason).toBe(
      "toolUse",
    )
  })

  test("lets pieces of arguments win over what stands at the start", async () => {
    const start = open(0, { type: "tool_use", id: "a", name: "f", input: { old: 1 } })
    const piece = delta(0, { type: "input_json_delta", partial_json: '{"new":2}' })

    expect((await messageOf(begin(), start, piece, close(0), ...end("tool_use"))).content).toMatchObject([
      { arguments: { new: 2 } },
    ])
  })

  test.each([{ a: 1 }, '{"a":1}'])(
    "takes the whole input %o at the start for the arguments",
    async (input) => {
      const start = open(0, { type: "tool_use", id: "a", name: "f", input })

      expect((await messageOf(begin(), start, close(0), ...end("tool_use"))).content).toEqual([
        { type: "toolCall", id: "a", name: "f", arguments: { a: 1 } },
      ])
    },
  )

  test("keeps who calls, as the signature of the call", async () => {
    const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" }
    const message = await messageOf(
      begin(),
      open(0, { type: "tool_use", id: "a", name: "f", input: { x: 1 }, caller }),
      close(0),
      ...end("tool_use"),
    )

    expect(message.content).toEqual([
      {
        type: "toolCall",
        id: "a",
        name: "f",
        arguments: { x: 1 },
        thoughtSignature: JSON.stringify({ caller }),
      },
    ])
  })

  describe("of an answer that was cut off", () => {
    test("marks a call that ends inside its arguments", async () => {
      const message = await messageOf(
        begin(),
        ...call(0, "a", "read", '{"path":"a.ts"}'),
        ...call(1, "b", "read", '{"path":"b'),
        ...end("max_tokens"),
      )

      expect(message).toMatchObject({
        stopReason: "length",
        content: [{ id: "a" }, { arguments: { path: "b" } }],
      })
      expect(message.content[0]).not.toHaveProperty("argumentsError")
      expect(message.content[1]).toHaveProperty("argumentsError")
    })

    test.each([
      { what: "closed", closing: [close(0)] },
      { what: "left open", closing: [] },
    ])(
      "does not take a call that is cut before its arguments for one without any ($what)",
      async ({ closing }) => {
        const [start] = call(0, "a", "now", "")

        const message = await messageOf(begin(), start, ...closing, ...end("max_tokens"))

        expect(message.content).toMatchObject([
          { arguments: {}, argumentsError: expect.stringContaining("cut off") },
        ])
      },
    )

    test("leaves calls without arguments alone that something follows", async () => {
      const message = await messageOf(
        begin(),
        ...call(0, "a", "now", ""),
        ...text(1, "And"),
        ...end("max_tokens"),
      )

      expect(message.content[0]).not.toHaveProperty("argumentsError")
    })
  })

  test("makes opaque blocks of what is neither text, thinking nor a call, whole when it stops", async () => {
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }
    const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ url: "u" }] }
    const future = { type: "block_of_the_future", anything: [1, { deep: null }] }
    const { events, message } = await replayEvents([
      begin(),
      open(0, use),
      delta(0, { type: "input_json_delta", partial_json: "" }),
      delta(0, { type: "input_json_delta", partial_json: '{"query":' }),
      delta(0, { type: "input_json_delta", partial_json: '"x"}' }),
      close(0),
      open(1, result),
      close(1),
      open(2, future),
      close(2),
      ...end(),
    ])

    assertWellFormed(events)
    expect(message.stopReason).toBe("stop")
    expect(message.content).toEqual([
      { type: "opaque", kind: "server_tool_use", data: { ...use, input: { query: "x" } } },
      { type: "opaque", kind: "web_search_tool_result", data: result },
      { type: "opaque", kind: "block_of_the_future", data: future },
    ])
  })

  test("merges what arrives of a summary into its block", async () => {
    const message = await messageOf(
      begin(),
      open(0, { type: "compaction", content: null }),
      delta(0, { type: "compaction_delta", content: "So far: x", encrypted_content: "ZQ" }),
      close(0),
      ...end("compaction"),
    )

    expect(message).toMatchObject({
      stopReason: "stop",
      content: [
        { kind: "compaction", data: { type: "compaction", content: "So far: x", encrypted_content: "ZQ" } },
      ],
    })
  })

  test("names the model that took over as the one that answered", async () => {
    const fallback = (to: string) => ({ type: "fallback", from: { model: "a" }, to: { model: to } })
    const message = await messageOf(
      begin({ model: "a" }),
      ...text(0, "Well"),
      open(1, fallback("b")),
      close(1),
      open(2, fallback("c")),
      close(2),
      ...end(),
    )

    expect(message).toMatchObject({
      responseModel: "c",
      content: [{}, { kind: "fallback" }, { kind: "fallback" }],
    })
  })

  test("puts the container behind the content, wherever it was named, the last one only", async () => {
    const message = await messageOf(
      begin({ container: { id: "container_1", expires_at: "2026-01-01T00:00:00Z" } }),
      ...text(0, "Hi"),
      ...end("end_turn", {}, { container: { id: "container_2", expires_at: null } }),
    )

    expect(message.content).toEqual([
      { type: "text", text: "Hi" },
      { type: "opaque", kind: "container", data: { id: "container_2", expires_at: null } },
    ])
  })

  test("reads an answer that is whole in its first event", async () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text", text: "Hi", citations: [{ type: "char_location", cited_text: "x" }] },
      { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
    ]

    expect(
      await messageOf(begin({ content, stop_reason: "tool_use" }), { type: "message_stop" }),
    ).toMatchObject({
      stopReason: "toolUse",
      content: [
        { thinking: "Hm.", thinkingSignature: "c2ln" },
        { text: "Hi", textSignature: '{"citations":[{"type":"char_location","cited_text":"x"}]}' },
        { arguments: { x: 1 } },
      ],
    })
  })

  test("reads the answer of a server that does not stream", async () => {
    const body = {
      id: "msg_2",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 1 },
    }
    const { message } = await replayBytes([Buffer.from(JSON.stringify(body, undefined, 2))])

    expect(message).toMatchObject({
      stopReason: "stop",
      responseId: "msg_2",
      content: [{ text: "Hi" }],
      usage: { totalTokens: 4 },
    })
  })

  test("passes over pings, and events, deltas and fields of the future", async () => {
    const message = await messageOf(
      { type: "future_event", index: 0, delta: { type: "text_delta", text: "no" } },
      begin({ future: { a: 1 } }),
      { type: "ping", future: true },
      open(0, { type: "text", text: "", future: [] }),
      delta(0, { type: "future_delta", text: "no" }),
      delta(0, { type: "text_delta", text: "yes", future: 1 }),
      close(0),
      null,
      "text",
      [1],
      ...end(),
    )

    expect(message).toMatchObject({ content: [{ text: "yes" }], stopReason: "stop" })
  })

  test("survives events without their parts", async () => {
    const message = await messageOf(
      { type: "message_start" },
      { type: "content_block_start", index: 0 },
      { type: "content_block_delta", index: 0 },
      { type: "content_block_stop" },
      { type: "message_delta" },
      ...end(),
    )

    expect(message.stopReason).toBe("stop")
  })

  test("opens blocks that nobody has started", async () => {
    const message = await messageOf(
      begin(),
      delta(0, { type: "text_delta", text: "Hi" }),
      close(0),
      delta(1, { type: "input_json_delta", partial_json: '{"a":1}' }),
      close(1),
      ...end("tool_use"),
    )

    expect(message.content).toEqual([
      { type: "text", text: "Hi" },
      { type: "toolCall", id: "made-up", name: "", arguments: { a: 1 } },
    ])
  })

  test("closes blocks that nobody has stopped", async () => {
    const citation = { type: "char_location", cited_text: "x" }
    const message = await messageOf(
      begin(),
      open(0, { type: "text", text: "Hi" }),
      delta(0, { type: "citations_delta", citation }),
      open(1, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta(1, { type: "input_json_delta", partial_json: '{"query":"x"}' }),
      ...end(),
    )

    expect(message.content).toMatchObject([
      { text: "Hi", textSignature: JSON.stringify({ citations: [citation] }) },
      { data: { input: { query: "x" } } },
    ])
  })

  describe("of a pause", () => {
    test("leaves the turn open", async () => {
      const { message, events, outcome } = await replayEvents([
        begin(),
        ...text(0, "Hi"),
        ...end("pause_turn"),
      ])

      expect(outcome).toBe("paused")
      expect(events.map(({ type }) => type)).not.toContain("done")
      expect(message).toMatchObject({ content: [{ text: "Hi" }], rawStopReason: "pause_turn" })
    })

    test("ends the turn as cut off when there may be no more", async () => {
      const { message } = await replayEvents([begin(), ...text(0, "Hi"), ...end("pause_turn")], false)

      expect(message).toMatchObject({
        stopReason: "length",
        rawStopReason: "pause_turn",
        content: [{ text: "Hi" }],
      })
    })

    test("ends the turn when there is nothing to go on from", async () => {
      expect((await messageOf(begin(), ...end("pause_turn"))).stopReason).toBe("length")
    })

    test("leaves calls to the client", async () => {
      const message = await messageOf(begin(), ...call(0, "a", "now", "{}"), ...end("pause_turn"))

      expect(message.stopReason).toBe("toolUse")
    })
  })

  describe("fails", () => {
    test.each([
      { type: "invalid_request_error", says: "bad", code: "invalid_request", retryable: false },
      {
        type: "invalid_request_error",
        says: "prompt is too long: 9 tokens > 8 maximum",
        code: "context_overflow",
        retryable: false,
      },
      {
        type: "invalid_request_error",
        says: "input length and `max_tokens` exceed context limit: 9 + 1 > 8",
        code: "context_overflow",
        retryable: false,
      },
      {
        type: "invalid_request_error",
        says: "Your credit balance is too low to access the API",
        code: "quota",
        retryable: false,
      },
      { type: "authentication_error", says: "invalid x-api-key", code: "auth", retryable: false },
      { type: "billing_error", says: "pay first", code: "quota", retryable: false },
      { type: "permission_error", says: "not yours", code: "auth", retryable: false },
      { type: "not_found_error", says: "model: x", code: "invalid_request", retryable: false },
      { type: "request_too_large", says: "too large", code: "context_overflow", retryable: false },
      { type: "rate_limit_error", says: "slow down", code: "rate_limit", retryable: true },
      { type: "api_error", says: "oops", code: "server", retryable: true },
      { type: "timeout_error", says: "too slow", code: "timeout", retryable: true },
      { type: "overloaded_error", says: "Overloaded", code: "overloaded", retryable: true },
      { type: "error_of_the_future", says: "who knows", code: "unknown", retryable: false },
    ])("with $code on $type in the middle: $says", async ({ type, says, code, retryable }) => {
      const message = await messageOf(...HEL, { type: "error", error: { type, message: says } })

      expect(message).toMatchObject({
        stopReason: "error",
        content: [{ text: "Hel" }],
        errorMessage: says,
        failure: { code, retryable },
        usage: { input: 5 },
      })
    })

    test("on a gateway's error without a type", async () => {
      expect(await messageOf(...HEL, { error: { message: "Bad Gateway", code: 502 } })).toMatchObject({
        errorMessage: "Bad Gateway",
        failure: { code: "server", status: 502 },
      })
    })

    test("on a gateway's error that only its event's name calls one", async () => {
      const body = 'event: error\ndata: {"message":"Bad Gateway","code":502}\n\n'
      const { message } = await replayBytes([new TextEncoder().encode(body)])

      expect(message).toMatchObject({ errorMessage: "Bad Gateway", failure: { code: "server", status: 502 } })
    })

    test("without the last event, and without a reason", async () => {
      for (const events of [HEL, HELLO.slice(0, -1), [begin(), ...text(0, "Hel"), ...end(null)], []]) {
        expect(await messageOf(...events)).toMatchObject({
          stopReason: "error",
          failure: { code: "protocol", retryable: true },
        })
      }
    })

    test("on a refusal in the middle, keeping text and bill", async () => {
      const details = { stop_details: { type: "refusal", category: "bio", explanation: "Not this." } }

      expect(
        await messageOf(begin(), ...text(0, "Mix"), ...end("refusal", { output_tokens: 4 }, details)),
      ).toMatchObject({
        stopReason: "error",
        rawStopReason: "refusal",
        content: [{ text: "Mix" }],
        errorMessage: "Not this.",
        failure: { code: "content_filter", retryable: false },
        usage: { output: 4 },
      })
    })
  })

  test("takes a body that ends right behind its last event for whole", async () => {
    for (const rest of [0, 1, 2]) {
      const bytes = bytesOf(HELLO)
      expect((await replayBytes([bytes.subarray(0, bytes.length - rest)])).message.stopReason).toBe("stop")
    }
  })
})
