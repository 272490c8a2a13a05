import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cutAt, inPiecesOf } from "../pieces.ts"
import { CHAT, HAS_RECORDINGS, type Recording, WHERE } from "../recordings.ts"
import type { Replay } from "../replay.ts"
import { type NaiveReading, readNaively } from "./naive-reader.ts"
import { replayBytes, replayChunks } from "./replay.ts"

const REASONS: Readonly<Record<string, string>> = { stop: "stop", length: "length", tool_calls: "toolUse" }

/** One of these has a call that ends in `stop`, and one fails in the middle: see below. */
const streams = CHAT.all()

describe.runIf(HAS_RECORDINGS)(WHERE, () => {
  test("there are some of every vendor", async () => {
    expect(streams.length).toBeGreaterThanOrEqual(142)
    expect(new Set(streams.map(({ provider }) => provider)).size).toBe(15)
  })

  test.each(streams)("$name says what a naive reading of its lines says", async ({ provider, bytes }) => {
    const naive = readNaively(new TextDecoder().decode(bytes))

    const { events, message } = await replayBytes(provider, [bytes])

    assertWellFormed(events)
    expect(textOf(message)).toBe(naive.text)
    expect(thinkingOf(message)).toBe(naive.thinking)
    expect(callsOf(message).map(({ id, name }) => ({ id, name }))).toEqual(
      naive.calls.map(({ id, name }) => ({ id, name })),
    )
    for (const [position, call] of callsOf(message).entries()) {
      expect(inputOf(call)).toEqual(meaningOf(naive.calls[position]!.input, naive.finish))
    }
    expect(message.responseId).toBe(naive.id)
    if (!naive.hasError) expect(message.stopReason).toBe(expectedReason(naive))
    expect(message.rawStopReason).toBe(naive.finish)
    expectUsage(message, naive, provider)
  })

  test.each(streams)(
    "$name gives the same events when its bytes are cut anywhere",
    async ({ provider, bytes }) => {
      const whole = outline(await replayBytes(provider, [bytes]))

      for (const size of bytes.length < 4000 ? [1, 7, 64] : [7, 64]) {
        expect(outline(await replayBytes(provider, inPiecesOf(size, bytes)))).toEqual(whole)
      }
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (borders) => {
          expect(outline(await replayBytes(provider, cutAt(borders, bytes)))).toEqual(whole)
        }),
        { numRuns: 2 },
      )
    },
  )

  test.each(streams.filter(({ name }) => !name.includes("tool_use_failed")))(
    "$name is an error that keeps what came before, wherever it breaks off before its last word",
    async ({ provider, bytes }) => {
      const end = endOfFinish(bytes)
      const step = end < 1000 ? 1 : Math.max(7, Math.floor((end * end) / 1_000_000))

      for (let cut = 0; cut < end; cut += step) {
        const naive = readNaively(new TextDecoder().decode(bytes.subarray(0, cut)))
        const { message } = await replayBytes(provider, [bytes.subarray(0, cut)])
        if (message.stopReason !== "error" || message.failure?.code !== "protocol") {
          expect.fail(`cut at ${cut} of ${end}: ${message.stopReason}, ${message.failure?.code}`)
        }
        if (textOf(message) !== naive.text || thinkingOf(message) !== naive.thinking) {
          expect.fail(`cut at ${cut} of ${end}: text or thinking differ`)
        }
      }
      const complete = await replayBytes(provider, [bytes.subarray(0, end)])
      const whole = await replayBytes(provider, [bytes])
      expect(complete.message.stopReason).toBe(whole.message.stopReason)
    },
  )
})

