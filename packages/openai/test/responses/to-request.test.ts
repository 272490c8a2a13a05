import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  Tool,
  ToolResultMessage,
} from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { bodyOf, type Question } from "./ask-server.ts"
import { modelOf } from "./replay.ts"

const picture: ImageContent = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }
const PICTURE = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" }

function user(content: string | (TextContent | ImageContent)[]): Message {
  return { role: "user", content, timestamp: 0 }
}

function assistant(
  content: AssistantMessage["content"],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  }
  return {
    role: "assistant",
    content,
    api: "openai-responses",
    provider: "openai",
    model: "test-model",
    usage,
    stopReason: "stop",
    timestamp: 0,
    ...fields,
  }
}

function result(
  toolCallId: string,
  content: (TextContent | ImageContent)[],
  fields: Partial<ToolResultMessage> = {},
): Message {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content,
    isError: false,
    timestamp: 0,
    ...fields,
  }
}

function text(says: string): TextContent {
  return { type: "text", text: says }
}

/** @returns the input as it reaches the server, when this is the history. */
async function inputOf(messages: readonly Message[], question: Question = {}): Promise<unknown> {
  return (await bodyOf({ ...question, context: { messages, ...question.context } })).input
}

const readCall = { type: "toolCall", id: "call_a", name: "read", arguments: { path: "a.ts" } } as const
const READ = { type: "function_call", call_id: "call_a", name: "read", arguments: '{"path":"a.ts"}' }

function thought(encrypted: string | null, more: object = {}): AssistantMessage["content"][number] {
  const item = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: encrypted, ...more }
  return { type: "thinking", thinking: "Hm.", thinkingSignature: JSON.stringify(item) }
}

const SEARCH = { type: "web_search_call", status: "completed", action: { type: "search", query: "x" } }
const search = { type: "opaque", kind: "web_search_call", data: { id: "ws_1", ...SEARCH } } as const

describe("A request", () => {
  test("asks to store nothing, and for the encrypted thinking of a model that thinks", async () => {
    expect(await bodyOf()).toEqual({
      model: "test-model",
      input: [{ role: "user", content: "Hi" }],
      include: ["reasoning.encrypted_content"],
      store: false,
      stream: true,
    })
    expect(await bodyOf({ model: { reasoning: false } })).not.toHaveProperty("include")
  })

  test("has the system prompt as instructions", async () => {
    expect(await bodyOf({ context: { systemPrompt: "Be brief." } })).toMatchObject({
      instructions: "Be brief.",
    })
  })

  test.each([{ role: "developer" }, { role: "system" }] as const)(
    "has the system prompt as the $role's message where a server wants it there",
    async ({ role }) => {
      const body = await bodyOf({
        context: { systemPrompt: "Be brief." },
        model: { compat: { systemPrompt: role } },
      })

      expect(body).not.toHaveProperty("instructions")
      expect(body.input).toEqual([
        { role, content: "Be brief." },
        { role: "user", content: "Hi" },
      ])
    },
  )

  test.each([
    { options: { temperature: 0 }, fields: { temperature: 0 } },
    { options: { maxTokens: 100 }, fields: { max_output_tokens: 100 } },
    { options: { maxTokens: 1_000_000 }, fields: { max_output_tokens: 8192 } },
    { options: { maxTokens: 1 }, fields: { max_output_tokens: 16 } },
    { options: { metadata: { team: "a" } }, fields: { metadata: { team: "a" } } },
    { options: { metadata: { n: 5, list: [] } }, fields: { metadata: { n: "5" } } },
    { options: { sessionId: "s-1" }, fields: { prompt_cache_key: "s-1" } },
    { options: { sessionId: "s".repeat(70) }, fields: { prompt_cache_key: "s".repeat(64) } },
    {
      options: { sessionId: "s-1", cacheRetention: "long" },
      fields: { prompt_cache_key: "s-1", prompt_cache_retention: "24h" },
    },
  ] as const)("with $options says $fields", async ({ options, fields }) => {
    const {
      model: _,
      input: __,
      include: ___,
      store: ____,
      stream: _____,
      ...rest
    } = await bodyOf({ options })
    expect(rest).toEqual(fields)
  })

  test.each([{ options: { sessionId: "s-1", cacheRetention: "none" } }, { options: {} }] as const)(
    "with $options says nothing about caches",
    async ({ options }) => {
      expect(Object.keys(await bodyOf({ options })).filter((key) => key.startsWith("prompt"))).toEqual([])
    },
  )

  test.each([
    { reasoning: "minimal", effort: "minimal" },
    { reasoning: "high", effort: "high" },
    { reasoning: "max", effort: "high" },
    { reasoning: "low", effort: "medium", map: { low: null } },
    { reasoning: "xhigh", effort: "xhigh", map: { xhigh: "xhigh" } },
  ] as const)(
    "asks for $effort and a summary when $reasoning is wanted",
    async ({ reasoning, effort, ...rest }) => {
      const thinkingLevelMap = "map" in rest ? { thinkingLevelMap: rest.map } : {}

      expect(await bodyOf({ options: { reasoning }, model: thinkingLevelMap })).toMatchObject({
        reasoning: { effort, summary: "auto" },
      })
    },
  )

  test("says nothing about thinking when none is wanted, unless the model has a word for that", async () => {
    expect(await bodyOf()).not.toHaveProperty("reasoning")
    expect(await bodyOf({ model: { thinkingLevelMap: { off: "none" } } })).toMatchObject({
      reasoning: { effort: "none" },
    })
    expect(await bodyOf({ options: { reasoning: "high" }, model: { reasoning: false } })).not.toHaveProperty(
      "reasoning",
    )
  })

  test("takes what else a server needs from its compat, over everything", async () => {
    const compat = { extraBody: { service_tier: "flex", store: true } }

    expect(await bodyOf({ model: { compat } })).toMatchObject({
      service_tier: "flex",
      store: true,
      stream: true,
    })
  })
})

