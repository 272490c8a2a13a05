import type { AssistantMessage, Message, SimpleStreamOptions, Tool, ToolResultMessage } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { BEGAN_EARLIER, IMAGES_OF_TOOLS, NO_OUTPUT } from "../src/to-messages.ts"
import { type Asking, bodyOf, exchange, user } from "./ask.ts"
import { violationsOf } from "./request-rules.ts"

const EPHEMERAL = { cache_control: { type: "ephemeral" } }
const IMAGE = { type: "image", data: "aW1n", mimeType: "image/png" } as const
const WIRE_IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "aW1n" } }

const read: Tool = {
  name: "read",
  description: "Reads a file",
  parameters: Type.Object({ path: Type.String() }),
}

/** By the model that is asked, unless told otherwise. */
function assistant(
  content: AssistantMessage["content"],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-test",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop",
    timestamp: 0,
    ...fields,
  }
}

function toolCall(id: string, fields: object = {}) {
  return { type: "toolCall", id, name: "read", arguments: { path: "a" }, ...fields } as const
}

function result(toolCallId: string, fields: Partial<ToolResultMessage> = {}): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content: [{ type: "text", text: "done" }],
    isError: false,
    timestamp: 0,
    ...fields,
  }
}

/** The messages as they arrived, without marks. */
async function wireMessages(messages: readonly Message[], asking: Asking = {}) {
  const options = { cacheRetention: "none", ...asking.options } as const
  const body = await bodyOf({ ...asking, messages, options })
  expect(violationsOf(body)).toEqual([])
  return body.messages
}

describe("a request", () => {
  test("says what is asked and nothing that is not needed", async () => {
    const { body, url } = await exchange({ options: { cacheRetention: "none" }, model: { reasoning: false } })

    expect(url).toBe("/v1/messages")
    expect(body).toEqual({
      model: "claude-test",
      max_tokens: 8192,
      messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      stream: true,
    })
  })

  test("carries the system prompt, and none that is blank", async () => {
    expect((await bodyOf({ context: { systemPrompt: "Be brief." } })).system).toEqual([
      { type: "text", text: "Be brief.", ...EPHEMERAL },
    ])
    expect(await bodyOf({ context: { systemPrompt: " \n" } })).not.toHaveProperty("system")
  })

  test.each([
    { asked: undefined, maxTokens: 1000, contextWindow: 50_000, sent: 1000 },
    { asked: 500, maxTokens: 1000, contextWindow: 50_000, sent: 500 },
    { asked: 5000, maxTokens: 1000, contextWindow: 50_000, sent: 1000 },
    { asked: undefined, maxTokens: 60_000, contextWindow: 50_000, sent: 49_999 },
    { asked: undefined, maxTokens: 0, contextWindow: 0, sent: 4096 },
  ])("asks for $sent tokens where $asked are asked of $maxTokens", async ({ asked, sent, ...model }) => {
    expect((await bodyOf({ model, options: { maxTokens: asked } })).max_tokens).toBe(sent)
  })

  test.each([
    { what: "is passed on", id: "claude-sonnet-4-20250514", reasoning: undefined, sent: 0.5 },
    { what: "is left out while thinking", id: "claude-sonnet-4-20250514", reasoning: "low", sent: undefined },
    {
      what: "is left out where no model takes it",
      id: "claude-opus-4-7",
      reasoning: undefined,
      sent: undefined,
    },
  ] as const)("with a temperature: it $what", async ({ id, reasoning, sent }) => {
    const body = await bodyOf({ model: { id }, options: { temperature: 0.5, reasoning } })

    expect(body.temperature).toBe(sent)
  })

  test("with a temperature of zero: it is passed on", async () => {
    expect((await bodyOf({ options: { temperature: 0 } })).temperature).toBe(0)
  })

  test("names the user, and nothing else that the vendor does not take", async () => {
    const metadata = { user_id: "u-1", tenant: "t", trace: 7 }

    expect((await bodyOf({ options: { metadata } })).metadata).toEqual({ user_id: "u-1" })
    expect(await bodyOf({ options: { metadata: { user_id: 7 } } })).not.toHaveProperty("metadata")
  })

  test("takes on what the configuration adds, the model's over the adapter's", async () => {
    const config = { compat: { extraBody: { service_tier: "auto" } } }
    const model = { compat: { extraBody: { speed: "fast" } } }

    expect(await bodyOf({ config })).toMatchObject({ service_tier: "auto", stream: true })
    expect(await bodyOf({ config, model })).toMatchObject({ speed: "fast" })
  })
})