describe.runIf(HAS_RECORDINGS)(`special ${WHERE}`, () => {
  test("a call that ends in stop is a tool use", async () => {
    const { message } = await replay("oinf--fixtures-streaming")

    expect(message).toMatchObject({ stopReason: "toolUse", rawStopReason: "stop" })
    expect(callsOf(message)).toEqual([
      {
        type: "toolCall",
        id: "call_n40bi7s3llIhZGakklmJHxbj",
        name: "PartialUserInfo",
        arguments: { name: "John Doe", age: 30 },
      },
    ])
  })

  test("empty ids of continuations neither overwrite an id nor open a call (Alibaba)", async () => {
    const calls = callsOf((await replay("alibaba-tool-call")).message)

    expect(calls).toHaveLength(1)
    expect(calls[0]!.id).not.toBe("")
    expect(calls[0]).toMatchObject({ name: "weather", arguments: { location: "San Francisco" } })
  })

  test("calls without an index are told apart by their ids (Mistral)", async () => {
    expect(callsOf((await replay("mistral-chat/vercel--mistral-tool-call")).message)).toEqual([
      { type: "toolCall", id: "gSIMJiOkT", name: "weather", arguments: { location: "San Francisco" } },
    ])
  })

  test("arguments that are null are no arguments (Groq)", async () => {
    const { message } = await replay(
      "groq-chat/rig--agent_tool_sessions-parallel_tool_calls_single_turn_streaming-1",
    )

    expect(callsOf(message)).toEqual([
      { type: "toolCall", id: "call_REDACTED_1", name: "lookup_harbor_label", arguments: {} },
      { type: "toolCall", id: "call_REDACTED_2", name: "lookup_orchard_label", arguments: {} },
    ])
    expect(message.usage).toMatchObject({ input: 359, output: 35, totalTokens: 394 })
  })

  test("a call cut off before its arguments is not taken for one without any (DeepSeek)", async () => {
    const { message } = await replay("truncation_matrix-streaming_budget_16_empty_arguments")

    expect(message.stopReason).toBe("length")
    expect(callsOf(message)).toMatchObject([{ name: "file_report", arguments: {} }])
    expect(callsOf(message)[0]!.argumentsError).toBeDefined()
  })

  test("of two calls the one that was cut off says so, and the whole one does not (DeepSeek)", async () => {
    const [whole, cut] = callsOf((await replay("truncation_matrix-streaming_parallel_calls_keep")).message)

    expect(whole!.argumentsError).toBeUndefined()
    expect(Object.keys(whole!.arguments).length).toBeGreaterThan(0)
    expect(cut!.argumentsError).toBeDefined()
  })

  test.each([
    { part: "llamacpp-chat/rig--truncation_matrix-streaming_tool_call_cut_mid_arguments" },
    { part: "openai-chat/rig--chat_tool_truncation_matrix-streaming_gpt4o_low_model" },
  ])("a call cut off inside its JSON says so: $part", async ({ part }) => {
    const { message } = await replay(part)

    expect(message.stopReason).toBe("length")
    expect(callsOf(message)).toHaveLength(1)
    expect(callsOf(message)[0]!.argumentsError).toBeDefined()
  })

  test.each([
    { part: "terminal_metadata_matrix-streaming_ministral_3b_tiny_tool" },
    { part: "truncation_matrix-streaming_budget_12" },
  ])("an answer cut off before its first token has no block: $part", async ({ part }) => {
    expect((await replay(part)).message).toMatchObject({ content: [], stopReason: "length" })
  })

  test("thinking and text in one content list become two blocks (Mistral)", async () => {
    const { message } = await replay("mistral_hybrid_reasoning_streams_thinking_separately")

    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text"])
    expect(thinkingOf(message)).toContain("The user is asking for the product of 12")
    expect(textOf(message)).toContain("144")
    expect(message.usage).toMatchObject({ input: 31, output: 66 })
  })

  test("a refusal is text with a plain stop (OpenAI)", async () => {
    expect((await replay("mira--openai_gpt_4o_completions-async_stream-2.")).message).toMatchObject({
      content: [{ type: "text", text: "I'm sorry, I can’t assist with that request." }],
      stopReason: "stop",
      usage: { input: 64, output: 12, totalTokens: 76 },
    })
  })

  test.each([
    { part: "openrouter-chat/pydai--openrouter_stream_with_native_options", next: "text" },
    { part: "openrouter-chat/rig--streaming_tools-stream_encrypted_reasoning_survives", next: "toolCall" },
  ])("encrypted reasoning alone gets an empty block before the answer: $part", async ({ part, next }) => {
    const [thinking, answer] = (await replay(part)).message.content

    expect(thinking).toMatchObject({ type: "thinking", thinking: "" })
    expect(detailsOf(thinking)).toMatchObject([{ type: "reasoning.encrypted", index: 0 }])
    expect(answer!.type).toBe(next)
  })

  test("fragments of a signed thought are one entry, and the signature ends up in it (OpenRouter)", async () => {
    const { message, events } = await replay("signed_agent_roundtrip-1.")
    const [thinking] = message.content

    expect(thinkingOf(message)).toMatch(/^The user wants me to:\n1\. Think briefly/)
    expect(detailsOf(thinking)).toEqual([
      {
        type: "reasoning.text",
        format: "anthropic-claude-v1",
        index: 0,
        text: thinkingOf(message),
        signature: "signature_REDACTED_1",
      },
    ])
    expect(events.find(({ type }) => type === "thinking_end")).toHaveProperty("signature")
    expect(message.usage).toMatchObject({ input: 635, output: 113, reasoning: 59, cost: { total: 0.0012 } })
  })

  test("a summary and the encrypted thought behind it are two entries (OpenRouter)", async () => {
    const { message } = await replay("reasoning_usage_matrix-transports_agree")

    expect(detailsOf(message.content[0])).toMatchObject([
      { type: "reasoning.summary", index: 0, summary: thinkingOf(message) },
      { type: "reasoning.encrypted", index: 1 },
    ])
  })

  test("cumulative text beside the delta is not read, and the bill is the vendor's (Perplexity)", async () => {
    const { message } = await replay("perplexity_sonar_supports_streaming_responses")

    expect(textOf(message)).toBe("1 2 3")
    expect(message).toMatchObject({
      stopReason: "stop",
      usage: { input: 8, output: 5, totalTokens: 13, cost: { total: 0.00501 } },
    })
  })

  test("reasoning that is billed beside the completion is output (xAI)", async () => {
    expect((await replay("xai-chat/vercel--xai-text.sse")).message.usage).toMatchObject({
      input: 1,
      cacheRead: 11,
      output: 342,
      reasoning: 340,
      totalTokens: 354,
      cost: { total: 0.000172125 },
    })
  })

  test("more cached tokens than prompt tokens are as many as there are (Grok on Azure)", async () => {
    expect(
      (await replay("can_use_tools_without_parameters_in_multi-turn_str-2.")).message.usage,
    ).toMatchObject({
      input: 0,
      cacheRead: 377,
      output: 69,
      totalTokens: 446,
      cost: { total: expect.closeTo((377 * 0.5 + 69 * 2) / 1_000_000, 12) },
    })
  })

  test("plugin fees make the bill higher than the tokens do (OpenRouter)", async () => {
    const { cost } = (await replay("openrouter_web_search_annotations_stream")).message.usage

    expect(cost.total).toBe(0.0076509169000000005)
    expect(cost.input + cost.output).toBeLessThan(cost.total)
  })

  test("an error in the middle keeps what was said and carries its own status (Groq)", async () => {
    const { message, events } = await replay("tool_use_failed_error_streaming_with_text-1")

    expect(textOf(message)).toBe("maybe")
    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: "Tool choice is required, but model did not call a tool",
      failure: { code: "protocol", retryable: true, status: 400 },
    })
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1)
  })

  test("tags of thinking inside thinking are left as they are (Groq)", async () => {
    expect(thinkingOf((await replay("groq_model_web_search_tool_stream")).message)).toContain("<think>")
  })

  test("usage under x_groq only is counted", async () => {
    expect((await replay("test_token_counts-TestTokenCounts.test_groq")).message.usage).toMatchObject({
      totalTokens: 38,
      input: 12,
      output: 26,
    })
  })

  test("Azure's empty first id and model are not those of the response", async () => {
    expect((await replay("azure-model-router.1")).message).toMatchObject({
      responseId: "chatcmpl-CYPS1lijGoK8gd9lYzY3r9Sx50nbt",
      responseModel: "gpt-5-nano-2025-08-07",
    })
  })

  test.each(CHAT.all(".json").filter(({ name }) => name.startsWith("cerebras")))(
    "$name, a body that was not streamed, is read as one chunk",
    async ({ provider, bytes }) => {
      const body = JSON.parse(new TextDecoder().decode(bytes))
      const { message: said, finish_reason: word } = body.choices[0]

      const { message, events } = await replayChunks(provider, [body])

      assertWellFormed(events)
      expect(textOf(message)).toBe(said.content ?? "")
      expect(thinkingOf(message)).toBe(said.reasoning ?? "")
      expect(callsOf(message).map(({ id }) => id)).toEqual(
        (said.tool_calls ?? []).map((call: ToolCall) => call.id),
      )
      expect(message.stopReason).toBe(REASONS[word])
      expect(message.usage.totalTokens).toBe(body.usage.total_tokens)
    },
  )
})

