import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage, ToolCall } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cutAt, inPiecesOf } from "../pieces.ts"
import { HAS_RECORDINGS, RESPONSES, type Recording, WHERE } from "../recordings.ts"
import type { Replay } from "../replay.ts"
import { type NaiveBlock, readNaively } from "./naive-reader.ts"
import { replayBytes } from "./replay.ts"

const streams = RESPONSES.all()
/** One of them fails, which is told below. */
const answers = streams.filter(({ name }) => !name.includes("openai-error.1"))

describe.runIf(HAS_RECORDINGS)(WHERE, () => {
  test("there are some of every vendor", () => {
    expect(streams.length).toBeGreaterThanOrEqual(86)
    expect(new Set(streams.map(({ provider }) => provider)).size).toBe(8)
  })

  test.each(answers)("$name says what a naive reading of its lines says", async ({ provider, bytes }) => {
    const naive = readNaively(new TextDecoder().decode(bytes))

    const { events, message } = await replayBytes(provider, [bytes])

    assertWellFormed(events)
    expect(message.content.map(({ type }) => type)).toEqual(naive.blocks.map(({ type }) => type))
    for (const [index, block] of naive.blocks.entries())
      expectBlock(message.content[index]!, block, naive.status)
    expect(message.stopReason).toBe(expectedReason(naive.incompleteReason, naive.blocks))
    expect(message.rawStopReason).toBe(naive.incompleteReason ?? naive.status)
    expect(message.responseId).toBe(naive.id)
    expect(message.responseModel).toBe(naive.model)
    expectUsage(message, naive.usage)
  })

  test.each(streams)("$name gives the same events when its bytes are cut anywhere", async (each) => {
    const whole = await replay(each)

    for (const size of each.bytes.length < 6000 ? [1] : [61]) {
      expect(await replay(each, inPiecesOf(size, each.bytes))).toEqual(whole)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(each.bytes.length), { maxLength: 20 }), async (borders) => {
        expect(await replay(each, cutAt(borders, each.bytes))).toEqual(whole)
      }),
      { numRuns: 1 },
    )
  })

  test.each(answers)("$name is an error that keeps what came, wherever it breaks off", async (each) => {
    const end = startOfLastEvent(each.bytes)

    for (const cut of sample(end)) {
      const naive = readNaively(new TextDecoder().decode(each.bytes.subarray(0, cut)))
      const { message } = await replay(each, [each.bytes.subarray(0, cut)])
      if (message.stopReason !== "error" || message.failure?.code !== "protocol") {
        expect.fail(`cut at ${cut} of ${end}: ${message.stopReason}, ${message.failure?.code}`)
      }
      const expected = naive.blocks.map(({ type, says }) => (type === "toolCall" ? type : says))
      if (JSON.stringify(message.content.map(saysOf)) !== JSON.stringify(expected)) {
        expect.fail(`cut at ${cut} of ${end}: ${JSON.stringify(message.content.map(saysOf)).slice(0, 300)}`)
      }
    }
  })
})

