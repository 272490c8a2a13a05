import { assertWellFormed, fold } from "@heddle/conformance"
import type { AssistantMessage, AssistantMessageEvent, OpaqueContent } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type NaiveBlock, readNaively } from "./naive-reader.ts"
import { HAS_RECORDINGS, recording, recordings, WHERE } from "./recordings.ts"
import { type Replay, replayBytes } from "./replay.ts"

const REASONS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  max_tokens: "length",
  tool_use: "toolUse",
  refusal: "error",
}

const streams = recordings()

describe.runIf(HAS_RECORDINGS)(WHERE, () => {
  test("there are as many as were counted", () => {
    expect(streams.length).toBeGreaterThanOrEqual(57)
  })

  test.each(streams)("$name says what a naive reading of its lines says", async ({ bytes }) => {
    const naive = readNaively(new TextDecoder().decode(bytes))

    const { events, message } = await replayBytes([bytes])

    assertWellFormed(events)
    expect(fold(events)).toEqual(message)
    expect(message.content.filter((block) => !isContainer(block))).toEqual(naive.blocks.map(contentOf))
    expect(message.content.filter(isContainer).map((block) => (block as OpaqueContent).data)).toEqual(
      naive.container ? [naive.container] : [],
    )
    expect(message.responseId).toBe(naive.id)
    expect(message.stopReason).toBe(REASONS[naive.stop ?? ""])
    expect(message.rawStopReason).toBe(naive.stop)
    expectUsage(message, naive.usage)
  })

  test.each(streams)("$name gives the same events when its bytes are cut anywhere", async ({ bytes }) => {
    const whole = outline(await replayBytes([bytes]))

    const sizes = bytes.length < 2000 ? [1, 7, 64] : [61]
    for (const size of sizes) expect(outline(await replayBytes(inPiecesOf(size, bytes)))).toEqual(whole)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (borders) => {
        expect(outline(await replayBytes(cutAt(borders, bytes)))).toEqual(whole)
      }),
      { numRuns: 1 },
    )
  })

  test.each(streams)("$name is an error that keeps what came, wherever it breaks off", async ({ bytes }) => {
    const last = new TextDecoder().decode(bytes).lastIndexOf("data:")
    const end = new TextEncoder().encode(new TextDecoder().decode(bytes).slice(0, last)).length
    const step = end < 700 ? 1 : Math.max(7, Math.floor(end / 30))

    for (let cut = 0; cut < end; cut += step) {
      const naive = readNaively(new TextDecoder().decode(bytes.subarray(0, cut)))
      const { message } = await replayBytes([bytes.subarray(0, cut)])
      if (message.stopReason !== "error" || message.failure?.code !== "protocol") {
        expect.fail(`cut at ${cut} of ${end}: ${message.stopReason}, ${message.failure?.code}`)
      }
      if (proseOf(message) !== naive.blocks.map((block) => block.thinking + block.text).join("")) {
        expect.fail(`cut at ${cut} of ${end}: text or thinking differ`)
      }
    }
  })
})