describe("Tools", () => {
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
  const plain: Tool = { name: "read", description: "Reads", parameters }

  test.each([
    { kind: "JSON Schema", tool: plain },
    { kind: "TypeBox", tool: { ...plain, parameters: Type.Object({ path: Type.String() }) } },
    { kind: "zod", tool: { ...plain, parameters: z.object({ path: z.string() }) } },
  ])("in $kind are stated, and never strict", async ({ tool }) => {
    const { tools } = await bodyOf({ context: { tools: [tool] } })

    expect(tools).toMatchObject([
      { type: "function", name: "read", description: "Reads", parameters, strict: false },
    ])
    expect(await bodyOf({ context: { tools: [] }, options: { toolChoice: "none" } })).not.toHaveProperty(
      "tools",
    )
  })

  test.each([{ parameters: {} }, { parameters: { type: "object" } }])(
    "with the schema $parameters are said to take an object, as OpenAI insists",
    async ({ parameters }) => {
      const { tools } = await bodyOf({ context: { tools: [{ ...plain, parameters }] } })

      expect(tools).toMatchObject([{ parameters: { type: "object", properties: {} } }])
    },
  )

  test.each([
    { choice: "auto", said: "auto" },
    { choice: "none", said: "none" },
    { choice: "required", said: "required" },
    { choice: { name: "read" }, said: { type: "function", name: "read" } },
    { choice: undefined, said: undefined },
  ] as const)("are chosen: $choice", async ({ choice, said }) => {
    const options = { toolChoice: choice }

    expect((await bodyOf({ context: { tools: [plain] }, options })).tool_choice).toEqual(said)
    expect(await bodyOf({ context: { tools: [] }, options })).not.toHaveProperty("tool_choice")
  })
})