function replay(part: string): Promise<Replay> {
  const { provider, bytes }: Recording = CHAT.one(part)
  return replayBytes(provider, [bytes])
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("")
}

function thinkingOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "thinking" ? block.thinking : "")).join("")
}

function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content.filter((block) => block.type === "toolCall")
}

function detailsOf(block: AssistantMessage["content"][number] | undefined): unknown {
  return block?.type === "thinking" ? JSON.parse(block.thinkingSignature ?? "null") : undefined
}

/** @returns the arguments, or that they are broken. */
function inputOf(call: ToolCall): unknown {
  return call.argumentsError === undefined ? call.arguments : "broken"
}

function meaningOf(input: string, finish: string | undefined): unknown {
  if (input === "" && finish === "length") return "broken"
  try {
    return JSON.parse(input || "{}") ?? {}
  } catch {
    return "broken"
  }
}

function expectedReason({ finish, calls }: NaiveReading): string | undefined {
  const reason = REASONS[finish ?? ""]
  return reason === "stop" && calls.length > 0 ? "toolUse" : reason
}

/** Every body that states a total states the sum of our four counters. */
function expectUsage({ usage }: AssistantMessage, naive: NaiveReading, provider: string): void {
  if (!naive.usage) {
    expect(usage).toMatchObject({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 })
    return
  }
  const { prompt_tokens: prompt, total_tokens: total } = naive.usage
  const cached = naive.usage.prompt_tokens_details?.cached_tokens ?? naive.usage.prompt_cache_hit_tokens ?? 0
  expect(usage.totalTokens).toBe(total)
  expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(prompt)
  expect(usage.cacheRead).toBe(Math.min(cached, prompt))
  expect(usage.cacheWrite).toBe(naive.usage.prompt_tokens_details?.cache_write_tokens ?? 0)
  expect(usage.reasoning).toBe(naive.usage.completion_tokens_details?.reasoning_tokens)
  if (provider === "openrouter") expect(usage.cost.total).toBe(naive.usage.cost)
}

/** The events without their snapshots, which a correct stream of deltas implies. */
function outline({ events, message }: Replay): string {
  return JSON.stringify([...events.map(without), message], undefined, 1)
}

function without(event: AssistantMessageEvent): unknown {
  return { ...event, partial: undefined, message: undefined, error: undefined }
}

/** @returns how many bytes it takes until the model has said why it stopped. */
function endOfFinish(bytes: Uint8Array): number {
  const body = new TextDecoder().decode(bytes)
  let end = 0
  for (const line of body.split("\n")) {
    if (/"finish_reason": ?"/.test(line))
      return new TextEncoder().encode(body.slice(0, end) + line.trimEnd()).length
    end += line.length + 1
  }
  throw new Error("The recording has no finish_reason")
}