describe.runIf(HAS_RECORDINGS)(`special ${WHERE}`, () => {
  test("keep the phase of each message, though output 1 is missing", async () => {
    const { message, events } = await replay(RESPONSES.one("openai-phase.1"))

    expect(message.content).toMatchObject([
      { type: "text", text: expect.stringMatching(/^Got it — .* with links\.$/) },
      { type: "text", text: expect.stringMatching(/^Here are a few \*\*AI headlines/) },
    ])
    expect(message.content.map((block) => signatureOf(block))).toEqual([
      { phase: "commentary" },
      { phase: "final_answer" },
    ])
    // The recording leaves most deltas out: what they lack comes as one.
    expect(events.filter((event) => event.type === "text_delta" && event.contentIndex === 0)).toHaveLength(3)
  })

  test("keep items apart that overlap (OpenRouter)", async () => {
    const { message, events } = await replay(RESPONSES.one("openai_responses_stream_against_openrouter"))

    expect(message.content).toEqual([
      { type: "text", text: "Yes, this streaming response is working perfectly." },
      { type: "thinking", thinking: "", thinkingSignature: expect.any(String) },
    ])
    expect(signatureOf(message.content[1]!)).toMatchObject({
      encrypted_content: "encrypted_content_REDACTED_1",
      format: "google-gemini-v1",
    })
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text_start",
      "text_delta",
      "thinking_start",
      "text_end",
      "thinking_end",
      "done",
    ])
    expect(message.usage).toMatchObject({ input: 17, output: 9, reasoning: 0, cost: { total: 3.55e-5 } })
  })

  test("read arguments that come whole only, behind readable reasoning (LM Studio)", async () => {
    const { message } = await replay(RESPONSES.one("lmstudio-tool-call.2"))

    expect(message.content).toMatchObject([
      { type: "thinking", thinking: expect.stringMatching(/^The user is asking for the weather/) },
      { type: "text" },
      { type: "toolCall", name: "weather", arguments: { location: "San Francisco" } },
    ])
    expect(signatureOf(message.content[0]!)).toMatchObject({ content: [{ type: "reasoning_text" }] })
    expect(message.stopReason).toBe("toolUse")
  })

  test("read text that comes whole only, behind a picture", async () => {
    const { message } = await replay(RESPONSES.one("openai-image-generation-tool.1"))

    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "opaque", "text"])
    expect(message.content[1]).toMatchObject({ kind: "image_generation_call", data: { status: "completed" } })
    expect(JSON.stringify(message.content[2])).toContain("text")
  })

  test("join the parts of a summary as paragraphs", async () => {
    const { message } = await replay(RESPONSES.one("openai_responses_thinking_part_iter"))
    const [thinking] = message.content

    expect(thinking).toMatchObject({ type: "thinking" })
    const item = signatureOf(thinking!) as { summary: { text: string }[]; encrypted_content: string }
    expect(item.summary).toHaveLength(4)
    expect(item.encrypted_content).toMatch(/^gAAAA/)
    expect(saysOf(thinking!).split("\n\n**")).toHaveLength(4)
    expect(message.usage).toMatchObject({ cacheRead: 0, reasoning: expect.any(Number) })
  })

  test("take a refusal for text with a plain stop", async () => {
    expect((await replay(RESPONSES.one("openai_gpt_4o_responses-async_stream.sse"))).message).toMatchObject({
      content: [{ type: "text", text: "I'm sorry, I can't assist with that." }],
      stopReason: "stop",
      rawStopReason: "completed",
    })
  })

  test("say that a call was cut off", async () => {
    const { message } = await replay(RESPONSES.one("incomplete_mid_tool_call"))

    expect(message).toMatchObject({ stopReason: "length", rawStopReason: "max_output_tokens" })
    expect(callsOf(message)).toMatchObject([
      { id: "call_REDACTED_1", name: "add", arguments: {}, argumentsError: expect.any(String) },
    ])
  })

  test.each([{ part: "incomplete_max_output_tokens" }, { part: "reasoning_budget_exhausted" }])(
    "keep the reasoning of an answer that got no further: $part",
    async ({ part }) => {
      expect((await replay(RESPONSES.one(part))).message).toMatchObject({
        content: [{ type: "thinking", thinking: "", thinkingSignature: expect.any(String) }],
        stopReason: "length",
      })
    },
  )

  test("are one failure, though it is reported twice", async () => {
    const { events, message } = await replay(RESPONSES.one("openai-error.1"))

    expect(events.filter(({ type }) => type === "error" || type === "done")).toHaveLength(1)
    expect(message).toMatchObject({
      content: [],
      stopReason: "error",
      rawStopReason: "failed",
      errorMessage: expect.stringMatching(/^You exceeded your current quota, please check your plan/),
      failure: { code: "quota", retryable: false },
      responseId: "resp_05500b38c2cd9bfc00691c7c9d222481a3b595421266dab424",
    })
  })

  test.each([
    { part: "openai-mcp-tool.1", kinds: ["mcp_list_tools", "mcp_call", "mcp_call"] },
    { part: "openai-mcp-tool-approval.3", kinds: ["mcp_list_tools", "mcp_approval_request"] },
    {
      part: "openai-shell-skills.1",
      kinds: ["shell_call", "shell_call_output", "shell_call", "shell_call_output"],
    },
    { part: "openai-apply-patch-tool-delete.1", kinds: ["apply_patch_call"] },
    { part: "openai-tool-search.1", kinds: ["tool_search_call", "tool_search_output"] },
    { part: "openai-client-tool-search.1", kinds: ["tool_search_call"] },
    { part: "openai-local-shell-tool.1", kinds: ["local_shell_call"] },
    { part: "openai-file-search-tool.2", kinds: ["file_search_call"] },
    { part: "programmatic-tool-calling.3", kinds: ["program_output"] },
    { part: "azure-code-interpreter-tool.1", kinds: ["code_interpreter_call"] },
    { part: "xai-web-search-tool.1", kinds: ["web_search_call"] },
  ])("keep what tools at the vendor did, whole: $part", async ({ part, kinds }) => {
    const naive = readNaively(new TextDecoder().decode(RESPONSES.one(part).bytes))

    const { message } = await replay(RESPONSES.one(part))

    const blocks = message.content.filter((block) => block.type === "opaque")
    expect(blocks.map(({ kind }) => kind)).toEqual(kinds)
    expect(blocks.map(({ data }) => data)).toEqual(
      naive.blocks.filter(({ type }) => type === "opaque").map(({ item }) => item),
    )
  })

  test("keep who called a function, and in which namespace", async () => {
    const [called] = callsOf((await replay(RESPONSES.one("programmatic-tool-calling.2"))).message)
    const [found] = callsOf((await replay(RESPONSES.one("openai-tool-search.1"))).message)

    expect(signatureOf(called!)).toMatchObject({ caller: { type: "program", caller_id: expect.any(String) } })
    expect(signatureOf(found!)).toEqual({ namespace: expect.any(String) })
  })

  test("keep citations with the text they are of", async () => {
    const { message } = await replay(RESPONSES.one("openai_include_raw_annotations_streaming-2"))
    const text = message.content.find(({ type }) => type === "text")!

    expect(signatureOf(text)).toMatchObject({
      annotations: [{ type: "url_citation", start_index: expect.any(Number), url: expect.any(String) }],
    })
  })

  test("count what was read from the cache, and what was written to it, once", async () => {
    const read = await replay(RESPONSES.one("openai-web-search-tool.1"))
    const written = await replay(RESPONSES.one("reused_tool_call_ids-stream--3.sse"))

    expect(read.message.usage).toMatchObject({
      input: 27_361,
      cacheRead: 3712,
      cacheWrite: 0,
      output: 4416,
      reasoning: 3712,
      totalTokens: 35_489,
    })
    expect(written.message.usage).toMatchObject({
      input: 115,
      cacheRead: 0,
      cacheWrite: 43,
      output: 32,
      reasoning: 10,
      totalTokens: 190,
    })
  })

  test("keep ids that a host counts from zero in every response (Bedrock)", async () => {
    const [first, second] = [
      await replay(RESPONSES.one("reused_tool_call_ids-stream--1.sse")),
      await replay(RESPONSES.one("reused_tool_call_ids-stream--2.sse")),
    ]

    expect(callsOf(first.message)).toMatchObject([{ id: "call_0", name: "first_tool" }])
    expect(callsOf(second.message)).toMatchObject([{ id: "call_1", name: "second_tool" }])
  })

  test("take xAI's word for what an answer costs", async () => {
    const { message } = await replay(RESPONSES.one("stream_raw_exposes_terminal_status"))

    expect(message.usage.cost.total).toBe(0.00028965)
    expect(message.usage).toMatchObject({ input: 7, cacheRead: 192, output: 97, reasoning: 96 })
  })
})