describe.runIf(HAS_RECORDINGS)(`special ${WHERE}`, () => {
  test.each(Array.from({ length: 13 }, (_, index) => ({ part: index + 2 })))(
    "a whole answer in the first event is one: programmatic calls, part $part",
    async ({ part }) => {
      const { message } = await replay(`programmatic-tool-calling.1-part${part}`, true)

      expect(message).toMatchObject({ stopReason: "toolUse", usage: { totalTokens: 0 } })
      const [call, container] = message.content
      expect(call).toMatchObject({
        type: "toolCall",
        name: "rollDie",
        arguments: { player: expect.any(String) },
      })
      expect(JSON.parse((call as { thoughtSignature: string }).thoughtSignature)).toMatchObject({
        caller: { type: "code_execution_20250825" },
      })
      expect(container).toMatchObject({ type: "opaque", kind: "container" })
    },
  )

  test("input that is whole at the start of a call is its arguments", async () => {
    const { message, events } = await replay("programmatic-tool-calling.1-part1", true)

    expect(message.content.map(kindOf)).toEqual(["text", "server_tool_use", "toolCall", "container"])
    expect(message.content[2]).toMatchObject({ arguments: { player: "player1" } })
    expect(events.filter(({ type }) => type === "toolcall_delta")).toHaveLength(1)
    expect(message.usage).toMatchObject({ input: 3369, output: 725 })
  })

  test("citations that come before any text belong to it", async () => {
    const [block] = (await replay("citations_with_anthropic_claude-haiku-4-5_streams_citations")).message
      .content

    expect(block).toMatchObject({
      type: "text",
      text: "The Ruby programming language was created by Yukihiro Matsumoto in 1993.",
    })
    expect(JSON.parse((block as { textSignature: string }).textSignature)).toEqual({
      citations: [
        {
          type: "char_location",
          cited_text: "The Ruby programming language was created by Yukihiro Matsumoto in 1993. ",
          document_index: 0,
          document_title: "facts.txt",
          start_char_index: 0,
          end_char_index: 73,
        },
      ],
    })
  })

  test("a summary is one opaque block, and is billed beside the answer", async () => {
    const { message } = await replay("compaction_usage_with_cache_streaming")

    expect(message.content[0]).toMatchObject({
      type: "opaque",
      kind: "compaction",
      data: { type: "compaction", content: expect.stringMatching(/^The user provided a very long context/) },
    })
    expect(message.content[1]).toEqual({ type: "text", text: "Hello! 👋" })
    expect(message.usage).toMatchObject({ input: 281, output: 91, cacheRead: 55_096, cacheWrite: 0 })
  })

  test("an advisor is another model, and not on this bill", async () => {
    const { message } = await replay("anthropic_advisor_tool_stream")

    expect(message.content.map(kindOf)).toEqual([
      "thinking",
      "text",
      "server_tool_use",
      "advisor_tool_result",
      "text",
    ])
    expect(message.content[0]).toMatchObject({
      thinking: "",
      thinkingSignature: expect.stringMatching(/^EpAD/),
    })
    expect(message.usage).toMatchObject({ input: 2411, output: 145, reasoning: 47, totalTokens: 2556 })
  })

  test("after a change of model the other one answered", async () => {
    const { message } = await replay("anthropic-fallback")

    expect(message.content.map(kindOf)).toEqual(["fallback", "text"])
    expect(message).toMatchObject({
      responseModel: "claude-opus-4-8",
      usage: { input: 412, output: 264, totalTokens: 676 },
    })
  })

  test("a refusal is an error with its explanation", async () => {
    const { message } = await replay("anthropic-refusal")

    expect(message).toMatchObject({
      stopReason: "error",
      rawStopReason: "refusal",
      errorMessage: expect.stringMatching(/^This request triggered restrictions on violative cyber content/),
      failure: { code: "content_filter", retryable: false },
      usage: { input: 18, output: 5 },
    })
  })

  test("thinking that is encrypted keeps its payload", async () => {
    const { message } = await replay("thinking_part_redacted_stream")

    const hidden = message.content.filter((block) => block.type === "thinking" && block.redacted)
    expect(hidden.length).toBeGreaterThan(0)
    for (const block of hidden)
      expect(block).toMatchObject({ thinking: "", thinkingSignature: expect.stringMatching(/./) })
  })

  test("a call may be pending while a server tool is", async () => {
    const { message } = await replay("tool-search-deferred-bm25-part1")

    expect(message).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "text" },
        { type: "toolCall", arguments: { noteId: "d10aa585-982b-4bd9-984e-420f9b3717f7" } },
        { type: "opaque", data: { input: { query: "add bullet point insert text editor", limit: 5 } } },
      ],
    })
    expect((await replay("tool-search-deferred-bm25-part2")).message.content[0]).toMatchObject({
      kind: "tool_search_tool_result",
    })
  })

  test("the final count of input may be higher than the first", async () => {
    expect((await replay("vercel--anthropic-web-search-tool.1")).message.usage).toMatchObject({
      input: 15_665,
    })
  })

  test("a final report that counts the output alone keeps the rest", async () => {
    const { message } = await replay("anthropic_prompt_caching_async_stream_with_events_with_content-2")

    expect(message.usage.cacheRead + message.usage.cacheWrite).toBeGreaterThan(1000)
  })

  test("two calls at once are two", async () => {
    const { message } = await replay("streaming_grammar-parallel_tool_use")

    expect(message.content.filter(({ type }) => type === "toolCall")).toHaveLength(2)
  })

  test("a call that takes no arguments has none", async () => {
    const { message } = await replay("messages_tool_args-zero_argument_tool_use_streaming")

    expect(message.content.at(-1)).toMatchObject({ type: "toolCall", arguments: {} })
    expect(message.content.at(-1)).not.toHaveProperty("argumentsError")
  })

  test("an answer that was cut off is whole as far as it goes", async () => {
    const { message } = await replay("reasoning_usage_matrix-streaming_max_tokens_truncation")

    expect(message).toMatchObject({ stopReason: "length", rawStopReason: "max_tokens" })
  })
})