describe("The history", () => {
  test("tells text as text, and pictures as pictures", async () => {
    expect(
      await inputOf([
        user("One"),
        user([text("Two"), text("Three")]),
        user([text("Look:"), picture]),
        user([picture, text("")]),
      ]),
    ).toEqual([
      { role: "user", content: "One" },
      { role: "user", content: "Two\nThree" },
      { role: "user", content: [{ type: "input_text", text: "Look:" }, PICTURE] },
      { role: "user", content: [PICTURE] },
    ])
  })

  test("says of pictures what a model without eyes must know", async () => {
    expect(
      JSON.stringify(await inputOf([user([text("Look:"), picture])], { model: { input: ["text"] } })),
    ).toMatch(/Look:.*image was omitted/)
  })

  test("has no ids, no nulls, and everything in the order in which it was said", async () => {
    const plan = { phase: "commentary" }
    const message = assistant([
      thought("gAAA", { summary: [{ type: "summary_text", text: "Hm." }], content: null }),
      {
        type: "text",
        text: "I look.",
        textSignature: JSON.stringify({ ...plan, annotations: [{ url: "x" }] }),
      },
      readCall,
      thought("gBBB"),
      { ...readCall, id: "call_b", arguments: {} },
    ])
    const results = [result("call_b", [text("B")]), result("call_a", [text("A")])]

    expect(await inputOf([user("Hi"), message, ...results, user("Well?")])).toEqual([
      { role: "user", content: "Hi" },
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "gAAA" },
      { role: "assistant", content: "I look.", phase: "commentary" },
      READ,
      { type: "reasoning", summary: [], encrypted_content: "gBBB" },
      { type: "function_call", call_id: "call_b", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "call_a", output: "A" },
      { type: "function_call_output", call_id: "call_b", output: "B" },
      { role: "user", content: "Well?" },
    ])
  })

  test.each([
    { what: "text", content: [text("done"), text("and dusted")], isError: false, output: "done\nand dusted" },
    { what: "nothing", content: [], isError: false, output: "(no output)" },
    { what: "white space", content: [text(" \n")], isError: false, output: "(no output)" },
    { what: "an error", content: [text("no such file")], isError: true, output: "Error: no such file" },
    { what: "an error that says so", content: [text("Error: no")], isError: true, output: "Error: no" },
    { what: "an error without words", content: [], isError: true, output: "Error: (no output)" },
    { what: "a picture", content: [picture], isError: false, output: [PICTURE] },
    {
      what: "a picture with a text",
      content: [text("A cat"), picture],
      isError: false,
      output: [{ type: "input_text", text: "A cat" }, PICTURE],
    },
    {
      what: "an error with a picture",
      content: [picture],
      isError: true,
      output: [{ type: "input_text", text: "Error: (see the attached images)" }, PICTURE],
    },
  ])("tells that a tool gave $what", async ({ content, isError, output }) => {
    const [, , told] = (await inputOf([
      user("Hi"),
      assistant([readCall]),
      result("call_a", content, { isError }),
    ])) as unknown[]

    expect(told).toEqual({ type: "function_call_output", call_id: "call_a", output })
  })

  test("shows pictures behind all outputs where they cannot be in one", async () => {
    const history = [
      assistant([readCall, { ...readCall, id: "call_b" }], { provider: "deepseek" }),
      result("call_a", [picture]),
      result("call_b", [text("B")]),
    ]

    expect(await inputOf(history, { provider: "deepseek" })).toEqual([
      READ,
      { ...READ, call_id: "call_b" },
      { type: "function_call_output", call_id: "call_a", output: "(see the attached images)" },
      { type: "function_call_output", call_id: "call_b", output: "B" },
      {
        role: "user",
        content: [{ type: "input_text", text: "Images from the tool results above:" }, PICTURE],
      },
    ])
  })

  test("sends custom calls back as such, with outputs of their kind", async () => {
    const custom = {
      type: "toolCall",
      id: "call_c",
      name: "shell",
      arguments: { input: "ls -l" },
      thoughtSignature: '{"type":"custom_tool_call"}',
    } as const

    expect(await inputOf([assistant([custom, readCall]), result("call_c", [text("a.ts")])])).toEqual([
      { type: "custom_tool_call", call_id: "call_c", name: "shell", input: "ls -l" },
      READ,
      { type: "custom_tool_call_output", call_id: "call_c", output: "a.ts" },
      { type: "function_call_output", call_id: "call_a", output: expect.stringMatching(/not executed/) },
    ])
    expect(
      await inputOf([assistant([custom], { model: "other" }), result("call_c", [text("a.ts")])]),
    ).toEqual([
      { type: "function_call", call_id: "call_c", name: "shell", arguments: '{"input":"ls -l"}' },
      { type: "function_call_output", call_id: "call_c", output: "a.ts" },
    ])
  })

  test("says again who called, in which namespace", async () => {
    const caller = { type: "program", caller_id: "call_p" }
    const call = { ...readCall, thoughtSignature: JSON.stringify({ namespace: "fs", caller }) }

    expect(await inputOf([assistant([call]), result("call_a", [text("A")])])).toEqual([
      { ...READ, namespace: "fs", caller },
      { type: "function_call_output", call_id: "call_a", caller, output: "A" },
    ])
  })

  test("sends what tools at the vendor did back in its place, with the reasoning before it", async () => {
    expect(
      await inputOf([assistant([thought("gAAA"), search, thought("gBBB"), search, text("It rains.")])]),
    ).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "gAAA" },
      SEARCH,
      { type: "reasoning", summary: [], encrypted_content: "gBBB" },
      SEARCH,
      { role: "assistant", content: "It rains." },
    ])
  })

  test("keeps the ids that the vendor's own items cannot do without", async () => {
    const data = { id: "mcpr_1", type: "mcp_approval_request", name: "x", arguments: "{}", server_label: "s" }

    expect(await inputOf([assistant([{ type: "opaque", kind: data.type, data }])])).toEqual([data])
  })

  test("leaves the vendor's own items out as a set when the reasoning before one cannot be sent", async () => {
    expect(
      await inputOf([
        assistant([thought("gAAA"), search, thought(null), search, thought("gBBB"), text("It rains.")]),
      ]),
    ).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "gBBB" },
      { role: "assistant", content: "It rains." },
    ])
    expect(await inputOf([assistant([search, thought(null), text("It rains.")])])).toEqual([
      SEARCH,
      { role: "assistant", content: "It rains." },
    ])
  })

  test.each([
    { what: "that cannot be proved", content: [thought(null), text("Hi")] },
    {
      what: "of which nothing was kept",
      content: [{ type: "thinking", thinking: "Hm." } as const, text("Hi")],
    },
    {
      what: "signed by nobody known",
      content: [{ type: "thinking", thinking: "Hm.", thinkingSignature: "EqQB" } as const, text("Hi")],
    },
    { what: "that nothing followed", content: [text("Hi"), thought("gAAA")] },
    { what: "that only white space followed", content: [text("Hi"), thought("gAAA"), text("\n")] },
  ])("leaves out reasoning $what", async ({ content }) => {
    expect(await inputOf([assistant(content)])).toEqual([{ role: "assistant", content: "Hi" }])
  })

  test("leaves out an answer of which nothing is left", async () => {
    expect(
      await inputOf([user("Hi"), assistant([thought("gAAA")], { stopReason: "length" }), user("Go on.")]),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Go on." },
    ])
  })

  test("takes from another model's turn only what means something here", async () => {
    const foreign = { api: "anthropic-messages", provider: "anthropic", model: "claude" }
    const message = assistant(
      [
        {
          type: "thinking",
          thinking: "Secret",
          thinkingSignature: JSON.stringify({ type: "reasoning", encrypted_content: "x" }),
        },
        { type: "thinking", thinking: "", thinkingSignature: "cmVk", redacted: true },
        { type: "text", text: "I look.", textSignature: '{"phase":"commentary"}' },
        search,
        { ...readCall, id: `toolu_${"x".repeat(70)}`, thoughtSignature: '{"type":"custom_tool_call"}' },
      ],
      foreign,
    )
    const input = (await inputOf([message, result(`toolu_${"x".repeat(70)}`, [text("A")])])) as {
      call_id: string
    }[]

    expect(input).toMatchObject([
      { role: "assistant", content: "I look." },
      { type: "function_call", name: "read" },
      { type: "function_call_output", output: "A" },
    ])
    expect(JSON.stringify(input)).not.toMatch(/Secret|encrypted|phase|web_search|custom/)
    expect(input[1]!.call_id).toBe(input[2]!.call_id)
    expect(input[1]!.call_id.length).toBeLessThanOrEqual(64)
    expect(
      await inputOf([assistant([{ type: "thinking", thinking: "Open" }], foreign)], {
        config: { foreignThinking: "text" },
      }),
    ).toEqual([{ role: "assistant", content: "Open" }])
  })

  test("keeps the text of an aborted answer, and nothing of one that failed", async () => {
    const content = [thought("gAAA"), text("Well,"), search, readCall]

    expect(await inputOf([assistant(content, { stopReason: "aborted" })])).toEqual([
      { role: "assistant", content: "Well," },
    ])
    expect(await inputOf([user("Hi"), assistant(content, { stopReason: "error" })])).toEqual([
      { role: "user", content: "Hi" },
    ])
  })
})