describe("the tools of a request", () => {
  test("are described by JSON Schema, the last one marked", async () => {
    const nothing = { name: "now", description: "", parameters: {} }

    const body = await bodyOf({ context: { tools: [read, nothing] } })

    expect(violationsOf(body)).toEqual([])
    expect(body.tools).toEqual([
      {
        name: "read",
        description: "Reads a file",
        input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      },
      { name: "now", input_schema: { type: "object" }, ...EPHEMERAL },
    ])
  })

  test.each([
    { choice: "auto", sent: { type: "auto" } },
    { choice: "none", sent: { type: "none" } },
    { choice: "required", sent: { type: "any" } },
    { choice: { name: "read" }, sent: { type: "tool", name: "read" } },
    { choice: undefined, sent: undefined },
  ] as const)("are chosen by $sent for $choice", async ({ choice, sent }) => {
    const body = await bodyOf({ context: { tools: [read] }, options: { toolChoice: choice } })

    expect(violationsOf(body)).toEqual([])
    expect(body.tool_choice).toEqual(sent)
  })

  test("are not chosen among where there are none", async () => {
    const body = await bodyOf({ context: { tools: [] }, options: { toolChoice: "required" } })

    expect(body).not.toHaveProperty("tools")
    expect(body).not.toHaveProperty("tool_choice")
  })

  test("are joined by the vendor's own", async () => {
    const search = { type: "web_search_20260209", name: "web_search" }

    expect(
      (await bodyOf({ config: { serverTools: [search] }, context: { tools: [read] } })).tools,
    ).toMatchObject([{ name: "read" }, { ...search, ...EPHEMERAL }])
  })

  test("include those that a result has named", async () => {
    const messages = [user("Hi"), assistant([toolCall("a")]), result("a", { addedToolNames: ["late"] })]
    const late = { ...read, name: "late" }

    expect((await bodyOf({ messages, context: { tools: [read, late] } })).tools).toMatchObject([
      { name: "read" },
      { name: "late" },
    ])
  })

  test("fail before anything is sent where a schema cannot be stated", async () => {
    const bad = { name: "bad", description: "", parameters: { big: 1n } }

    await expect(exchange({ context: { tools: [bad] } })).rejects.toThrow("no cycle and no bigint")
  })
})