function replay(part: string, isEnd = false): Promise<Replay> {
  const found = isEnd ? streams.find(({ name }) => name.endsWith(part)) : recording(part)
  if (!found) throw new Error(`No recording is named like ${part}`)
  return replayBytes([found.bytes])
}

function kindOf(block: AssistantMessage["content"][number]): string {
  return block.type === "opaque" ? block.kind : block.type
}

function isContainer(block: AssistantMessage["content"][number]): boolean {
  return kindOf(block) === "container"
}

/** What a naively read block must have become. */
function contentOf({ block, text, thinking, json, signature, citations }: NaiveBlock): unknown {
  switch (block.type) {
    case "text":
      return {
        type: "text",
        text,
        ...(citations.length > 0 && { textSignature: JSON.stringify({ citations }) }),
      }
    case "thinking":
      return { type: "thinking", thinking, ...(signature !== "" && { thinkingSignature: signature }) }
    case "redacted_thinking":
      return { type: "thinking", thinking: "", thinkingSignature: block.data, redacted: true }
    case "tool_use": {
      const { type: _, id, name, input, ...rest } = block
      return {
        type: "toolCall",
        id,
        name,
        arguments: json === "" ? input : JSON.parse(json),
        ...(Object.keys(rest).length > 0 && { thoughtSignature: JSON.stringify(rest) }),
      }
    }
    default:
      return {
        type: "opaque",
        kind: block.type,
        data: json === "" ? block : { ...block, input: JSON.parse(json) },
      }
  }
}

/** The counters that were stated last, and the summaries on top. */
function expectUsage({ usage }: AssistantMessage, stated: Record<string, unknown>): void {
  const iterations = (stated.iterations ?? []) as Record<string, number | string>[]
  const summaries = iterations.filter(({ type }) => type === "compaction")
  const counted = (field: string): number =>
    Number(stated[field] ?? 0) + summaries.reduce((sum, each) => sum + Number(each[field]), 0)
  expect({
    input: usage.input,
    output: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
  }).toEqual({
    input: counted("input_tokens"),
    output: counted("output_tokens"),
    cacheRead: counted("cache_read_input_tokens"),
    cacheWrite: counted("cache_creation_input_tokens"),
  })
}

function proseOf({ content }: AssistantMessage): string {
  return content
    .map((block) => (block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : ""))
    .join("")
}

/** The events without their snapshots, which a correct stream of deltas implies. */
function outline({ events, message }: Replay): string {
  return JSON.stringify([...events.map(without), message])
}

function without(event: AssistantMessageEvent): unknown {
  return { ...event, partial: undefined, message: undefined, error: undefined }
}

function inPiecesOf(size: number, bytes: Uint8Array): Uint8Array[] {
  const borders = Array.from({ length: Math.ceil(bytes.length / size) - 1 }, (_, index) => (index + 1) * size)
  return cutAt(borders, bytes)
}

function cutAt(borders: readonly number[], bytes: Uint8Array): Uint8Array[] {
  const sorted = [0, ...borders, bytes.length].toSorted((a, b) => a - b)
  return sorted.slice(1).map((border, index) => bytes.subarray(sorted[index], border))
}
