import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { eventsOf, readNaively } from "./naive-reader.ts"
import { HAS_RECORDINGS, recording, recordings, WHERE } from "./recordings.ts"
import { type Replay, replayBytes } from "./replay.ts"

const REASONS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  max_tokens: "length",
  tool_use: "toolUse",
}

const streams = recordings()

describe.runIf(HAS_RECORDINGS)(WHERE, () => {
  test("are all there", () => {
    expect(streams.length).toBeGreaterThanOrEqual(25)
  })

  test.each(streams)("$name says what a naive reading of its frames says", async ({ bytes }) => {
    const naive = readNaively(bytes)

    const { events, message } = await replayBytes([bytes])

    assertWellFormed(events)
    expect(textOf(message)).toBe(naive.text)
    expect(thinkingOf(message)).toBe(naive.thinking)
    expect(signaturesOf(message)).toEqual(naive.signatures)
    expect(callsOf(message)).toEqual(
      naive.calls.map(({ id, name, input }) => ({
        type: "toolCall",
        id,
        name,
        arguments: JSON.parse(input || "{}"),
      })),
    )
    expect(message).toMatchObject({
      stopReason: REASONS[naive.stop ?? ""],
      rawStopReason: naive.stop,
      responseId: "request-1",
    })
    expect(message.usage.totalTokens).toBe(naive.usage?.totalTokens ?? 0)
    expect(message.usage.input).toBe(naive.usage?.inputTokens ?? 0)
  })

  test.each(streams)("$name gives the same events when its bytes are cut anywhere", async ({ bytes }) => {
    const whole = outline(await replayBytes([bytes]))

    for (const size of bytes.length < 2000 ? [1, 7, 64] : [7, 64]) {
      expect(outline(await replayBytes(inPiecesOf(size, bytes)))).toEqual(whole)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (borders) => {
        expect(outline(await replayBytes(cutAt(borders, bytes)))).toEqual(whole)
      }),
      { numRuns: 3 },
    )
  })

  test.each(streams)(
    "$name is an error that keeps what came before, wherever it breaks off before its stop",
    async ({ bytes }) => {
      const stop = eventsOf(bytes).find(({ type }) => type === "messageStop")!.end
      const step = Math.max(1, Math.floor((stop * stop) / 4_000_000))

      for (let cut = 0; cut < stop; cut += step) {
        const part = bytes.subarray(0, cut)
        const naive = readNaively(part)
        const { message } = await replayBytes([part])
        if (message.stopReason !== "error" || message.failure?.code !== "protocol") {
          expect.fail(`cut at ${cut} of ${stop}: ${message.stopReason}, ${message.failure?.code}`)
        }
        if (textOf(message) !== naive.text || thinkingOf(message) !== naive.thinking) {
          expect.fail(`cut at ${cut} of ${stop}: text or thinking differ`)
        }
        expect(callsOf(message).map(({ id }) => id)).toEqual(naive.calls.map(({ id }) => id))
      }
      const complete = await replayBytes([bytes.subarray(0, stop)])
      const whole = await replayBytes([bytes])
      expect(complete.message.stopReason).toBe(whole.message.stopReason)
      expect(complete.message.content).toEqual(whole.message.content)
    },
  )
})

