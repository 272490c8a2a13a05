import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage, AssistantMessageEvent, OpaqueContent, ToolCall } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type NaiveReading, readNaively } from "./naive-reader.ts"
import { HAS_RECORDINGS, recording, recordings, WHERE } from "./recordings.ts"
import { type Replay, replayBytes } from "./replay.ts"

const REASONS: Readonly<Record<string, string>> = { STOP: "stop", MAX_TOKENS: "length" }

const streams = recordings()

describe.runIf(HAS_RECORDINGS)(WHERE, () => {
  test("there are some of both hosts", () => {
    expect(streams.filter(({ name }) => name.startsWith("google")).length).toBeGreaterThanOrEqual(38)
    expect(streams.filter(({ name }) => name.startsWith("vertex")).length).toBeGreaterThanOrEqual(18)
  })

  test.each(streams)("$name says what a naive reading of its lines says", async ({ bytes }) => {
    const naive = readNaively(new TextDecoder().decode(bytes))

    const { events, message } = await replayBytes(bytes)

    assertWellFormed(events)
    expect(textOf(message)).toBe(naive.text)
    expect(thinkingOf(message)).toBe(naive.thinking)
    expect(callsOf(message).map(({ name, arguments: args }) => ({ name, args }))).toEqual(
      naive.calls.map(({ name, args }) => ({ name, args })),
    )
    expect(callsOf(message).map(({ id }) => (id.startsWith("local_") ? undefined : id))).toEqual(
      naive.calls.map(({ id }) => id),
    )
    expect(callsOf(message).filter(({ argumentsError }) => argumentsError !== undefined)).toEqual([])
    expect(opaqueOf(message).flatMap(({ kind }) => (/Metadata$/.test(kind) ? [] : kind))).toEqual(naive.kinds)
    expect(signaturesOf(message)).toEqual(naive.signatures)
    expect(message.responseId).toBe(naive.id)
    expect(message.rawStopReason).toBe(naive.blocked ?? naive.finish)
    expect(message.stopReason).toBe(expectedReason(naive))
    expectUsage(message, naive)
  })

  test.each(streams)("$name gives the same events when its bytes are cut anywhere", async ({ bytes }) => {
    const whole = outline(await replayBytes(bytes))

    for (const size of bytes.length < 1500 ? [1, 7, 64] : [64]) {
      expect(outline(await replayBytes(...inPiecesOf(size, bytes)))).toBe(whole)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (borders) => {
        expect(outline(await replayBytes(...cutAt(borders, bytes)))).toBe(whole)
      }),
      { numRuns: 2 },
    )
  })

  test.each(streams.filter(({ bytes }) => endOfFinish(bytes) > 0))(
    "$name is an error that keeps what came before, wherever it breaks off before its last word",
    async ({ bytes }) => {
      const end = endOfFinish(bytes)
      const step = end < 400 ? 1 : Math.ceil(end / 80)

      for (let cut = 0; cut < end; cut += step) {
        const naive = readNaively(new TextDecoder().decode(bytes.subarray(0, cut)))
        const { message, events } = await replayBytes(bytes.subarray(0, cut))
        if (message.stopReason !== "error" || message.failure?.code !== "protocol") {
          expect.fail(`cut at ${cut} of ${end}: ${message.stopReason}, ${message.failure?.code}`)
        }
        if (textOf(message) !== naive.text || thinkingOf(message) !== naive.thinking) {
          expect.fail(`cut at ${cut} of ${end}: text or thinking differ`)
        }
        if (callsOf(message).length !== naive.calls.length) expect.fail(`cut at ${cut}: calls differ`)
        if (cut % (step * 10) === 0) assertWellFormed(events)
      }
      const complete = await replayBytes(bytes.subarray(0, end))
      expect(complete.message.stopReason).not.toBe("aborted")
      expect(complete.message.failure?.code).not.toBe("protocol")
    },
  )
})

