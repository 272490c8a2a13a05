import type {
  AssistantMessage,
  Context,
  Message,
  Model,
  SimpleStreamOptions,
  ToolResultMessage,
  UserMessage,
} from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { resolveCompat } from "../../src/completions/compat.ts"
import { type CompletionsRequest, toRequest } from "../../src/completions/to-request.ts"
import { freeze } from "../freeze.ts"
import { modelOf } from "./replay.ts"

const READ = {
  name: "read",
  description: "Reads a file",
  parameters: Type.Object({ path: Type.String() }),
}
const READ_SCHEMA = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }

const PNG = { type: "image", data: "aGk=", mimeType: "image/png" } as const
const PNG_PART = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }

const user = (content: UserMessage["content"] = "Hello"): UserMessage => ({
  role: "user",
  content,
  timestamp: 0,
})

const assistant = (...content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "openai-completions",
  provider: "test",
  model: "test-model",
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
})

const result = (id: string, content: ToolResultMessage["content"], isError = false): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content,
  isError,
  timestamp: 0,
})

const text = (said: string) => ({ type: "text", text: said }) as const
const thinking = (thought: string, thinkingSignature?: string) =>
  ({
    type: "thinking",
    thinking: thought,
    ...(thinkingSignature !== undefined && { thinkingSignature }),
  }) as const
const call = (id: string, path = "a.ts") =>
  ({ type: "toolCall", id, name: "read", arguments: { path } }) as const
const WIRE_CALL = { id: "a", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } }

interface Request {
  readonly provider?: string
  readonly model?: Partial<Model<"openai-completions">>
  readonly context?: Context
  readonly options?: SimpleStreamOptions
}

function request({ provider = "acme", model, context, options = {} }: Request): CompletionsRequest {
  const frozen = freeze(modelOf(provider, model))
  // The schema library marks its schemas; they are the caller's, and only read.
  return toRequest(frozen, freeze(context ?? { messages: [user()] }), freeze(options), resolveCompat(frozen))
}

function messagesOf(provider: string, messages: readonly Message[], model?: Request["model"]): unknown {
  return request({ provider, context: { messages }, ...(model && { model }) }).messages
}