describe.runIf(HAS_RECORDINGS)(`special ${WHERE}`, () => {
  test("a start event without a start opens nothing, and a call without input has no arguments", async () => {
    const { message, events } = await replay("amazon-bedrock-tool-no-args")

    expect(message.content).toEqual([
      { type: "text", text: "I'll update the issue list for you." },
      { type: "toolCall", id: "tool-use-id", name: "updateIssueList", arguments: {} },
    ])
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_end",
      "toolcall_start",
      "toolcall_end",
      "done",
    ])
    expect(message.usage).toMatchObject({ input: 100, output: 25 })
  })

  test("thinking that is encrypted keeps its payload and has no text", async () => {
    const { message } = await replay("thinking_part_redacted_stream")

    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "", redacted: true },
      { type: "thinking", thinking: "", redacted: true },
      { type: "text", text: expect.stringMatching(/\w/) },
    ])
    expect(signaturesOf(message)[0]).toMatch(/^RXRrRUNrZ0lCeEFCR0FJcVFKVGZxUy9QWXVB/)
    expect(message.usage).toMatchObject({ input: 92, output: 253 })
  })

  test("a signature that comes behind the reasoning belongs to it", async () => {
    const { message } = await replay("bedrock_model_thinking_part_stream")

    expect(message.content[0]).toMatchObject({
      type: "thinking",
      thinking: expect.stringMatching(/^The user has greeted me with a simple "Hello"\./),
      thinkingSignature: expect.stringMatching(/^Eu0CCkgIBxABGAIqQJDccbDQ/),
    })
    expect(message.content[0]).not.toHaveProperty("redacted")
    expect(message.content).toHaveLength(2)
  })

  test("a citation before its text opens the text, and is kept with it", async () => {
    const found = recording("streams_citations")
    const { message, events } = await replayBytes([found.bytes])

    expect(message.content).toHaveLength(1)
    const [block] = message.content
    expect(block).toMatchObject({ type: "text", text: "Ruby was created by Yukihiro Matsumoto in 1993." })
    const signature = (block as { textSignature: string }).textSignature
    expect(JSON.parse(signature)).toEqual({ citations: readNaively(found.bytes).citations })
    expect(events.at(-2)).toMatchObject({ type: "text_end", signature })
  })

  test.each([
    { part: "json-other-tool.1", total: 871 },
    { part: "json-tool.1", total: 0 },
    { part: "bedrock_model_iter_stream-1", total: 562 },
  ])("usage counts wherever it stands, or is missing: $part", async ({ part, total }) => {
    expect((await replay(part)).message).toMatchObject({
      stopReason: "toolUse",
      usage: { totalTokens: total },
    })
  })

  test("a message without a start event starts with its first block", async () => {
    const { events } = await replay("amazon-bedrock-json-tool.1")

    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "toolcall_start",
      "toolcall_delta",
      "toolcall_end",
      "done",
    ])
  })

  test("thinking that a model writes into its text stays there (Nova)", async () => {
    const { message } = await replay("bedrock_model_iter_stream-1")

    expect(message.content[0]).toMatchObject({ type: "text", text: expect.stringMatching(/^<thinking>/) })
    expect(message.content[1]).toMatchObject({
      type: "toolCall",
      id: "tooluse_lAG_zP8QRHmSYOwZzzaCqA",
      name: "get_temperature",
      arguments: { city: "Paris" },
    })
  })

  test("parallel calls keep apart, and blocks that never stop end with the message", async () => {
    const { message } = await replay("json-with-tools.1")

    expect(message.content).toMatchObject([
      { type: "text", text: "Multiple tools." },
      { type: "toolCall", id: "tool-1", name: "tool-a", arguments: { a: "1" } },
      { type: "toolCall", id: "tool-2", name: "tool-b" },
      { type: "text" },
      { type: "toolCall", id: "json-tool-id", name: "json" },
    ])
    expect(callsOf(message).every((call) => call.argumentsError === undefined)).toBe(true)
  })

  test("an answer that is cut off at its limit says so", async () => {
    const { message } = await replay("converse_stream_with_content")

    expect(message).toMatchObject({
      stopReason: "length",
      rawStopReason: "max_tokens",
      content: [{ type: "text", text: "I am here and ready to assist" }],
      usage: { input: 8, output: 10, totalTokens: 18, cost: { total: expect.closeTo(28e-6, 12) } },
    })
  })
})

function replay(part: string): Promise<Replay> {
  return replayBytes([recording(part).bytes])
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("")
}

function thinkingOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "thinking" ? block.thinking : "")).join("")
}

function signaturesOf({ content }: AssistantMessage): string[] {
  return content.flatMap((block) => (block.type === "thinking" ? (block.thinkingSignature ?? []) : []))
}

function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content.filter((block) => block.type === "toolCall")
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
  const sorted = [0, ...borders, bytes.length].toSorted((one, other) => one - other)
  return sorted.slice(1).map((border, index) => bytes.subarray(sorted[index], border))
}