describe("A vendor", () => {
  const ask: Question = {
    context: { systemPrompt: "S", tools: [{ name: "t", description: "T", parameters: { type: "object" } }] },
    options: {
      reasoning: "medium",
      maxTokens: 4,
      temperature: 0.5,
      metadata: { a: "b" },
      sessionId: "s",
      cacheRetention: "long",
    },
  }
  const OPENAI = {
    instructions: "S",
    reasoning: { effort: "medium", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    max_output_tokens: 16,
    temperature: 0.5,
    metadata: { a: "b" },
    prompt_cache_key: "s",
    prompt_cache_retention: "24h",
  }
  const { prompt_cache_retention: _, ...SHORT } = OPENAI
  const READABLE = {
    instructions: "S",
    max_output_tokens: 4,
    temperature: 0.5,
  }

  test.each([
    { provider: "openai", says: OPENAI },
    { provider: "azure", says: SHORT },
    { provider: "somebody", says: SHORT },
    { provider: "groq", says: SHORT },
    { provider: "openrouter", says: SHORT },
    { provider: "amazon-bedrock", says: SHORT },
    {
      provider: "xai",
      says: {
        instructions: "S",
        reasoning: { effort: "medium" },
        include: ["reasoning.encrypted_content"],
        max_output_tokens: 4,
        temperature: 0.5,
        prompt_cache_key: "s",
      },
    },
    { provider: "deepseek", says: { ...READABLE, reasoning: { effort: "high" } } },
    { provider: "lmstudio", says: { ...READABLE, reasoning: { effort: "medium" } } },
    {
      provider: "chatgpt",
      says: {
        instructions: "S",
        reasoning: { effort: "medium", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        prompt_cache_key: "s",
      },
    },
  ])("$provider is told what it understands", async ({ provider, says }) => {
    const { model, input, tools, store, stream, ...rest } = await bodyOf({ ...ask, provider })

    expect(rest).toEqual(says)
    expect({ model, input, tools, store, stream }).toMatchObject({
      tools: [{ strict: false }],
      store: false,
      stream: true,
    })
  })

  test("DeepSeek is told not to think, unless it should", async () => {
    expect(await bodyOf({ provider: "deepseek" })).toMatchObject({ reasoning: { effort: "none" } })
  })

  test("DeepSeek reads its thinking again, and its calls in a row", async () => {
    const own = { provider: "deepseek" }
    const readable = { content: [{ type: "reasoning_text", text: "Hm." }] }
    const message = assistant(
      [thought(null, readable), readCall, text("And then"), { ...readCall, id: "call_b" }],
      own,
    )

    expect(
      await inputOf([message, result("call_a", [text("A")]), result("call_b", [text("B")])], own),
    ).toEqual([
      { type: "reasoning", summary: [], ...readable },
      { role: "assistant", content: "And then" },
      READ,
      { ...READ, call_id: "call_b" },
      { type: "function_call_output", call_id: "call_a", output: "A" },
      { type: "function_call_output", call_id: "call_b", output: "B" },
    ])
  })

  test("OpenRouter reads again the proof that stands behind an answer", async () => {
    const own = { provider: "openrouter" }
    const proof = thought("gAAA", { format: "google-gemini-v1" })

    expect(await inputOf([assistant([text("Yes."), proof], own)], own)).toEqual([
      { role: "assistant", content: "Yes." },
      { type: "reasoning", summary: [], encrypted_content: "gAAA", format: "google-gemini-v1" },
    ])
  })

  test("is known by its host before its provider id", async () => {
    const { resolveCompat } = await import("../../src/responses/compat.ts")
    const known = (baseUrl: string, provider = "openai") => resolveCompat(modelOf(provider, { baseUrl }))

    expect(known("https://api.x.ai/v1").reasoningSummary).toBeNull()
    expect(known("https://my.openai.azure.com/openai/v1").apiKeyHeader).toBe("api-key")
    expect(known("https://chatgpt.com/backend-api/codex").supportsTemperature).toBe(false)
    expect(known("https://bedrock-mantle.us-east-1.api.aws/v1").apiKeyEnv).toEqual([
      "AWS_BEARER_TOKEN_BEDROCK",
    ])
    expect(known("https://evil-chatgpt.com/v1", "x")).toEqual(resolveCompat(modelOf("x")))
    expect(known("not a url", "xai").statedCost).toBe("cost_in_usd_ticks")
    expect(known("", "toString")).toEqual(resolveCompat(modelOf("x")))
  })

  test("is overridden by the model, and the model by nothing that is undefined", async () => {
    const body = await bodyOf({
      ...ask,
      config: { compat: { supportsMetadata: false, supportsTemperature: false, leastOutputTokens: 8 } },
      model: { compat: { supportsTemperature: true, leastOutputTokens: undefined } },
    })

    expect(body).toMatchObject({ temperature: 0.5, max_output_tokens: 8 })
    expect(body).not.toHaveProperty("metadata")
  })
})