describe("the body of a chat completion", () => {
  test("to a server nobody knows says only what everyone understands", () => {
    const body = request({
      model: { reasoning: false },
      context: { systemPrompt: "Be brief.", messages: [user()], tools: [READ] },
      options: {
        temperature: 0.5,
        maxTokens: 100,
        toolChoice: "required",
        sessionId: "s",
        metadata: { a: "b" },
      },
    })

    expect(body).toEqual({
      model: "test-model",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "read", description: "Reads a file", parameters: READ_SCHEMA },
        },
      ],
      tool_choice: "required",
      temperature: 0.5,
      max_tokens: 100,
    })
  })

  test("to OpenAI uses what OpenAI has", () => {
    const body = request({
      provider: "openai",
      context: { systemPrompt: "Be brief.", messages: [user()], tools: [READ] },
      options: { maxTokens: 100, sessionId: "session-1", cacheRetention: "long", reasoning: "high" },
    })

    expect(body).toMatchObject({
      messages: [{ role: "developer", content: "Be brief." }, { role: "user" }],
      tools: [{ function: { strict: false } }],
      max_completion_tokens: 100,
      store: false,
      prompt_cache_key: "session-1",
      prompt_cache_retention: "24h",
      reasoning_effort: "high",
    })
    expect(body).not.toHaveProperty("max_tokens")
    expect(body).not.toHaveProperty("metadata")
  })

  test("has the system role for OpenAI's models that do not reason", () => {
    const body = request({
      provider: "openai",
      model: { reasoning: false },
      context: { systemPrompt: "Be brief.", messages: [] },
    })

    expect(body.messages).toEqual([{ role: "system", content: "Be brief." }])
  })

  test.each([
    { provider: "openai", field: "max_completion_tokens" },
    { provider: "azure", field: "max_completion_tokens" },
    { provider: "xai", field: "max_completion_tokens" },
    { provider: "groq", field: "max_completion_tokens" },
    { provider: "zai", field: "max_tokens" },
    { provider: "cerebras", field: "max_completion_tokens" },
    { provider: "openrouter", field: "max_tokens" },
    { provider: "deepseek", field: "max_tokens" },
    { provider: "mistral", field: "max_tokens" },
    { provider: "moonshotai", field: "max_completion_tokens" },
    { provider: "together", field: "max_tokens" },
    { provider: "fireworks", field: "max_tokens" },
    { provider: "huggingface", field: "max_tokens" },
    { provider: "perplexity", field: "max_tokens" },
    { provider: "alibaba", field: "max_tokens" },
    { provider: "ollama", field: "max_tokens" },
    { provider: "llamacpp", field: "max_tokens" },
    { provider: "lmstudio", field: "max_tokens" },
    { provider: "vllm", field: "max_tokens" },
  ])("limits the answer of $provider by $field", ({ provider, field }) => {
    const body = request({ provider, options: { maxTokens: 77 } })

    expect([body.max_tokens, body.max_completion_tokens].filter((limit) => limit !== undefined)).toEqual([77])
    expect(body).toHaveProperty(field)
  })

  test.each([
    { asked: 1_000_000, sent: 8192 },
    { asked: undefined, sent: undefined },
  ])("limits an answer of $asked tokens to what the model gives: $sent", ({ asked, sent }) => {
    expect(request({ options: { maxTokens: asked } }).max_tokens).toBe(sent)
  })

  test.each(["moonshotai", "fireworks"])("always tells %s a limit, because its own is short", (provider) => {
    const body = request({ provider })

    expect(body.max_tokens ?? body.max_completion_tokens).toBe(8192)
  })

  test("asks Mistral for nothing that it would refuse", () => {
    const body = request({
      provider: "mistral",
      context: { messages: [user()], tools: [READ] },
      options: { sessionId: "s", toolChoice: "required", maxTokens: 5, cacheRetention: "long" },
    })

    expect(Object.keys(body).toSorted()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "stream",
      "tool_choice",
      "tools",
    ])
    expect(body.tool_choice).toBe("any")
  })

  test("says nothing of tools when there are none, not even of a choice", () => {
    const body = request({ context: { messages: [user()], tools: [] }, options: { toolChoice: "required" } })

    expect(body).not.toHaveProperty("tools")
    expect(body).not.toHaveProperty("tool_choice")
  })

  test.each([
    { choice: "auto", sent: "auto" },
    { choice: "none", sent: "none" },
    { choice: "required", sent: "required" },
    { choice: { name: "read" }, sent: { type: "function", function: { name: "read" } } },
  ] as const)("says tool choice $choice as $sent", ({ choice, sent }) => {
    const body = request({ context: { messages: [user()], tools: [READ] }, options: { toolChoice: choice } })

    expect(body.tool_choice).toEqual(sent)
  })

  test.each([
    { provider: "alibaba", fields: { parallel_tool_calls: true } },
    { provider: "zai", fields: { tool_stream: true } },
  ])("asks $provider for $fields, which others do by themselves", ({ provider, fields }) => {
    expect(request({ provider, context: { messages: [user()], tools: [READ] } })).toMatchObject(fields)
    expect(request({ provider })).not.toHaveProperty(Object.keys(fields)[0]!)
  })

  test("carries metadata where the vendor takes it, which OpenAI does for stored completions", () => {
    const metadata = { user: "u1" }

    expect(request({ provider: "openai", options: { metadata } })).toMatchObject({ metadata, store: true })
    expect(request({ provider: "mistral", options: { metadata } })).toMatchObject({ metadata })
    expect(request({ provider: "groq", options: { metadata } })).not.toHaveProperty("metadata")
  })

  test("writes metadata as texts, and leaves out what would be refused", () => {
    const metadata = { user: 5, debug: false, tags: ["a"], note: "x".repeat(513), none: undefined }

    expect(request({ provider: "openai", options: { metadata } }).metadata).toEqual({
      user: "5",
      debug: "false",
    })
    expect(request({ provider: "openai", options: { metadata: { tags: [] } } })).toMatchObject({
      store: false,
    })
  })

  test.each([{ parameters: {} }, { parameters: { type: "object" } }])(
    "states that $parameters is an object's schema, as OpenAI insists",
    ({ parameters }) => {
      const tool = { name: "now", description: "Tells the time", parameters }
      const { tools } = request({ provider: "openai", context: { messages: [user()], tools: [tool] } })

      expect(tools).toMatchObject([{ function: { parameters: { type: "object", properties: {} } } }])
    },
  )

  test.each([
    { options: { sessionId: "s" }, key: "s" },
    { options: { sessionId: "x".repeat(100) }, key: "x".repeat(64) },
    { options: { sessionId: "s", cacheRetention: "none" }, key: undefined },
    { options: {}, key: undefined },
  ] as const)("has the cache key $key", ({ options, key }) => {
    expect(request({ provider: "openai", options }).prompt_cache_key).toBe(key)
  })

  test("carries OpenRouter's routing and whatever else the model's compat adds", () => {
    const body = request({
      provider: "openrouter",
      model: { compat: { openRouterRouting: { only: ["xai"] }, extraBody: { transforms: ["middle-out"] } } },
    })

    expect(body).toMatchObject({ provider: { only: ["xai"] }, transforms: ["middle-out"] })
  })
})