describe.runIf(HAS_RECORDINGS)(`special ${WHERE}`, () => {
  test("a body that ends after one line break is read to its end", async () => {
    expect((await replay("streaming-success-finish-message")).message).toMatchObject({
      content: [{ type: "text", text: expect.stringMatching(/^.{12}$/) }],
      stopReason: "stop",
    })
  })

  test("a body that ends after one line break and without a finish reason keeps all of its text", async () => {
    const { message } = await replay("streaming-success-quotes-escaped")

    expect(textOf(message)).toHaveLength(273)
    expect(message).toMatchObject({ stopReason: "error", failure: { code: "protocol", retryable: true } })
  })

  test.each([
    { part: "streaming-failure-prompt-blocked-safety-with-message", says: "Reasons" },
    {
      part: "streaming-failure-prompt-blocked-safety.",
      says: "The vendor blocked the prompt (blockReason: SAFETY).",
    },
  ])("a blocked prompt is told in the vendor's words: $part", async ({ part, says }) => {
    expect((await replay(part)).message).toMatchObject({
      content: [],
      stopReason: "error",
      rawStopReason: "SAFETY",
      errorMessage: says,
      failure: { code: "content_filter", retryable: false },
    })
  })

  test.each([{ part: "streaming-failure-invalid-json" }, { part: "streaming-failure-malformed-content" }])(
    "JSON of another shape breaks the protocol: $part",
    async ({ part }) => {
      expect((await replay(part)).message).toMatchObject({
        content: [],
        stopReason: "error",
        failure: { code: "protocol", retryable: true },
      })
    },
  )

  test("a signature on an empty part belongs to the text before it", async () => {
    const { message, events } = await replay("google-reasoning-gemini3")

    expect(message.content).toMatchObject([
      { type: "text", textSignature: expect.stringMatching(/^.{1392}$/) },
    ])
    expect(textOf(message)).toHaveLength(55)
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_delta",
      "text_end",
      "done",
    ])
    expect(events.at(-2)).toHaveProperty("signature", expect.any(String))
  })

  test("thinking, then text, whose signature comes last on an empty part", async () => {
    const { message } = await replay("gemini_gemini-3-flash-preview_streams_thinking")

    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text"])
    expect(message.content[0]).not.toHaveProperty("thinkingSignature")
    expect(message.content[1]).toHaveProperty("textSignature", expect.stringMatching(/^.{5700}$/))
    expect(message.usage).toMatchObject({ input: 44, output: 1510, reasoning: 902, totalTokens: 1554 })
  })

  test("a signature on a part with text closes it, so that the next part cannot inherit it", async () => {
    const { message } = await replay("google_model_thinking_part_iter")

    const texts = message.content.filter(({ type }) => type === "text")
    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text", "text"])
    expect(texts[0]).toHaveProperty("textSignature")
    expect(texts[1]).not.toHaveProperty("textSignature")
  })

  test("of parallel calls only the first is signed, and both get ids", async () => {
    const [first, second] = callsOf((await replay("google_gemini_2_5_flash-stream-1-2")).message)

    expect(first).toMatchObject({ id: "local_1", arguments: { password: "mellon" } })
    expect(first!.thoughtSignature).toHaveLength(484)
    expect(second).toMatchObject({ id: "local_2", arguments: { password: "radiance" } })
    expect(second).not.toHaveProperty("thoughtSignature")
  })

  test("calls that the host has given ids keep them", async () => {
    expect(
      callsOf((await replay("streaming_reasoning_with_multiple_tool_calls")).message).map(({ id }) => id),
    ).toEqual(["dv8szvqe", "j80tal12"])
  })

  test("streamed arguments become one delta per call, and the signature stays on its call", async () => {
    const { message, events } = await replay("google-stream-tool-call-arguments")

    expect(message.stopReason).toBe("toolUse")
    expect(callsOf(message)).toEqual([
      {
        type: "toolCall",
        id: "local_1",
        name: "getWeather",
        arguments: { location: "Boston" },
        thoughtSignature: expect.stringMatching(/^.{1032}$/),
      },
      { type: "toolCall", id: "local_2", name: "getWeather", arguments: { location: "San Francisco" } },
    ])
    expect(events.flatMap((event) => (event.type === "toolcall_delta" ? event.delta : []))).toEqual([
      '{"location":"Boston"}',
      '{"location":"San Francisco"}',
    ])
    expect(message.usage).toMatchObject({ input: 26, output: 155, reasoning: 132, totalTokens: 181 })
  })

  test("streamed arguments without a last empty part are complete", async () => {
    expect(callsOf((await replay("array-arguments-missing-terminal-function-call")).message)).toMatchObject([
      {
        name: "writeItems",
        arguments: {
          operations: [
            { action: "add", description: "Fresh red apple", itemid: "apple_001", price: 0.5 },
            { action: "add", description: "Ripe yellow banana", itemid: "banana_001", price: 0.3 },
          ],
        },
      },
    ])
  })

  test("content goes on after a finish reason", async () => {
    const { message } = await replay("two_terminal_stream_with_visible_thoughts")

    expect(message.content.map((block) => (block.type === "opaque" ? block.kind : block.type))).toEqual([
      "thinking",
      "text",
      "executableCode",
      "codeExecutionResult",
      "text",
      "executableCode",
      "codeExecutionResult",
      "text",
    ])
    expect(message.stopReason).toBe("stop")
    expect((await replay("streaming-success-utf8")).message.content).toHaveLength(1)
  })

  test("a finish reason that blocks is kept, and so is the text before it", async () => {
    const { message } = await replay(
      "vertex-generatecontent/firebase--streaming-failure-recitation-no-content",
    )

    expect(textOf(message)).toHaveLength(47)
    expect(message).toMatchObject({
      stopReason: "error",
      rawStopReason: "RECITATION",
      failure: { code: "content_filter", retryable: false },
      errorMessage: "The vendor's filter stopped the answer (finishReason: RECITATION).",
    })
  })

  test("code that the vendor ran stands in its place, verbatim", async () => {
    const { message } = await replay("google-generatecontent/firebase--streaming-success-code-execution")

    expect(opaqueOf(message)).toMatchObject([
      { kind: "executableCode", data: { executableCode: { language: "PYTHON" } } },
      {
        kind: "codeExecutionResult",
        data: {
          codeExecutionResult: {
            outcome: "OUTCOME_OK",
            output: "The sum of the first 5 prime numbers is: 28\n",
          },
        },
      },
    ])
    expect(message.usage).toMatchObject({ input: 264, output: 221, reasoning: 95, totalTokens: 485 })
  })

  test("a content without parts is passed over, and a picture is a block of its own", async () => {
    const { message } = await replay("streaming-success-empty-parts")

    expect(message.content.map(({ type }) => type)).toEqual(["text", "opaque"])
    expect(opaqueOf(message)[0]).toMatchObject({
      kind: "inlineData",
      data: { inlineData: { mimeType: "image/png" } },
    })
  })

  test("a server's tools keep their signatures, and what the text rests on comes last", async () => {
    const { message } = await replay("google_model_file_search_grounding_gemini_3")

    expect(message.content.map((block) => (block.type === "opaque" ? block.kind : block.type))).toEqual([
      "toolCall",
      "toolResponse",
      "text",
      "groundingMetadata",
    ])
    expect(opaqueOf(message)[0]!.data).toEqual({
      toolCall: { toolType: "FILE_SEARCH", id: "tju3qkc9" },
      thoughtSignature: expect.stringMatching(/^.{3108}$/),
    })
    expect(message.content[2]).toHaveProperty("textSignature", expect.stringMatching(/^.{268}$/))
  })

  test("metadata is collected over the chunks, and empty ones say nothing", async () => {
    expect(opaqueOf((await replay("streaming-success-url-context")).message)).toEqual([
      {
        type: "opaque",
        kind: "urlContextMetadata",
        data: {
          urlMetadata: [
            { retrievedUrl: "https://google.com", urlRetrievalStatus: "URL_RETRIEVAL_STATUS_SUCCESS" },
          ],
        },
      },
      {
        type: "opaque",
        kind: "groundingMetadata",
        data: { groundingChunks: expect.any(Array), groundingSupports: expect.any(Array) },
      },
    ])
  })

  test("cached tokens are not counted twice", async () => {
    expect((await replay("prompt_caching-streaming_probe-1")).message.usage).toMatchObject({
      input: 847,
      cacheRead: 3765,
      cost: { cacheRead: expect.closeTo((3765 * 0.5) / 1e6, 12) },
    })
  })
})

