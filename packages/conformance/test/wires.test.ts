import { describe, expect, test } from "vitest"
import { callTools, type Step, say, stop, think, toBeats, usage } from "../src/index.ts"
import {
  anthropicWire,
  bedrockWire,
  geminiWire,
  openAiChatWire,
  openAiResponsesWire,
  proxyWire,
  type Wire,
} from "../src/node.ts"
import { readFrames } from "./read-frames.ts"

const SSE_WIRES = [anthropicWire, openAiChatWire, openAiResponsesWire, geminiWire, proxyWire]
const WIRES = [...SSE_WIRES, bedrockWire]

/** The payloads of a reply, one per event; comments and `[DONE]` as they are. */
function payloads(wire: Wire, ...steps: Step[]): unknown[] {
  const events = wire.encode(toBeats(steps))
  if (wire === bedrockWire) {
    return events
      .flatMap((event) => readFrames(event))
      .map(({ headers, payload }) => ({
        [headers[":event-type"] ?? headers[":exception-type"] ?? ""]: JSON.parse(payload),
      }))
  }
  return events.map((event) => {
    const text = new TextDecoder().decode(event)
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text.trim()
    return data.startsWith("{") ? JSON.parse(data) : data
  })
}

describe("a wire", () => {
  test("of Anthropic says hi as a text block between message_start and message_stop", () => {
    expect(payloads(anthropicWire, say("hi"), stop())).toMatchObject([
      { type: "message_start", message: { role: "assistant", content: [], stop_reason: null } },
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ])
  })

  test("of OpenAI chat says hi as content, a finish reason and [DONE]", () => {
    expect(
      payloads(openAiChatWire, say("hi"), stop(), usage({ input: 3, output: 1, cacheRead: 2 })),
    ).toMatchObject([
      { object: "chat.completion.chunk", choices: [{ delta: { role: "assistant" }, finish_reason: null }] },
      { choices: [{ delta: { content: "hi" } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      {
        choices: [],
        usage: {
          prompt_tokens: 5,
          completion_tokens: 1,
          total_tokens: 6,
          prompt_tokens_details: { cached_tokens: 2 },
        },
      },
      "[DONE]",
    ])
  })

  test("of OpenAI Responses says hi as an output item with one part", () => {
    expect(
      payloads(openAiResponsesWire, say("hi"), stop()).map((event) => (event as { type: string }).type),
    ).toEqual([
      "response.created",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    expect(payloads(openAiResponsesWire, say("hi"), stop()).at(-1)).toMatchObject({
      sequence_number: 7,
      response: { status: "completed", output: [{ type: "message", content: [{ text: "hi" }] }] },
    })
  })

  test("of Gemini says hi as a part, and ends its lines with CRLF", () => {
    expect(payloads(geminiWire, say("hi"), stop(), usage({ input: 3, output: 1 }))).toMatchObject([
      { candidates: [{ content: { role: "model", parts: [{ text: "hi" }] } }] },
      {
        candidates: [{ finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
      },
    ])
    const [first] = geminiWire.encode(toBeats([say("hi")]))
    expect(new TextDecoder().decode(first)).toMatch(/^data: \{.*\}\r\n\r\n$/)
  })

  test("of Bedrock says hi in frames, text without a block start", () => {
    expect(payloads(bedrockWire, say("hi"), stop(), usage({ input: 3, output: 1 }))).toMatchObject([
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "hi" } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 } } },
    ])
  })

  test("of the proxy says hi as events without snapshots, with ids that increase", () => {
    expect(payloads(proxyWire, think("hm", { signature: "sig" }), say("hi"), stop())).toMatchObject([
      { type: "start" },
      { type: "thinking_start", contentIndex: 0 },
      { type: "thinking_delta", contentIndex: 0, delta: "hm" },
      { type: "thinking_end", contentIndex: 0, contentSignature: "sig" },
      { type: "text_start", contentIndex: 1 },
      { type: "text_delta", contentIndex: 1, delta: "hi" },
      { type: "text_end", contentIndex: 1 },
      { type: "done", reason: "stop", usage: { totalTokens: 0 } },
    ])
    const ids = proxyWire
      .encode(toBeats([say("hi")]))
      .map((event) => /^id: (\d+)\n/.exec(new TextDecoder().decode(event))?.[1])
    expect(ids).toEqual(["0", "1", "2", "3"])
  })

  const CALLS = callTools(
    [
      { id: "a", name: "one", arguments: { x: 1 } },
      { id: "b", name: "two", arguments: { y: 2 } },
    ],
    { pieces: 2, interleaved: true },
  )

  test.each([
    { wire: anthropicWire, keys: [0, 1, 0, 1, 0, 1, 0, 1] },
    { wire: openAiResponsesWire, keys: [0, 1, 0, 1, 0, 1, 0, 0, 1, 1] },
    { wire: bedrockWire, keys: [0, 1, 0, 1, 0, 1, 0, 1] },
    { wire: proxyWire, keys: [0, 1, 0, 1, 0, 1, 0, 1] },
  ])("of $wire.name interleaves the deltas of parallel calls", ({ wire, keys }) => {
    const found = payloads(wire, CALLS, stop("toolUse")).flatMap((event) => {
      const text = JSON.stringify(event)
      const key = /"(?:index|output_index|contentBlockIndex|contentIndex)":(\d)/.exec(text)?.[1]
      return key === undefined ? [] : [Number(key)]
    })

    expect(found).toEqual(keys)
  })

  test("of OpenAI chat numbers calls among themselves", () => {
    const calls = payloads(openAiChatWire, say("hi"), CALLS, stop("toolUse")).flatMap((event) => {
      const call = (event as { choices?: { delta: { tool_calls?: { index: number; id?: string }[] } }[] })
        .choices?.[0]?.delta.tool_calls?.[0]
      return call ? [[call.index, call.id]] : []
    })

    expect(calls).toEqual([
      [0, "a"],
      [1, "b"],
      [0, undefined],
      [1, undefined],
      [0, undefined],
      [1, undefined],
    ])
  })

  test("of Gemini sends each call whole", () => {
    expect(payloads(geminiWire, CALLS, stop("toolUse"))).toMatchObject([
      { candidates: [{ content: { parts: [{ functionCall: { id: "a", name: "one", args: { x: 1 } } }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { id: "b", name: "two", args: { y: 2 } } }] } }] },
      { candidates: [{ finishReason: "STOP" }] },
    ])
  })

  test.each(WIRES)("of $name ends in the middle when nothing stops it", (wire) => {
    const whole = wire.encode(toBeats([say("hi"), stop()])).length
    const middle = wire.encode(toBeats([say("hi")])).length

    expect(middle).toBeLessThan(whole)
  })

  test.each(SSE_WIRES)("of $name sends garbage that no JSON parser reads", (wire) => {
    const [garbage] = wire.encode([{ type: "garbage" }]).slice(-1)
    const data = /data: (.*)/.exec(new TextDecoder().decode(garbage))?.[1] ?? ""

    expect(() => JSON.parse(data)).toThrow(SyntaxError)
  })

  test("of Bedrock sends garbage whose checksum is wrong", () => {
    const [garbage] = bedrockWire.encode([{ type: "garbage" }]).slice(-1)

    expect(() => readFrames(garbage ?? new Uint8Array())).toThrow("message checksum")
  })

  test("of Bedrock reports a failure in the stream as an exception frame", () => {
    const [exception] = bedrockWire.encode([{ type: "overloaded" }]).slice(-1)

    expect(readFrames(exception ?? new Uint8Array())[0]?.headers).toMatchObject({
      ":message-type": "exception",
      ":exception-type": "serviceUnavailableException",
    })
  })

  test.each([
    {
      wire: anthropicWire,
      body: { type: "error", error: { type: "rate_limit_error", message: "Slow down" } },
    },
    { wire: openAiChatWire, body: { error: { code: "rate_limit_exceeded", message: "Slow down" } } },
    { wire: openAiResponsesWire, body: { error: { code: "rate_limit_exceeded", message: "Slow down" } } },
    {
      wire: geminiWire,
      body: {
        error: {
          code: 429,
          status: "RESOURCE_EXHAUSTED",
          message: "Slow down",
          details: [{ retryDelay: "7s" }],
        },
      },
    },
    { wire: bedrockWire, body: { message: "Slow down" } },
    { wire: proxyWire, body: { error: { message: "Slow down" } } },
  ])("of $wire.name refuses in the vendor's own body", ({ wire, body }) => {
    expect(JSON.parse(wire.refuse(429, "Slow down", 7_000).body)).toMatchObject(body)
  })

  test("of Bedrock names the class of a refusal in a header", () => {
    expect(bedrockWire.refuse(403, "No", undefined).headers).toEqual({
      "x-amzn-errortype": "AccessDeniedException",
    })
  })
})
