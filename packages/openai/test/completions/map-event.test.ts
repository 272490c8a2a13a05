import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { replayChunks } from "./replay.ts"

/** A chunk with this delta. */
const say = (delta: object, fields: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason: null, ...fields }],
})
/** The last chunk with a choice. */
const finish = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] })
const call = (fragment: object) => say({ tool_calls: [fragment] })

async function contentOf(...chunks: readonly object[]): Promise<AssistantMessage["content"]> {
  const { events, message } = await replayChunks("openrouter", chunks)
  assertWellFormed(events)
  return message.content
}

describe("the chunk mapper", () => {
  describe("text and thinking", () => {
    test.each([
      { field: "reasoning_content", delta: { reasoning_content: "hm" } },
      { field: "reasoning", delta: { reasoning: "hm" } },
      { field: "both", delta: { reasoning: "hm", reasoning_content: "hm" } },
      {
        field: "details only",
        delta: { reasoning_details: [{ type: "reasoning.text", text: "hm", index: 0 }] },
      },
      {
        field: "a part",
        delta: { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] },
      },
      { field: "a part of plain text", delta: { content: [{ type: "thinking", thinking: "hm" }] } },
    ])("takes thinking from $field", async ({ delta }) => {
      expect(await contentOf(say(delta), finish("stop"))).toMatchObject([
        { type: "thinking", thinking: "hm" },
      ])
    })

    test("opens a new block whenever it switches between the two", async () => {
      const content = await contentOf(
        say({ reasoning: "a" }),
        say({ content: "b" }),
        say({ reasoning: "c" }),
        say({ content: "d" }),
        say({ content: "e" }),
        finish("stop"),
      )

      expect(content.map((block) => [block.type, "text" in block ? block.text : undefined])).toEqual([
        ["thinking", undefined],
        ["text", "b"],
        ["thinking", undefined],
        ["text", "de"],
      ])
    })

    test("puts thinking first when both share a delta", async () => {
      const content = await contentOf(say({ content: "b", reasoning: "a" }), finish("stop"))

      expect(content.map(({ type }) => type)).toEqual(["thinking", "text"])
    })

    test.each([
      { delta: { content: "" } },
      { delta: { content: null, refusal: null } },
      { delta: { role: "assistant", reasoning: "", reasoning_content: null } },
      { delta: { content: [], tool_calls: [], reasoning_details: [] } },
      {
        delta: {
          content: [{ type: "reference", reference_ids: [1] }],
          annotations: [{}],
          executed_tools: [{}],
        },
      },
    ])("opens no block for $delta", async ({ delta }) => {
      expect(await contentOf(say(delta), finish("stop"))).toEqual([])
    })

    test("goes on with the text after an empty list of calls", async () => {
      expect(
        await contentOf(
          say({ content: "a", tool_calls: [] }),
          say({ content: "b", tool_calls: [] }),
          finish("stop"),
        ),
      ).toEqual([{ type: "text", text: "ab" }])
    })

    test("takes text that shares a chunk with the finish reason", async () => {
      expect(await contentOf(say({ content: "all" }, { finish_reason: "stop" }))).toEqual([
        { type: "text", text: "all" },
      ])
    })

    test("reads the first choice only", async () => {
      const chunk = {
        choices: [
          { index: 1, delta: { content: "other" }, finish_reason: "length" },
          { index: 0, delta: { content: "this" }, finish_reason: "stop" },
        ],
      }

      expect(await contentOf(chunk)).toEqual([{ type: "text", text: "this" }])
    })

    test("does not read a message beside a chunk's delta, nor a choice's text", async () => {
      const chunk = { choices: [{ text: "x", delta: { content: "a" }, message: { content: "xa" } }] }

      expect(await contentOf(chunk, finish("stop"))).toEqual([{ type: "text", text: "a" }])
    })
  })

  describe("reasoning details", () => {
    const detail = (fields: object) => say({ reasoning_details: [fields] })

    test("that come after the answer get a block of their own behind it, and do not cut the text", async () => {
      const content = await contentOf(
        say({ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm", index: 0 }] }),
        say({ content: "a" }),
        detail({ type: "reasoning.text", signature: "late", index: 0 }),
        say({ content: "b" }),
        finish("stop"),
      )

      expect(content).toMatchObject([{ thinking: "hm" }, { text: "ab" }, { thinking: "" }])
      expect(content[2]).toHaveProperty(
        "thinkingSignature",
        JSON.stringify([{ type: "reasoning.text", signature: "late", index: 0 }]),
      )
    })

    test("that share a chunk with a call stand before it", async () => {
      const content = await contentOf(
        say({
          tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }],
          reasoning_details: [{ type: "reasoning.encrypted", data: "x", id: "a", index: 0 }],
        }),
        finish("tool_calls"),
      )

      expect(content.map(({ type }) => type)).toEqual(["thinking", "toolCall"])
    })

    test.each([
      {
        law: "keeps two types of one index apart",
        fragments: [
          { type: "reasoning.summary", index: 0, summary: "s" },
          { type: "reasoning.encrypted", index: 0, data: "x" },
        ],
        entries: [
          { type: "reasoning.summary", index: 0, summary: "s" },
          { type: "reasoning.encrypted", index: 0, data: "x" },
        ],
      },
      {
        law: "keeps two ids of one index apart",
        fragments: [
          { type: "reasoning.encrypted", index: 0, id: "a", data: "x" },
          { type: "reasoning.encrypted", index: 0, id: "b", data: "y" },
        ],
        entries: [
          { type: "reasoning.encrypted", index: 0, id: "a", data: "x" },
          { type: "reasoning.encrypted", index: 0, id: "b", data: "y" },
        ],
      },
      {
        law: "joins text without an index",
        fragments: [
          { type: "reasoning.text", text: "a" },
          { type: "reasoning.text", text: "b" },
          { type: "reasoning.text", signature: "s" },
        ],
        entries: [{ type: "reasoning.text", text: "ab", signature: "s" }],
      },
      {
        law: "keeps encrypted entries without an index apart",
        fragments: [
          { type: "reasoning.encrypted", data: "x" },
          { type: "reasoning.encrypted", data: "y" },
        ],
        entries: [
          { type: "reasoning.encrypted", data: "x" },
          { type: "reasoning.encrypted", data: "y" },
        ],
      },
      {
        law: "lets null overwrite nothing",
        fragments: [
          { type: "reasoning.text", index: 0, text: "a", format: "f", signature: "s" },
          { type: "reasoning.text", index: 0, text: "b", format: null, signature: null },
        ],
        entries: [{ type: "reasoning.text", index: 0, text: "ab", format: "f", signature: "s" }],
      },
    ])("$law", async ({ fragments, entries }) => {
      const [thinking] = await contentOf(...fragments.map(detail), finish("stop"))

      expect(thinking).toMatchObject({ type: "thinking", thinkingSignature: JSON.stringify(entries) })
    })
  })

  describe("tool calls", () => {
    const a = { id: "a", name: "f", arguments: { x: 1 } }
    const b = { id: "b", name: "g", arguments: { y: 2 } }

    test.each([
      {
        wire: "interleaved by index",
        chunks: [
          call({ index: 0, id: "a", function: { name: "f", arguments: '{"x"' } }),
          call({ index: 1, id: "b", function: { name: "g", arguments: '{"y"' } }),
          call({ index: 0, function: { arguments: ":1}" } }),
          call({ index: 1, function: { arguments: ":2}" } }),
        ],
        calls: [a, b],
      },
      {
        wire: "whole, without an index",
        chunks: [
          say({
            tool_calls: [
              { id: "a", function: { name: "f", arguments: '{"x":1}' } },
              { id: "b", function: { name: "g", arguments: '{"y":2}' } },
            ],
          }),
        ],
        calls: [a, b],
      },
      {
        wire: "in pieces, by id",
        chunks: [
          call({ id: "a", function: { name: "f", arguments: '{"x"' } }),
          call({ id: "b", function: { name: "g", arguments: '{"y"' } }),
          call({ id: "a", function: { arguments: ":1}" } }),
          call({ id: "b", function: { arguments: ":2}" } }),
        ],
        calls: [a, b],
      },
      {
        wire: "in pieces, with neither index nor id on the later ones",
        chunks: [
          call({ id: "a", function: { name: "f", arguments: '{"x"' } }),
          call({ function: { arguments: ":1}" } }),
          call({ id: "b", function: { name: "g" } }),
          call({ id: "", function: { arguments: '{"y":2}' } }),
        ],
        calls: [a, b],
      },
      {
        wire: "one index for every call (Gemini)",
        chunks: [
          call({ index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
          call({ index: 0, id: "b", function: { name: "g", arguments: '{"y":2}' } }),
        ],
        calls: [a, b],
      },
      {
        wire: "a fresh id with every fragment (vLLM)",
        chunks: [
          call({ index: 0, id: "a", function: { name: "f", arguments: '{"x"' } }),
          call({ index: 0, id: "a2", function: { arguments: ":1}" } }),
        ],
        calls: [a],
      },
      {
        wire: "name and id with every fragment",
        chunks: [
          call({ index: 0, id: "a", function: { name: "f", arguments: '{"x"' } }),
          call({ index: 0, id: "a", function: { name: "f", arguments: ":1}" } }),
        ],
        calls: [a],
      },
      {
        wire: "arguments before id and name",
        chunks: [
          call({ index: 0, function: { arguments: '{"x"' } }),
          call({ index: 0, id: "", function: { name: "f", arguments: ":1" } }),
          call({ index: 0, id: "a", function: { arguments: "}" } }),
        ],
        calls: [a],
      },
      {
        wire: "an id that never comes",
        chunks: [call({ index: 0, id: null, function: { name: "f", arguments: '{"x":1}' } })],
        calls: [{ ...a, id: "made-up-1" }],
      },
      {
        wire: "two calls with neither index nor id",
        chunks: [
          say({
            tool_calls: [
              { function: { name: "f", arguments: '{"x":1}' } },
              { function: { name: "f", arguments: '{"x":1}' } },
            ],
          }),
        ],
        calls: [
          { ...a, id: "made-up-1" },
          { ...a, id: "made-up-2" },
        ],
      },
      {
        wire: "arguments as an object",
        chunks: [call({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } })],
        calls: [a],
      },
      {
        wire: "no arguments at all",
        chunks: [call({ index: 0, id: "a", function: { name: "f" } })],
        calls: [{ ...a, arguments: {} }],
      },
      {
        wire: "null as arguments",
        chunks: [call({ index: 0, id: "a", function: { name: "f", arguments: null } })],
        calls: [{ ...a, arguments: {} }],
      },
      {
        wire: "the old function_call",
        chunks: [
          say({ function_call: { name: "f", arguments: '{"x"' } }),
          say({ function_call: { arguments: ":1}" } }),
        ],
        calls: [{ ...a, id: "made-up-1" }],
      },
      { wire: "an empty entry", chunks: [call({}), call({ function: {} })], calls: [] },
    ])("are read when they come as: $wire", async ({ chunks, calls }) => {
      expect(await contentOf(...chunks, finish("tool_calls"))).toEqual(
        calls.map((expected) => ({ type: "toolCall", ...expected })),
      )
    })

    test("close the text before them, and text behind them is a block of its own", async () => {
      const content = await contentOf(
        say({ content: "before" }),
        call({ index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
        say({ content: "behind" }),
        finish("tool_calls"),
      )

      expect(content).toEqual([
        { type: "text", text: "before" },
        { type: "toolCall", ...a },
        { type: "text", text: "behind" },
      ])
    })

    test("without arguments are complete when something follows them, although the answer is cut off", async () => {
      const [first, second] = await contentOf(
        call({ index: 0, id: "a", function: { name: "f", arguments: "" } }),
        call({ index: 1, id: "b", function: { name: "g", arguments: "" } }),
        finish("length"),
      )

      expect(first).toEqual({ type: "toolCall", id: "a", name: "f", arguments: {} })
      expect(second).toHaveProperty("argumentsError")
    })

    test("without arguments are complete when text follows them, although it is cut off", async () => {
      const [first] = await contentOf(
        call({ index: 0, id: "a", function: { name: "f", arguments: "" } }),
        say({ content: "And then" }),
        finish("length"),
      )

      expect(first).toEqual({ type: "toolCall", id: "a", name: "f", arguments: {} })
    })

    test("that are custom have their free text as the argument input, and a signature that says so", async () => {
      const custom = (fragment: object) => call({ index: 0, ...fragment })

      expect(
        await contentOf(
          custom({ id: "a", type: "custom", custom: { name: "sql", input: "" } }),
          custom({ custom: { input: 'select "' } }),
          custom({ custom: { input: "\ud83d" } }),
          custom({ custom: { input: '\ude00"\n' } }),
          finish("tool_calls"),
        ),
      ).toEqual([
        {
          type: "toolCall",
          id: "a",
          name: "sql",
          arguments: { input: 'select "\u{1f600}"\n' },
          thoughtSignature: '{"type":"custom"}',
        },
      ])
    })

    test("that are custom and cut off say so", async () => {
      const [cut] = await contentOf(
        call({ index: 0, id: "a", type: "custom", custom: { name: "sql", input: "sel" } }),
        finish("length"),
      )

      expect(cut).toMatchObject({ arguments: { input: "sel" }, argumentsError: expect.any(String) })
    })

    test("whose JSON is broken say so, whatever the finish reason", async () => {
      const [broken] = await contentOf(
        call({ index: 0, id: "a", function: { name: "f", arguments: '{"x":' } }),
        finish("tool_calls"),
      )

      expect(broken).toHaveProperty("argumentsError")
    })
  })

  describe("identity and usage", () => {
    test("an empty id or model never overwrites", async () => {
      const { message } = await replayChunks("azure", [
        { id: "", model: "", choices: [] },
        { id: "r1", model: "gpt", choices: [] },
        { id: "", model: null, choices: [] },
        finish("stop"),
      ])

      expect(message).toMatchObject({ responseId: "r1", responseModel: "gpt" })
    })

    test("the last usage counts, and usage behind the finish reason as well", async () => {
      const { message } = await replayChunks("openai", [
        { ...finish("stop"), usage: { prompt_tokens: 5, completion_tokens: 1 } },
        { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
        { choices: [], usage: null },
      ])

      expect(message.usage).toMatchObject({ input: 7, output: 2, totalTokens: 9 })
    })

    test.each([
      {
        place: "the choice",
        chunk: { choices: [{ index: 0, usage: { prompt_tokens: 7, completion_tokens: 2 } }] },
      },
      {
        place: "x_groq",
        chunk: { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } } },
      },
      {
        place: "two places",
        chunk: {
          choices: [],
          usage: { prompt_tokens: 7, completion_tokens: 2 },
          x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } },
        },
      },
    ])("usage in $place is counted once", async ({ chunk }) => {
      const { message } = await replayChunks("groq", [finish("stop"), chunk])

      expect(message.usage).toMatchObject({ input: 7, output: 2 })
    })

    test("usage seen before an error stays on the message", async () => {
      const { message } = await replayChunks("openai", [
        { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
        { error: { message: "gone", type: "server_error" } },
      ])

      expect(message).toMatchObject({ stopReason: "error", usage: { input: 7, output: 2 } })
    })
  })

  describe("the end", () => {
    test("without a finish reason is a protocol failure that keeps the content", async () => {
      const { message } = await replayChunks("openai", [say({ content: "half" })])

      expect(message).toMatchObject({
        content: [{ type: "text", text: "half" }],
        stopReason: "error",
        failure: { code: "protocol", retryable: true },
        errorMessage: expect.stringContaining("finish_reason"),
      })
    })

    test("with a stop and a call is a tool use", async () => {
      const { message } = await replayChunks("openai", [
        call({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
        finish("stop"),
      ])

      expect(message).toMatchObject({ stopReason: "toolUse", rawStopReason: "stop" })
    })

    test("that was said twice is said once", async () => {
      const { events } = await replayChunks("openrouter", [
        finish("stop"),
        { ...finish("stop"), usage: { prompt_tokens: 1, completion_tokens: 1 } },
      ])

      expect(events.filter(({ type }) => type === "done")).toHaveLength(1)
    })

    test("by the content filter is a failure that names the vendor's word", async () => {
      const { message } = await replayChunks("azure", [say({ content: "I" }), finish("content_filter")])

      expect(message).toMatchObject({
        content: [{ type: "text", text: "I" }],
        rawStopReason: "content_filter",
        failure: { code: "content_filter", retryable: false },
        errorMessage: expect.stringContaining("content_filter"),
      })
    })
  })

  describe("an error in the stream", () => {
    test.each([
      {
        vendor: "OpenAI",
        chunk: { error: { message: "You exceeded your quota", code: "insufficient_quota" } },
        expected: { code: "quota", says: "You exceeded your quota" },
      },
      {
        vendor: "OpenRouter",
        chunk: {
          id: "gen-1",
          choices: [{ index: 0, delta: { content: " last" }, finish_reason: "error" }],
          error: { code: 502, message: "Provider disconnected" },
        },
        expected: { code: "server", says: "Provider disconnected" },
      },
      {
        vendor: "xAI",
        chunk: { code: "internal", error: "Something broke" },
        expected: { code: "server", says: "Something broke" },
      },
      {
        vendor: "vLLM",
        chunk: { object: "error", message: "Out of memory", type: "InternalServerError", code: 500 },
        expected: { code: "server", says: "Out of memory" },
      },
    ])("from $vendor keeps the text so far", async ({ chunk, expected }) => {
      const { events, message } = await replayChunks("openrouter", [say({ content: "so far" }), chunk])

      assertWellFormed(events)
      expect(message).toMatchObject({
        stopReason: "error",
        failure: { code: expected.code },
        errorMessage: expected.says,
      })
      expect(message.content[0]).toMatchObject({ text: expect.stringMatching(/^so far/) })
    })

    test("may be known by the name of its event alone", async () => {
      const { message } = await replayChunks(
        "openrouter",
        [say({ content: "so far" }), { message: "No room left", code: 503 }],
        [undefined, "error"],
      )

      expect(message).toMatchObject({
        content: [{ text: "so far" }],
        errorMessage: "No room left",
        failure: { code: "overloaded" },
      })
    })

    test("before anything else leaves a lone error event, so that the request can be tried again", async () => {
      const { events } = await replayChunks("openrouter", [
        {
          id: "gen-1",
          model: "m",
          choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "error" }],
          error: { message: "busy", code: 503 },
        },
      ])

      expect(events.map(({ type }) => type)).toEqual(["error"])
    })
  })

  test("throws at nothing that JSON can be, and its events keep the grammar", async () => {
    const junk = fc.jsonValue({ maxDepth: 3 })
    const delta = fc.record(
      {
        content: junk,
        reasoning: junk,
        reasoning_content: junk,
        reasoning_details: fc.oneof(junk, fc.array(junk)),
        refusal: junk,
        tool_calls: fc.oneof(
          junk,
          fc.array(fc.record({ index: junk, id: junk, function: junk }, { requiredKeys: [] })),
        ),
      },
      { requiredKeys: [] },
    )
    const choice = fc.record(
      { index: junk, delta: fc.oneof(junk, delta), finish_reason: junk },
      { requiredKeys: [] },
    )
    const chunk = fc.record(
      { id: junk, model: junk, choices: fc.oneof(junk, fc.array(fc.oneof(junk, choice))), usage: junk },
      { requiredKeys: [] },
    )

    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(junk, chunk)), async (chunks) => {
        const { events, message } = await replayChunks("deepseek", [...chunks, finish("stop")])
        assertWellFormed(events)
        expect(["stop", "toolUse", "length", "error"]).toContain(message.stopReason)
      }),
      { numRuns: 200 },
    )
  })
})