function replay({ provider, bytes }: Recording, pieces: Iterable<Uint8Array> = [bytes]): Promise<Replay> {
  return replayBytes(provider, pieces)
}

type Block = AssistantMessage["content"][number]

function saysOf(block: Block): string {
  if (block.type === "text") return block.text
  if (block.type === "thinking") return block.thinking
  return block.type === "toolCall" ? "toolCall" : ""
}

function expectBlock(block: Block, naive: NaiveBlock, status: string | undefined): void {
  switch (block.type) {
    case "text":
      expect(block.text).toBe(naive.says)
      return
    case "thinking":
      expect(block.thinking).toBe(naive.says)
      expect(signatureOf(block)).toEqual(naive.item)
      return
    case "toolCall":
      expect(block).toMatchObject({ id: naive.item.call_id, name: naive.item.name })
      if (status === "completed") expect(block.arguments).toEqual(JSON.parse(naive.says))
      expect(block.argumentsError !== undefined).toBe(status !== "completed")
      return
    case "opaque":
      expect(block).toEqual({ type: "opaque", kind: naive.item.type, data: naive.item })
  }
}

function signatureOf(block: Block): unknown {
  if (block.type === "text") return JSON.parse(block.textSignature ?? "null")
  if (block.type === "thinking") return JSON.parse(block.thinkingSignature ?? "null")
  return block.type === "toolCall" ? JSON.parse(block.thoughtSignature ?? "null") : undefined
}

function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content.filter((block) => block.type === "toolCall")
}

function expectedReason(incomplete: string | undefined, blocks: readonly NaiveBlock[]): string {
  if (incomplete === "max_output_tokens") return "length"
  return blocks.some(({ type }) => type === "toolCall") ? "toolUse" : "stop"
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
function expectUsage({ usage }: AssistantMessage, wire: any): void {
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage
  expect(input + output + cacheRead + cacheWrite).toBe(totalTokens)
  expect(totalTokens).toBe(wire?.total_tokens ?? 0)
  expect(cacheRead).toBe(wire?.input_tokens_details?.cached_tokens ?? 0)
  expect(output).toBe(wire?.output_tokens ?? 0)
  expect(usage.reasoning ?? 0).toBe(wire?.output_tokens_details?.reasoning_tokens ?? 0)
}

/** Everything before it lacks the end of the response. */
function startOfLastEvent(bytes: Uint8Array): number {
  const text = Buffer.from(bytes).toString("latin1")
  return text.lastIndexOf("data: {", text.search(/"type": ?"response\.(completed|incomplete)"/))
}

/** More cuts where a body is short. At most some 20, spread over all of it. */
function sample(end: number): number[] {
  const step = Math.max(97, Math.floor(end / Math.min(20, 2_000_000 / end)))
  return Array.from({ length: Math.ceil(end / step) }, (_, index) => index * step)
}