function replay(part: string): Promise<Replay> {
  return replayBytes(recording(part).bytes)
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

function opaqueOf({ content }: AssistantMessage): OpaqueContent[] {
  return content.filter((block) => block.type === "opaque")
}

function signaturesOf({ content }: AssistantMessage): string[] {
  return content.flatMap((block): string[] => {
    const signature =
      block.type === "text"
        ? block.textSignature
        : block.type === "thinking"
          ? block.thinkingSignature
          : block.type === "toolCall"
            ? block.thoughtSignature
            : (block.data as { thoughtSignature?: string }).thoughtSignature
    return signature === undefined ? [] : [signature]
  })
}

function expectedReason({ finish, calls, blocked }: NaiveReading): string {
  const reason = blocked === undefined ? REASONS[finish ?? ""] : "error"
  return reason === "stop" && calls.length > 0 ? "toolUse" : (reason ?? "error")
}

/** Every body that states a total states the sum of our four counters. */
function expectUsage({ usage }: AssistantMessage, naive: NaiveReading): void {
  if (naive.usage?.totalTokenCount === undefined) {
    expect(usage).toMatchObject({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 })
    return
  }
  const { promptTokenCount: prompt = 0, cachedContentTokenCount: cached = 0 } = naive.usage
  const { toolUsePromptTokenCount: toolUse = 0 } = naive.usage
  expect(usage.totalTokens).toBe(naive.usage.totalTokenCount)
  expect(usage.input).toBe(prompt - cached + toolUse)
  expect(usage.cacheRead).toBe(cached)
  expect(usage.reasoning).toBe(naive.usage.thoughtsTokenCount)
}

/** The events without their snapshots, which a correct stream of deltas implies. */
function outline({ events, message }: Replay): string {
  return JSON.stringify([...events.map(without), message], undefined, 1)
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

/** @returns how many bytes it takes until the model has said why it stopped; 0 where it never does. */
function endOfFinish(bytes: Uint8Array): number {
  const body = new TextDecoder().decode(bytes)
  let end = 0
  for (const line of body.split("\n")) {
    if (/"(finish|block)Reason": ?"/.test(line))
      return new TextEncoder().encode(body.slice(0, end) + line.trimEnd()).length
    end += line.length + 1
  }
  return 0
}