describe("thinking", () => {
  const on = { reasoning: "medium" } as const

  test.each([
    { provider: "openai", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "openai", asked: {}, fields: {} },
    { provider: "azure", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "xai", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "groq", asked: { reasoning: "minimal" }, fields: { reasoning_effort: "low" } },
    { provider: "cerebras", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "perplexity", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "mistral", asked: on, fields: { reasoning_effort: "high" } },
    { provider: "fireworks", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "huggingface", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "lmstudio", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "ollama", asked: on, fields: { reasoning_effort: "medium" } },
    { provider: "ollama", asked: {}, fields: { reasoning_effort: "none" } },
    { provider: "openrouter", asked: { reasoning: "max" }, fields: { reasoning: { effort: "max" } } },
    {
      provider: "openrouter",
      asked: { reasoning: "low", thinkingBudgets: { low: 2000 } },
      fields: { reasoning: { max_tokens: 2000 } },
    },
    { provider: "openrouter", asked: {}, fields: {} },
    { provider: "deepseek", asked: on, fields: { thinking: { type: "enabled" }, reasoning_effort: "high" } },
    { provider: "deepseek", asked: {}, fields: { thinking: { type: "disabled" } } },
    { provider: "zai", asked: on, fields: { thinking: { type: "enabled", clear_thinking: false } } },
    { provider: "zai", asked: {}, fields: { thinking: { type: "disabled" } } },
    { provider: "moonshotai", asked: on, fields: { thinking: { type: "enabled" } } },
    { provider: "alibaba", asked: on, fields: { enable_thinking: true } },
    {
      provider: "alibaba",
      asked: { reasoning: "low", thinkingBudgets: { low: 500 } },
      fields: { enable_thinking: true, thinking_budget: 500 },
    },
    { provider: "alibaba", asked: {}, fields: { enable_thinking: false } },
    { provider: "together", asked: on, fields: { reasoning: { enabled: true } } },
    { provider: "together", asked: {}, fields: { reasoning: { enabled: false } } },
    {
      provider: "vllm",
      asked: on,
      fields: { chat_template_kwargs: { enable_thinking: true, reasoning_effort: "medium" } },
    },
    { provider: "llamacpp", asked: {}, fields: { chat_template_kwargs: { enable_thinking: false } } },
    { provider: "acme", asked: on, fields: { reasoning_effort: "medium" } },
  ] as const)("asked of $provider as $asked is said as $fields", ({ provider, asked, fields }) => {
    expect(thinkingFields(request({ provider, options: asked }))).toEqual(fields)
  })

  test.each(["openai", "deepseek", "zai", "openrouter", "alibaba", "vllm"])(
    "is not mentioned to a model of %s that cannot",
    (provider) => {
      expect(thinkingFields(request({ provider, model: { reasoning: false }, options: on }))).toEqual({})
    },
  )

  test("takes its words from the model's map first", () => {
    const model = {
      thinkingLevelMap: { off: "none", minimal: null, low: null, medium: null, high: "intense" },
    }

    expect(thinkingFields(request({ provider: "openai", model, options: on }))).toEqual({
      reasoning_effort: "intense",
    })
    expect(thinkingFields(request({ provider: "openai", model }))).toEqual({ reasoning_effort: "none" })
    expect(thinkingFields(request({ provider: "moonshotai", model, options: on }))).toEqual({
      thinking: { type: "enabled" },
      reasoning_effort: "intense",
    })
  })

  test("of a model that cannot stop is left alone when nobody asked", () => {
    const model = { thinkingLevelMap: { off: null } }

    expect(thinkingFields(request({ provider: "moonshotai", model }))).toEqual({})
  })
})

function thinkingFields(body: CompletionsRequest): object {
  const names = [
    "reasoning",
    "reasoning_effort",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "chat_template_kwargs",
  ]
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
}