describe("the thinking of a request", () => {
  const OLD = "claude-sonnet-4-20250514"

  test.each([
    { id: OLD, level: "minimal", sent: { type: "enabled", budget_tokens: 1024 } },
    { id: OLD, level: "low", sent: { type: "enabled", budget_tokens: 2048 } },
    { id: OLD, level: "medium", sent: { type: "enabled", budget_tokens: 8192 } },
    { id: OLD, level: "high", sent: { type: "enabled", budget_tokens: 16_384 } },
    { id: OLD, level: "max", sent: { type: "enabled", budget_tokens: 16_384 } },
    { id: OLD, level: undefined, sent: undefined },
  ] as const)("of $level is a budget on $id", async ({ id, level, sent }) => {
    const body = await bodyOf({ model: { id, maxTokens: 64_000 }, options: { reasoning: level } })

    expect(body.thinking).toEqual(sent)
    expect(body).not.toHaveProperty("output_config")
  })

  test.each([
    { what: "the caller's number", budgets: { low: 3000 }, maxTokens: 64_000, sent: 3000 },
    { what: "at least what the vendor takes", budgets: { low: 10 }, maxTokens: 64_000, sent: 1024 },
    { what: "what leaves room for an answer", budgets: { low: 9000 }, maxTokens: 4000, sent: 2976 },
    { what: "nothing without room", budgets: {}, maxTokens: 2000, sent: undefined },
  ])("as a budget is $what", async ({ budgets, maxTokens, sent }) => {
    const body = await bodyOf({
      model: { id: OLD, maxTokens: 64_000 },
      options: { reasoning: "low", thinkingBudgets: budgets, maxTokens },
    })

    expect(violationsOf(body)).toEqual([])
    expect(body.thinking?.budget_tokens).toBe(sent)
  })

  const SHOWN = { type: "adaptive", display: "summarized" }

  test.each([
    { id: "claude-opus-4-6", level: "minimal", thinking: { type: "adaptive" }, effort: "low" },
    { id: "claude-opus-4-6", level: "high", thinking: { type: "adaptive" }, effort: "high" },
    { id: "claude-opus-4-6", level: "xhigh", thinking: { type: "adaptive" }, effort: "max" },
    { id: "claude-opus-4-8", level: "xhigh", thinking: SHOWN, effort: "xhigh" },
    { id: "claude-opus-5-5", level: "max", thinking: SHOWN, effort: "max" },
    { id: "claude-opus-4-8", level: undefined, thinking: undefined, effort: undefined },
    { id: "claude-opus-5-5", level: undefined, thinking: undefined, effort: undefined },
    { id: "claude-opus-5", level: undefined, thinking: { type: "disabled" }, effort: undefined },
    { id: "claude-sonnet-5-5", level: undefined, thinking: { type: "between_tools" }, effort: undefined },
  ] as const)("of $level is the effort $effort on $id", async ({ id, level, thinking, effort }) => {
    const body = await bodyOf({ model: { id }, options: { reasoning: level, thinkingBudgets: { high: 9 } } })

    expect(body.thinking).toEqual(thinking)
    expect(body.output_config?.effort).toBe(effort)
  })

  test.each([
    { id: OLD, map: { high: "30000" }, sent: { type: "enabled", budget_tokens: 30_000 }, effort: undefined },
    { id: OLD, map: { high: "max" }, sent: { type: "adaptive" }, effort: "max" },
    {
      id: "claude-sonnet-4-6",
      map: { high: "2000" },
      sent: { type: "enabled", budget_tokens: 2000 },
      effort: undefined,
    },
    { id: "claude-opus-4-6", map: { high: null }, sent: { type: "adaptive" }, effort: "max" },
  ])("is what the model's own table $map says on $id", async ({ id, map, sent, effort }) => {
    const body = await bodyOf({
      model: { id, thinkingLevelMap: map, maxTokens: 64_000 },
      options: { reasoning: "high" },
    })

    expect(body.thinking).toEqual(sent)
    expect(body.output_config?.effort).toBe(effort)
  })

  test("is switched off in the model's own words", async () => {
    const model = { id: "claude-opus-5", thinkingLevelMap: { off: "between_tools" } }

    expect((await bodyOf({ model })).thinking).toEqual({ type: "between_tools" })
    expect(await bodyOf({ model: { ...model, thinkingLevelMap: { off: null } } })).not.toHaveProperty(
      "thinking",
    )
  })

  test("is not asked of a model that cannot", async () => {
    const model = { id: OLD, reasoning: false }

    expect(await bodyOf({ model, options: { reasoning: "high" } })).not.toHaveProperty("thinking")
  })

  test.each([{ toolChoice: "required" }, { toolChoice: { name: "read" } }] as const)(
    "gives way to a call that is forced by $toolChoice",
    async ({ toolChoice }) => {
      for (const [id, sent] of [
        [OLD, undefined],
        ["claude-opus-5", { type: "disabled" }],
      ] as const) {
        const body = await bodyOf({
          model: { id },
          context: { tools: [read] },
          options: { reasoning: "low", toolChoice },
        })

        expect(violationsOf(body)).toEqual([])
        expect(body.thinking).toEqual(sent)
      }
    },
  )

  test("as a budget is not switched on in the middle of a turn", async () => {
    const options: SimpleStreamOptions = { reasoning: "low" }
    const model = { id: OLD }
    const begun = [user("Hi"), assistant([toolCall("a")], { model: OLD }), result("a")]
    const thought = { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" } as const
    const thinking = [user("Hi"), assistant([thought, toolCall("a")], { model: OLD }), result("a")]

    const without = await bodyOf({ model, options, messages: begun })
    expect(without).not.toHaveProperty("thinking")
    expect(violationsOf(without)).toEqual([])
    expect((await bodyOf({ model, options, messages: thinking })).thinking.type).toBe("enabled")
    expect(
      (
        await bodyOf({
          model,
          options,
          messages: [...begun, assistant([{ type: "text", text: "So" }]), user("Go")],
        })
      ).thinking.type,
    ).toBe("enabled")
  })

  test("that no longer fits what came before is forgotten where that is wanted", async () => {
    const { body, headers } = await exchange({
      model: { id: "claude-opus-5-5", compat: { thinkingMismatch: "drop_block" } },
      options: { reasoning: "low" },
    })

    expect(body.thinking).toEqual({ ...SHOWN, block_binding: { prefix_mismatch_behavior: "drop_block" } })
    expect(headers["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01")
  })
})

describe("the cache of a request", () => {
  const messages = [
    user("Hi"),
    assistant([{ type: "text", text: "Hello" }]),
    user([{ type: "text", text: "And" }, IMAGE]),
  ]
  const asking = { messages, context: { systemPrompt: "Be brief.", tools: [read] } }

  test.each([
    { retention: undefined, mark: { type: "ephemeral" } },
    { retention: "short", mark: { type: "ephemeral" } },
    { retention: "long", mark: { type: "ephemeral", ttl: "1h" } },
  ] as const)(
    "is marked at the end of tools, system and last user turn for $retention",
    async ({ retention, mark }) => {
      const body = await bodyOf({ ...asking, options: { cacheRetention: retention } })

      expect(violationsOf(body)).toEqual([])
      expect(body.tools.at(-1).cache_control).toEqual(mark)
      expect(body.system.at(-1).cache_control).toEqual(mark)
      expect(body.messages.at(-1).content).toEqual([
        { type: "text", text: "And" },
        { ...WIRE_IMAGE, cache_control: mark },
      ])
      expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3)
    },
  )

  test("is marked on the last result of a tool", async () => {
    const body = await bodyOf({
      messages: [user("Hi"), assistant([toolCall("a"), toolCall("b")]), result("a"), result("b")],
    })

    expect(body.messages.at(-1).content).toMatchObject([
      { tool_use_id: "a" },
      { tool_use_id: "b", ...EPHEMERAL },
    ])
    expect(body.messages.at(-1).content[0]).not.toHaveProperty("cache_control")
  })

  test.each([
    { what: "the caller wants none", options: { cacheRetention: "none" }, compat: {} },
    { what: "the server takes none", options: {}, compat: { supportsCacheControl: false } },
  ] as const)("is not marked where $what", async ({ options, compat }) => {
    expect(JSON.stringify(await bodyOf({ ...asking, options, model: { compat } }))).not.toContain(
      "cache_control",
    )
  })

  test("is kept for minutes where the server cannot do hours", async () => {
    const model = { compat: { supportsLongCacheRetention: false } }

    expect(
      JSON.stringify(await bodyOf({ ...asking, model, options: { cacheRetention: "long" } })),
    ).not.toContain("ttl")
  })
})

describe("the messages of a request", () => {
  test("show pictures, and describe them to a model without eyes", async () => {
    const messages = [user([{ type: "text", text: "See:" }, IMAGE])]

    expect(await wireMessages(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "See:" }, WIRE_IMAGE] },
    ])
    expect((await wireMessages(messages, { model: { input: ["text"] } }))[0].content[1].type).toBe("text")
  })

  test("alternate: neighbours of one role are one message", async () => {
    const messages = [
      user("One"),
      user("Two"),
      assistant([{ type: "text", text: "A" }]),
      assistant([{ type: "text", text: "B" }]),
      user("Three"),
    ]

    expect(await wireMessages(messages)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "One" },
          { type: "text", text: "Two" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "A" },
          { type: "text", text: "B" },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Three" }] },
    ])
  })

  test("begin with the user", async () => {
    const [first] = await wireMessages([assistant([{ type: "text", text: "Welcome" }]), user("Hi")])

    expect(first).toEqual({ role: "user", content: [{ type: "text", text: BEGAN_EARLIER }] })
  })

  test("lose the white space behind an answer that the model is to go on from, and behind no other", async () => {
    const said = assistant([{ type: "text", text: "Once upon \n" }])

    expect(await wireMessages([user("Hi"), said, user("On"), said])).toMatchObject([
      { role: "user" },
      { content: [{ type: "text", text: "Once upon \n" }] },
      { role: "user" },
      { content: [{ type: "text", text: "Once upon" }] },
    ])
  })

  test("hold no empty text, and no message of nothing else", async () => {
    const messages = [
      user("Hi"),
      assistant([
        { type: "text", text: "" },
        { type: "text", text: " \n" },
      ]),
      user([{ type: "text", text: "" }]),
      user(" "),
      user("There?"),
    ]

    expect(await wireMessages(messages)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "There?" },
        ],
      },
    ])
  })

  test("answer all calls of a message in the next one, before anything else is said", async () => {
    const messages = [
      user("Hi"),
      assistant([{ type: "text", text: "Reading" }, toolCall("a"), toolCall("b")]),
      result("b", { content: [{ type: "text", text: "B" }] }),
      result("a", { content: [{ type: "text", text: "A" }, IMAGE] }),
      user("Faster!"),
    ]

    expect(await wireMessages(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Reading" },
          { type: "tool_use", id: "a", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "b", name: "read", input: { path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "A" }, WIRE_IMAGE] },
          { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "B" }] },
          { type: "text", text: "Faster!" },
        ],
      },
    ])
  })

  test("give an answer to calls that have none, and none to calls that are not there", async () => {
    const messages = [user("Hi"), assistant([toolCall("a")]), result("ghost"), user("Go on")]

    expect((await wireMessages(messages))[2].content).toMatchObject([
      { type: "tool_result", tool_use_id: "a", is_error: true },
      { type: "text", text: "Go on" },
    ])
  })

  test.each([
    { what: "nothing", content: [], isError: false, sent: [{ type: "text", text: NO_OUTPUT }], rest: [] },
    {
      what: "white space",
      content: [{ type: "text", text: " \n" }],
      isError: false,
      sent: [{ type: "text", text: NO_OUTPUT }],
      rest: [],
    },
    {
      what: "no explanation",
      content: [],
      isError: true,
      sent: [{ type: "text", text: NO_OUTPUT }],
      rest: [],
    },
    { what: "a picture alone", content: [IMAGE], isError: false, sent: [WIRE_IMAGE], rest: [] },
    {
      what: "an error with a picture, which goes behind",
      content: [{ type: "text", text: "Broken:" }, IMAGE],
      isError: true,
      sent: [{ type: "text", text: "Broken:" }],
      rest: [{ type: "text", text: IMAGES_OF_TOOLS }, WIRE_IMAGE],
    },
  ] as const)("carry results of $what", async ({ content, isError, sent, rest }) => {
    const messages = [
      user("Hi"),
      assistant([toolCall("a"), toolCall("b")]),
      result("a", { content, isError }),
      result("b"),
    ]

    expect((await wireMessages(messages))[2].content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: sent, ...(isError && { is_error: true }) },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "done" }] },
      ...rest,
    ])
  })

  test("replay the model's own thinking as it came, and none without proof", async () => {
    const messages = [
      user("Hi"),
      assistant([
        { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
        { type: "thinking", thinking: "", thinkingSignature: "cw" },
        { type: "thinking", thinking: "", thinkingSignature: "ZW5j", redacted: true },
        { type: "thinking", thinking: "unsigned" },
        { type: "text", text: "Yes" },
      ]),
      user("Go on"),
    ]

    expect((await wireMessages(messages))[1].content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "thinking", thinking: "", signature: "cw" },
      { type: "redacted_thinking", data: "ZW5j" },
      { type: "text", text: "Yes" },
    ])
  })

  test("replay unsigned thinking to servers that sign nothing", async () => {
    const said = assistant(
      [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Yes" },
      ],
      { provider: "minimax" },
    )
    const body = await bodyOf({ messages: [user("Hi"), said, user("Go on")], model: { provider: "minimax" } })

    expect(body.messages[1].content[0]).toEqual({ type: "thinking", thinking: "Hm.", signature: "" })
  })

  test("leave out what the model thought before an answer that never began", async () => {
    const thoughts = [
      { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
      { type: "thinking", thinking: "", thinkingSignature: "ZW5j", redacted: true },
    ] as const
    const cut = [
      assistant([...thoughts], { stopReason: "length" }),
      assistant([{ type: "text", text: "Yes" }, ...thoughts], { stopReason: "length" }),
    ]

    expect(await wireMessages([user("Hi"), cut[0]!, user("Go on"), cut[1]!, user("Go on")])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "Go on" },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Yes" }] },
      { role: "user", content: [{ type: "text", text: "Go on" }] },
    ])
  })

  test("show another model text and calls, and nothing that only their author can read", async () => {
    const messages = [
      user("Hi"),
      assistant(
        [
          { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
          { type: "text", text: "Yes", textSignature: '{"citations":[{"type":"char_location"}]}' },
          { type: "opaque", kind: "server_tool_use", data: { type: "server_tool_use", id: "s" } },
          toolCall("a", { thoughtSignature: '{"caller":{"type":"direct"}}' }),
          { type: "opaque", kind: "container", data: { id: "container_1" } },
        ],
        { model: "claude-other" },
      ),
      result("a"),
    ]

    const body = await bodyOf({ messages, options: { cacheRetention: "none" } })

    expect(body.messages[1].content).toEqual([
      { type: "text", text: "Yes" },
      { type: "tool_use", id: "a", name: "read", input: { path: "a" } },
    ])
    expect(body).not.toHaveProperty("container")
  })

  test("replay citations, callers and opaque blocks in place", async () => {
    const use = { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } }
    const found = { type: "web_search_tool_result", tool_use_id: "s", content: [] }
    const citations = [{ type: "char_location", cited_text: "x", document_index: 0, file_id: null }]
    const caller = { type: "code_execution_20260120", tool_id: "s" }
    const messages = [
      user("Hi"),
      assistant([
        { type: "text", text: "Looking" },
        { type: "opaque", kind: "server_tool_use", data: use },
        { type: "opaque", kind: "web_search_tool_result", data: found },
        { type: "text", text: "Found", textSignature: JSON.stringify({ citations }) },
        toolCall("a", { thoughtSignature: JSON.stringify({ caller }) }),
      ]),
      result("a"),
    ]

    expect((await wireMessages(messages))[1].content).toEqual([
      { type: "text", text: "Looking" },
      use,
      found,
      {
        type: "text",
        text: "Found",
        citations: [{ type: "char_location", cited_text: "x", document_index: 0 }],
      },
      { type: "tool_use", id: "a", name: "read", input: { path: "a" }, caller },
    ])
  })

  test.each(["", "no JSON", "[1]", '{"type":"evil","id":"x","name":"x","input":{}}'])(
    "survive the signature %s of a call",
    async (thoughtSignature) => {
      const messages = [user("Hi"), assistant([toolCall("a", { thoughtSignature })]), result("a")]

      expect((await wireMessages(messages))[1].content).toEqual([
        { type: "tool_use", id: "a", name: "read", input: { path: "a" } },
      ])
    },
  )

  test("leave out what a model began before another took over, and the results of it", async () => {
    const orphan = { type: "server_tool_use", id: "s1", name: "web_search", input: {} }
    const use = { type: "server_tool_use", id: "s2", name: "web_search", input: {} }
    const found = { type: "web_search_tool_result", tool_use_id: "s2", content: [] }
    const fallback = { type: "fallback", from: { model: "a" }, to: { model: "b" } }
    const opaque = (data: { type: string }) => ({ type: "opaque", kind: data.type, data }) as const
    const messages = [
      user("Hi"),
      assistant([
        { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
        { type: "text", text: "Well" },
        opaque(orphan),
        opaque(use),
        opaque(found),
        toolCall("a"),
        opaque(fallback),
        { type: "thinking", thinking: "So.", thinkingSignature: "c2ln" },
        toolCall("b"),
      ]),
      result("a"),
      result("b"),
    ]

    const [, said, results] = await wireMessages(messages)

    expect(said.content).toMatchObject([
      { type: "text", text: "Well" },
      use,
      found,
      fallback,
      { type: "thinking", thinking: "So." },
      { type: "tool_use", id: "b" },
    ])
    expect(results.content).toMatchObject([{ tool_use_id: "b" }])
  })

  describe("in a container", () => {
    const inContainer = (data: object, timestamp = 0) =>
      assistant([toolCall("a"), { type: "opaque", kind: "container", data }], { timestamp })
    const later = Date.parse("2026-01-01T00:10:00Z")

    test.each([
      { what: "the last one", expires_at: undefined, sent: "container_2" },
      { what: "one that lives", expires_at: "2026-01-01T00:10:01Z", sent: "container_2" },
      { what: "none that has expired", expires_at: "2026-01-01T00:09:59Z", sent: undefined },
    ])("ask for $what beside the messages", async ({ expires_at, sent }) => {
      const messages = [
        user("Hi"),
        inContainer({ id: "container_1" }),
        result("a"),
        inContainer({ id: "container_2", expires_at }),
        result("a", { timestamp: later }),
      ]

      const body = await bodyOf({ messages })

      expect(body.container).toBe(sent)
      expect(JSON.stringify(body.messages)).not.toContain("container")
    })
  })

  test("rewrite ids that the vendor refuses, apart from each other, and the results follow", async () => {
    const long = "call_".repeat(20)
    const ids = ["call|a", `${long}1`, `${long}2`, "", "fine-1"]
    const calls = ids.map((id) => toolCall(id))
    const messages = [
      user("Hi"),
      assistant(calls, { model: "other" }),
      ...ids.map((id) => result(id, { content: [{ type: "text", text: `of ${id}` }] })),
    ]

    const [, said, results] = await wireMessages(messages)

    const sent = said.content.map(({ id }: { id: string }) => id)
    expect(new Set(sent).size).toBe(5)
    expect(sent[4]).toBe("fine-1")
    expect(results.content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(sent)
    expect(results.content.map((block: { content: { text: string }[] }) => block.content[0]?.text)).toEqual(
      ids.map((id) => `of ${id}`),
    )
  })

  test("hold no half of a character", async () => {
    const [message] = await wireMessages([user("cut \ud83d off")])

    expect(message.content[0].text).toBe("cut  off")
  })
})