describe("the messages of a chat completion", () => {
  test.each([
    { content: "Hello", sent: "Hello" },
    { content: [text("Hello")], sent: "Hello" },
    { content: [text("a"), text("b")], sent: "a\nb" },
    { content: [], sent: "" },
    { content: [text("Look:"), PNG], sent: [{ type: "text", text: "Look:" }, PNG_PART] },
  ])("say a user's $content as $sent", ({ content, sent }) => {
    expect(messagesOf("openai", [user(content)])).toEqual([{ role: "user", content: sent }])
  })

  test.each([
    { provider: "openai", content: null },
    { provider: "azure", content: null },
    { provider: "deepseek", content: "" },
    { provider: "mistral", content: "" },
    { provider: "acme", content: "" },
  ])("have the content $content beside calls alone, at $provider", ({ provider, content }) => {
    expect(messagesOf(provider, [assistant(call("a"))], { reasoning: false })).toEqual([
      { role: "assistant", content, tool_calls: [WIRE_CALL] },
    ])
  })

  test("give a custom call back as one, to the model that made it", () => {
    const custom = { ...call("a"), arguments: { input: "select 1" }, thoughtSignature: '{"type":"custom"}' }

    expect(messagesOf("openai", [assistant(custom)], { reasoning: false })).toMatchObject([
      { tool_calls: [{ id: "a", type: "custom", custom: { name: custom.name, input: "select 1" } }] },
    ])
  })

  test("join an assistant's text, which the wire cannot divide", () => {
    expect(messagesOf("openai", [assistant(text("a"), call("a"), text("b"))])).toEqual([
      { role: "assistant", content: "ab", tool_calls: [WIRE_CALL] },
    ])
  })

  test("leave out an assistant message of which nothing is left", () => {
    expect(messagesOf("openai", [user(), assistant(thinking("hm")), user("Well?")])).toEqual([
      { role: "user", content: "Hello" },
      { role: "user", content: "Well?" },
    ])
  })

  test("do not know a vendor's own blocks", () => {
    expect(messagesOf("openai", [assistant({ type: "opaque", kind: "x", data: {} }, text("a"))])).toEqual([
      { role: "assistant", content: "a" },
    ])
  })

  test.each([
    { content: [text("42")], isError: false, sent: "42" },
    { content: [text("a"), text("b")], isError: false, sent: "a\nb" },
    { content: [], isError: false, sent: "(no output)" },
    { content: [text(" ")], isError: false, sent: "(no output)" },
    { content: [text("not found")], isError: true, sent: "Error: not found" },
    { content: [text("Error: not found")], isError: true, sent: "Error: not found" },
    { content: [], isError: true, sent: "Error: (no output)" },
  ])("say a tool's $content (error: $isError) as $sent", ({ content, isError, sent }) => {
    expect(messagesOf("openai", [result("a", content, isError)])).toEqual([
      { role: "tool", tool_call_id: "a", content: sent },
    ])
  })

  test("show a tool's pictures behind all results of the turn", () => {
    const messages = [
      assistant(call("a"), call("b")),
      result("a", [PNG]),
      result("b", [text("ok"), PNG]),
      user("Go on"),
    ]

    expect(messagesOf("openai", messages)).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "a", content: "(see the attached images)" },
      { role: "tool", tool_call_id: "b", content: "ok" },
      { role: "user", content: [{ type: "text" }, PNG_PART, PNG_PART] },
      { role: "user", content: "Go on" },
    ])
  })

  test("show a tool's pictures at the end of the transcript too", () => {
    expect(messagesOf("openai", [assistant(call("a")), result("a", [PNG])])).toMatchObject([
      { role: "assistant" },
      { role: "tool" },
      { role: "user", content: [{ type: "text" }, PNG_PART] },
    ])
  })

  test("name the tool of a result and answer it before the user speaks, for Mistral", () => {
    expect(messagesOf("mistral", [assistant(call("a")), result("a", [text("42")]), user("And?")])).toEqual([
      { role: "assistant", content: "", tool_calls: [WIRE_CALL] },
      { role: "tool", tool_call_id: "a", name: "read", content: "42" },
      { role: "assistant", content: "I have read the tool results." },
      { role: "user", content: "And?" },
    ])
  })

  test("put the answer before a tool's pictures as well, for Mistral", () => {
    const roles = (
      messagesOf("mistral", [assistant(call("a")), result("a", [PNG])]) as { role: string }[]
    ).map(({ role }) => role)

    expect(roles).toEqual(["assistant", "tool", "assistant", "user"])
  })
})

describe("earlier thinking", () => {
  const turn = assistant(thinking("hm"), text("So:"), call("a"))

  test.each([
    { provider: "openai", fields: {} },
    { provider: "azure", fields: {} },
    { provider: "xai", fields: {} },
    { provider: "groq", fields: {} },
    { provider: "together", fields: {} },
    { provider: "huggingface", fields: {} },
    { provider: "perplexity", fields: {} },
    { provider: "lmstudio", fields: {} },
    { provider: "acme", fields: {} },
    { provider: "zai", fields: { reasoning_content: "hm" } },
    { provider: "deepseek", fields: { reasoning_content: "hm" } },
    { provider: "moonshotai", fields: { reasoning_content: "hm" } },
    { provider: "fireworks", fields: { reasoning_content: "hm" } },
    { provider: "alibaba", fields: { reasoning_content: "hm" } },
    { provider: "llamacpp", fields: { reasoning_content: "hm" } },
    { provider: "cerebras", fields: { reasoning: "hm" } },
    { provider: "ollama", fields: { reasoning: "hm" } },
    { provider: "vllm", fields: { reasoning: "hm" } },
    { provider: "openrouter", fields: { reasoning: "hm" } },
    {
      provider: "mistral",
      fields: {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true },
          { type: "text", text: "So:" },
        ],
      },
    },
  ])("goes back to $provider as $fields", ({ provider, fields }) => {
    expect(messagesOf(provider, [turn])).toEqual([
      { role: "assistant", content: "So:", tool_calls: [WIRE_CALL], ...fields },
    ])
  })

  test("goes back in tags to models that think in tags", () => {
    expect(messagesOf("cerebras", [turn], { id: "zai-glm-4.7" })).toMatchObject([
      { content: "<think>\nhm\n</think>\n\nSo:" },
    ])
  })

  test("goes back to OpenRouter as the details it came in, never as the text that was shown", () => {
    const details = [
      { type: "reasoning.text", text: "hm", signature: "s", index: 0, format: "anthropic-claude-v1" },
      { type: "reasoning.encrypted", data: "x", id: "a", index: 1 },
    ]
    const signed = assistant(thinking("hm", JSON.stringify(details)), call("a"))

    expect(messagesOf("openrouter", [signed])).toEqual([
      { role: "assistant", content: "", tool_calls: [WIRE_CALL], reasoning_details: details },
    ])
  })

  test("goes back to OpenRouter as one list, also when a signature came in a block of its own", () => {
    const early = thinking("hm", JSON.stringify([{ type: "reasoning.text", text: "hm", index: 0 }]))
    const late = thinking("", JSON.stringify([{ type: "reasoning.text", signature: "s", index: 0 }]))

    expect(messagesOf("openrouter", [assistant(early, text("So:"), late)])).toMatchObject([
      { reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s", index: 0 }] },
    ])
  })

  test("with a signature that is no details goes back to OpenRouter as text", () => {
    expect(messagesOf("openrouter", [assistant(thinking("hm", "not JSON"), text("So:"))])).toEqual([
      { role: "assistant", content: "So:", reasoning: "hm" },
    ])
  })

  test.each([
    { provider: "deepseek", placeholder: "" },
    { provider: "moonshotai", placeholder: "." },
  ])("that is missing is stood in for at $provider, which insists", ({ provider, placeholder }) => {
    expect(messagesOf(provider, [assistant(call("a"))])).toMatchObject([{ reasoning_content: placeholder }])
    expect(messagesOf(provider, [assistant(call("a"))], { reasoning: false })).not.toHaveProperty(
      "0.reasoning_content",
    )
  })
})

describe("cache marks", () => {
  const model = { id: "anthropic/claude-haiku-4.5" }
  const context = {
    systemPrompt: "Be brief.",
    messages: [user("a"), assistant(call("a")), result("a", [text("42")])],
  }
  const mark = { type: "ephemeral" }

  test("stand at the end of the system prompt and of the last turn, for Claude behind OpenRouter", () => {
    expect(request({ provider: "openrouter", model, context }).messages).toMatchObject([
      { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: mark }] },
      { role: "user", content: "a" },
      { role: "assistant" },
      { role: "tool", content: [{ type: "text", text: "42", cache_control: mark }] },
    ])
  })

  test("stand on the last text of a message with pictures", () => {
    const messages = [user([text("a"), text("b"), PNG])]

    expect(request({ provider: "openrouter", model, context: { messages } }).messages).toEqual([
      { role: "user", content: [text("a"), { ...text("b"), cache_control: mark }, PNG_PART] },
    ])
  })

  test("last an hour where the cache should", () => {
    const body = request({ provider: "openrouter", model, options: { cacheRetention: "long" } })

    expect(body.messages).toMatchObject([{ content: [{ cache_control: { type: "ephemeral", ttl: "1h" } }] }])
  })

  test.each([
    { model: { id: "openai/gpt-5" }, options: {} },
    { model, options: { cacheRetention: "none" } },
  ] as const)("are not set for $model.id with $options", ({ model: other, options }) => {
    expect(request({ provider: "openrouter", model: other, options }).messages).toEqual([
      { role: "user", content: "Hello" },
    ])
  })
})
