import type {
  AssistantMessage,
  Context,
  Message,
  Model,
  SimpleStreamOptions,
  Tool,
  ToolResultMessage,
  UserMessage,
} from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { resolveCompat } from "../src/compat.ts"
import { BEGAN_EARLIER, IMAGES_OF_TOOLS, NO_OUTPUT } from "../src/to-messages.ts"
import { toRequest } from "../src/to-request.ts"
import { freeze } from "./freeze.ts"
import { modelOf } from "./replay.ts"

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const NOVA = "us.amazon.nova-pro-v1:0"
const LLAMA = "us.meta.llama3-3-70b-instruct-v1:0"
const UNKNOWN = "acme.model-1"

const READ = { name: "read", description: "Reads a file", parameters: Type.Object({ path: Type.String() }) }
const READ_SPEC = {
  toolSpec: {
    name: "read",
    description: "Reads a file",
    inputSchema: {
      json: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  },
}
const POINT = { cachePoint: { type: "default" } }

const PNG = { type: "image", data: "aGk=", mimeType: "image/png" } as const
const PNG_BLOCK = { image: { format: "png", source: { bytes: new TextEncoder().encode("hi") } } }

const user = (content: UserMessage["content"] = "Hello"): UserMessage => ({
  role: "user",
  content,
  timestamp: 0,
})

const assistant = (...content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "bedrock-converse-stream",
  provider: "amazon-bedrock",
  model: CLAUDE,
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
const thought = (thinking: string, thinkingSignature?: string) =>
  ({ type: "thinking", thinking, ...(thinkingSignature !== undefined && { thinkingSignature }) }) as const
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: { path: "a.ts" } }) as const
const use = (id: string) => ({ toolUse: { toolUseId: id, name: "read", input: { path: "a.ts" } } })

interface Request {
  readonly id?: string
  readonly model?: Partial<Model<"bedrock-converse-stream">>
  readonly context?: Partial<Context>
  readonly options?: SimpleStreamOptions
}

// biome-ignore lint/suspicious/noExplicitAny: a body is looked at from outside
function request({ id = CLAUDE, model, context, options = {} }: Request = {}): any {
  const frozen = freeze(modelOf({ id, ...model }))
  return toRequest(frozen, freeze({ messages: [user()], ...context }), freeze(options), resolveCompat(frozen))
}

/** Without cache points. */
// biome-ignore lint/suspicious/noExplicitAny: see above
function messagesOf(messages: readonly Message[], id: string = CLAUDE): any {
  return request({ id, context: { messages }, options: { cacheRetention: "none" } }).messages
}

function withTools(choice: SimpleStreamOptions["toolChoice"], id: string = CLAUDE, messages?: Message[]) {
  const context = { tools: [READ], ...(messages && { messages }) }
  return request({ id, context, options: { toolChoice: choice, cacheRetention: "none" } }).toolConfig
}

describe("the body of a ConverseStream", () => {
  test("to a model nobody knows says only what every model understands", () => {
    const body = request({
      id: UNKNOWN,
      context: { systemPrompt: "Be brief.", tools: [READ] },
      options: {
        temperature: 0.5,
        maxTokens: 100,
        toolChoice: "required",
        sessionId: "s",
        reasoning: "high",
        cacheRetention: "long",
      },
    })

    expect(body).toEqual({
      modelId: UNKNOWN,
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ text: "Hello" }] }],
      toolConfig: { tools: [READ_SPEC] },
      inferenceConfig: { maxTokens: 100, temperature: 0.5 },
    })
  })

  test("to Claude marks the end of tools, system prompt and last user turn", () => {
    const body = request({
      context: {
        systemPrompt: "Be brief.",
        tools: [READ],
        messages: [user("One"), assistant(text("1")), user("Two")],
      },
    })

    expect(body).toEqual({
      modelId: CLAUDE,
      system: [{ text: "Be brief." }, POINT],
      messages: [
        { role: "user", content: [{ text: "One" }] },
        { role: "assistant", content: [{ text: "1" }] },
        { role: "user", content: [{ text: "Two" }, POINT] },
      ],
      toolConfig: { tools: [READ_SPEC, POINT] },
    })
  })

  test.each([
    { id: CLAUDE, retention: "none", ttl: [] },
    { id: CLAUDE, retention: "long", ttl: ["1h", "1h", "1h"] },
    { id: "anthropic.claude-3-7-sonnet-20250219-v1:0", retention: "long", ttl: ["5m", "5m", "5m"] },
    { id: NOVA, retention: "short", ttl: ["5m", "5m"] },
    { id: LLAMA, retention: "short", ttl: [] },
  ] as const)("for $retention retention by $id has cache points $ttl", ({ id, retention, ttl }) => {
    const body = request({
      id,
      context: { systemPrompt: "Be brief.", tools: [READ] },
      options: { cacheRetention: retention },
    })

    const points = [...body.system, ...body.toolConfig.tools, ...body.messages[0].content].filter(
      (block) => block.cachePoint,
    )
    expect(points.map(({ cachePoint }) => cachePoint.ttl ?? "5m")).toEqual(ttl)
  })

  test("clamps max tokens to the model, and names none that nobody asked for", () => {
    expect(request().inferenceConfig).toBeUndefined()
    expect(request({ options: { maxTokens: 1e9 } }).inferenceConfig).toEqual({ maxTokens: 8192 })
  })

  test("leaves out a temperature that the model refuses", () => {
    const options = { temperature: 0.5 }

    expect(request({ id: "anthropic.claude-opus-4-7", options }).inferenceConfig).toBeUndefined()
    expect(request({ options }).inferenceConfig).toEqual({ temperature: 0.5 })
  })

  test("leaves out a blank system prompt", () => {
    expect(request({ context: { systemPrompt: " \n" } })).not.toHaveProperty("system")
  })

  test("passes metadata on as far as the service's log takes it", () => {
    const metadata = {
      user_id: "u-1",
      "with space": "a@b.c",
      count: 3,
      on: true,
      object: { a: 1 },
      none: null,
      ключ: "x",
      long: "x".repeat(257),
      empty: "",
    }

    expect(request({ options: { metadata } }).requestMetadata).toEqual({
      user_id: "u-1",
      "with space": "a@b.c",
      count: "3",
      on: "true",
      empty: "",
    })
    expect(request({ options: { metadata: { object: {} } } })).not.toHaveProperty("requestMetadata")
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, "v"]))
    expect(Object.keys(request({ options: { metadata: many } }).requestMetadata)).toHaveLength(16)
  })

  test("adds what the model's compat says", () => {
    const compat = { additionalModelRequestFields: { anthropic_beta: ["a"], thinking: { type: "x" } } }

    expect(
      request({ model: { compat }, options: { reasoning: "low" } }).additionalModelRequestFields,
    ).toEqual({
      anthropic_beta: ["a"],
      thinking: { type: "x" },
    })
  })
})

describe("tools", () => {
  test("state any schema as an object's, and no empty description", () => {
    const tools: Tool[] = [
      { name: "bare", description: "", parameters: {} },
      { name: "kept", description: "k", parameters: { $schema: "s", type: "object", $defs: { a: {} } } },
    ]

    expect(request({ context: { tools }, options: { cacheRetention: "none" } }).toolConfig.tools).toEqual([
      { toolSpec: { name: "bare", inputSchema: { json: { type: "object" } } } },
      {
        toolSpec: {
          name: "kept",
          description: "k",
          inputSchema: { json: { $schema: "s", type: "object", $defs: { a: {} } } },
        },
      },
    ])
  })

  test.each([
    { choice: undefined, id: CLAUDE, sent: undefined },
    { choice: "auto", id: CLAUDE, sent: { auto: {} } },
    { choice: "required", id: CLAUDE, sent: { any: {} } },
    { choice: { name: "read" }, id: CLAUDE, sent: { tool: { name: "read" } } },
    { choice: "required", id: NOVA, sent: { any: {} } },
    { choice: { name: "read" }, id: "mistral.mistral-large-2407-v1:0", sent: { any: {} } },
    { choice: "auto", id: LLAMA, sent: { auto: {} } },
    { choice: "required", id: LLAMA, sent: undefined },
    { choice: "auto", id: UNKNOWN, sent: undefined },
  ] as const)("with choice $choice for $id say $sent", ({ choice, id, sent }) => {
    expect(withTools(choice, id)).toEqual({ tools: [READ_SPEC], ...(sent && { toolChoice: sent }) })
  })

  const called = [user(), assistant(call("a")), result("a", [text("x")])]

  test.each([
    { title: "none may be called", tools: [READ], choice: "none" },
    { title: "there are none any more", tools: [], choice: undefined },
  ] as const)("are a placeholder where $title but the conversation has calls", ({ tools, choice }) => {
    const body = (messages: Message[]) =>
      request({ context: { tools, messages }, options: { toolChoice: choice, cacheRetention: "none" } })

    expect(body(called).toolConfig).toEqual({
      tools: [{ toolSpec: expect.objectContaining({ name: "unavailable" }) }],
    })
    expect(body([user()])).not.toHaveProperty("toolConfig")
  })

  test("stay as they are where the conversation has calls", () => {
    expect(withTools(undefined, CLAUDE, called)).toEqual({ tools: [READ_SPEC] })
  })
})

describe("messages", () => {
  test("alternate: neighbours of one role are joined, and blank ones left out", () => {
    expect(
      messagesOf([
        user("One"),
        user(" "),
        user([text("Two"), text("")]),
        assistant(text("1")),
        assistant(text("2")),
      ]),
    ).toEqual([
      { role: "user", content: [{ text: "One" }, { text: "Two" }] },
      { role: "assistant", content: [{ text: "1" }, { text: "2" }] },
    ])
  })

  test("begin with the user", () => {
    expect(messagesOf([assistant(text("Hi.")), user()])).toEqual([
      { role: "user", content: [{ text: BEGAN_EARLIER }] },
      { role: "assistant", content: [{ text: "Hi." }] },
      { role: "user", content: [{ text: "Hello" }] },
    ])
  })

  test("lose the white space behind an answer that the model is to go on from, and behind no other", () => {
    const said = assistant(text("Once upon \n"))

    expect(messagesOf([user(), said, user(), said])).toMatchObject([
      { role: "user" },
      { content: [{ text: "Once upon \n" }] },
      { role: "user" },
      { content: [{ text: "Once upon" }] },
    ])
  })

  test("carry pictures as bytes, and a note for those that Bedrock does not take", () => {
    const jpg = { ...PNG, mimeType: "image/JPG" }
    const svg = { ...PNG, mimeType: "image/svg+xml" }

    expect(messagesOf([user([text("See"), PNG, jpg, svg])])[0].content).toEqual([
      { text: "See" },
      PNG_BLOCK,
      { image: { ...PNG_BLOCK.image, format: "jpeg" } },
      { text: "[An image was omitted: Bedrock does not take image/svg+xml.]" },
    ])
    expect(() => messagesOf([user([{ ...PNG, data: "data:image/png;base64,aGk=" }])])).toThrow("not base64")
  })

  test("have the results of one turn together at the top of the next, before what the user says", () => {
    const messages = [
      user(),
      assistant(text("Two at once."), call("a"), call("b")),
      result("a", [text("1")]),
      result("b", [text("2")], true),
      user("And?"),
    ]

    expect(messagesOf(messages).slice(1)).toEqual([
      { role: "assistant", content: [{ text: "Two at once." }, use("a"), use("b")] },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ text: "1" }] } },
          { toolResult: { toolUseId: "b", content: [{ text: "2" }], status: "error" } },
          { text: "And?" },
        ],
      },
    ])
  })

  const resultOf = (content: ToolResultMessage["content"], isError: boolean, id?: string) =>
    messagesOf([user(), assistant(call("a")), result("a", content, isError)], id)[2].content

  test.each([
    { title: "nothing", content: [], isError: false, told: [{ text: NO_OUTPUT }] },
    { title: "blank text", content: [text(" ")], isError: false, told: [{ text: NO_OUTPUT }] },
    { title: "a picture", content: [text("See"), PNG], isError: false, told: [{ text: "See" }, PNG_BLOCK] },
    {
      title: "an error without words",
      content: [],
      isError: true,
      told: [{ text: NO_OUTPUT }],
      status: "error",
    },
  ])("tell of $title from a tool", ({ content, isError, told, status }) => {
    expect(resultOf(content, isError)).toEqual([
      { toolResult: { toolUseId: "a", content: told, ...(status && { status }) } },
    ])
  })

  test("say in words that a tool failed, and show its pictures behind, where a result takes neither", () => {
    expect(resultOf([text("No such file"), PNG], true, LLAMA)).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "Error: No such file" }] } },
      { text: IMAGES_OF_TOOLS },
      PNG_BLOCK,
    ])
    expect(resultOf([text("Error: no")], true, LLAMA)).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "Error: no" }] } },
    ])
  })

  test("give the model its signed and encrypted thinking back as it came", () => {
    const redacted = { type: "thinking", thinking: "", thinkingSignature: "aGk=", redacted: true } as const

    expect(
      messagesOf([
        user(),
        assistant(thought("Hm", "c2ln"), thought("", "ZW1wdHk="), redacted, text("Hi")),
      ])[1],
    ).toEqual({
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } },
        { reasoningContent: { reasoningText: { text: "", signature: "ZW1wdHk=" } } },
        { reasoningContent: { redactedContent: new TextEncoder().encode("hi") } },
        { text: "Hi" },
      ],
    })
  })

  test.each([
    { id: CLAUDE, blocks: [{ text: "Hi" }] },
    { id: NOVA, blocks: [{ text: "Hi" }] },
    {
      id: "openai.gpt-oss-120b-1:0",
      blocks: [{ reasoningContent: { reasoningText: { text: "Hm" } } }, { text: "Hi" }],
    },
  ])("give unsigned thinking back only to those that take it: $id", ({ id, blocks }) => {
    expect(messagesOf([user(), assistant(thought("Hm"), text("Hi"))], id)[1].content).toEqual(blocks)
  })

  test("leave out what the model thought before an answer that never began", () => {
    const cut = assistant(thought("Hm", "c2ln"))
    const ended = assistant(text("Hi"), thought("Hm", "c2ln"))

    expect(messagesOf([user(), cut, user("Go on"), ended, user("Go on")])).toEqual([
      { role: "user", content: [{ text: "Hello" }, { text: "Go on" }] },
      { role: "assistant", content: [{ text: "Hi" }] },
      { role: "user", content: [{ text: "Go on" }] },
    ])
  })

  test("drop encrypted thinking that is damaged, and text that has only a signature", () => {
    const broken = { type: "thinking", thinking: "", thinkingSignature: "%", redacted: true } as const
    const cited = { type: "text", text: "", textSignature: '{"citations":[]}' } as const

    expect(messagesOf([user(), assistant(broken, cited)])).toEqual([
      { role: "user", content: [{ text: "Hello" }] },
    ])
  })

  test("give blocks of the vendor's own kind back in place", () => {
    const toolUse = { toolUseId: "s", name: "nova_grounding", type: "server_tool_use", input: { q: 1 } }
    const toolResult = { toolUseId: "s", content: [{ text: "found" }] }
    const image = { format: "png", source: { bytes: "aGk=" } }
    const opaque = (kind: string, data: unknown) => ({ type: "opaque", kind, data }) as const

    const turn = assistant(
      opaque("server_tool_use", { toolUse }),
      opaque("nova_grounding_result", { toolResult }),
      text("So:"),
      opaque("image", { image }),
      opaque("hologram", { hologram: {} }),
    )

    expect(messagesOf([user(), turn])[1].content).toEqual([
      { toolUse },
      { toolResult },
      { text: "So:" },
      PNG_BLOCK,
    ])
  })
})

describe("thinking", () => {
  const fields = (id: string, options: SimpleStreamOptions, model: Request["model"] = {}) =>
    request({ id, model: { maxTokens: 32_000, ...model }, options }).additionalModelRequestFields

  test.each([
    { reasoning: "minimal", budget: 1024 },
    { reasoning: "low", budget: 2048 },
    { reasoning: "medium", budget: 8192 },
    { reasoning: "high", budget: 16_384 },
    { reasoning: "max", budget: 16_384 },
  ] as const)("of a Claude that takes a budget: $reasoning is $budget tokens", ({ reasoning, budget }) => {
    const body = request({ model: { maxTokens: 32_000 }, options: { reasoning, temperature: 0.5 } })

    expect(body.additionalModelRequestFields).toEqual({
      thinking: { type: "enabled", budget_tokens: budget },
    })
    expect(body.inferenceConfig).toEqual({ maxTokens: 32_000 })
  })

  test("leaves at least 1024 tokens for the answer, or does not think", () => {
    expect(fields(CLAUDE, { reasoning: "high", maxTokens: 4000 })).toEqual({
      thinking: { type: "enabled", budget_tokens: 2976 },
    })
    expect(fields(CLAUDE, { reasoning: "high", maxTokens: 2000 })).toBeUndefined()
  })

  test("takes the caller's budget, and the model's own words before it", () => {
    const thinkingBudgets = { low: 5000 }

    expect(fields(CLAUDE, { reasoning: "low", thinkingBudgets })).toMatchObject({
      thinking: { budget_tokens: 5000 },
    })
    expect(
      fields(CLAUDE, { reasoning: "low", thinkingBudgets }, { thinkingLevelMap: { low: "3000" } }),
    ).toMatchObject({
      thinking: { budget_tokens: 3000 },
    })
    expect(fields(CLAUDE, { reasoning: "low" }, { thinkingLevelMap: { low: "medium" } })).toEqual({
      thinking: { type: "adaptive" },
      output_config: { effort: "medium" },
    })
  })

  test.each([
    {
      id: "anthropic.claude-opus-4-6-v1",
      reasoning: "max",
      sent: { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
    },
    {
      id: "anthropic.claude-opus-4-7",
      reasoning: "xhigh",
      sent: { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "xhigh" } },
    },
    {
      id: "anthropic.claude-sonnet-4-6",
      reasoning: "minimal",
      sent: { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    },
    {
      id: "us.amazon.nova-2-lite-v1:0",
      reasoning: "low",
      sent: { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } },
    },
    { id: "openai.gpt-oss-120b-1:0", reasoning: "medium", sent: { reasoning_effort: "medium" } },
    { id: "openai.gpt-5.4", reasoning: "xhigh", sent: { reasoning: { effort: "xhigh" } } },
    { id: "deepseek.v3-v1:0", reasoning: "low", sent: { reasoning_effort: "high" } },
    { id: "deepseek.r1-v1:0", reasoning: "high", sent: undefined },
    { id: NOVA, reasoning: "high", sent: undefined },
  ] as const)("of $id at $reasoning says $sent", ({ id, reasoning, sent }) => {
    expect(fields(id, { reasoning })).toEqual(sent)
  })

  test.each([
    { id: CLAUDE, sent: undefined },
    { id: "anthropic.claude-opus-4-7", sent: undefined },
    { id: "anthropic.claude-opus-5", sent: { thinking: { type: "disabled" } } },
    { id: "openai.gpt-5.4", sent: { reasoning: { effort: "none" } } },
    { id: "us.amazon.nova-2-lite-v1:0", sent: undefined },
  ])("that nobody asked for: $id is told $sent", ({ id, sent }) => {
    expect(fields(id, {})).toEqual(sent)
    expect(fields(id, { reasoning: "high" }, { reasoning: false })).toBeUndefined()
  })

  test("of Claude takes no temperature beside it, and Nova's hardest no inferenceConfig at all", () => {
    const options = { reasoning: "high", temperature: 0.5, maxTokens: 9000 } as const

    expect(request({ id: "anthropic.claude-opus-4-6-v1", options }).inferenceConfig).toEqual({
      maxTokens: 8192,
    })
    expect(request({ id: "us.amazon.nova-2-lite-v1:0", options })).not.toHaveProperty("inferenceConfig")
    expect(
      request({ id: "us.amazon.nova-2-lite-v1:0", options: { ...options, reasoning: "low" } })
        .inferenceConfig,
    ).toEqual({ maxTokens: 8192, temperature: 0.5 })
  })

  test.each([
    { id: CLAUDE, sent: undefined },
    { id: "anthropic.claude-opus-5", sent: { thinking: { type: "disabled" } } },
  ])("gives way to a call that is forced: $id", ({ id, sent }) => {
    const options = { reasoning: "high", toolChoice: "required" } as const

    const body = request({ id, context: { tools: [READ] }, options })

    expect(body.additionalModelRequestFields).toEqual(sent)
    expect(body.toolConfig.toolChoice).toEqual({ any: {} })
  })

  describe("by budget is not switched on between a call and its result", () => {
    const results = result("a", [text("x")])
    const isOn = (id: string, ...messages: Message[]) =>
      "thinking" in
      (request({ id, context: { messages, tools: [READ] }, options: { reasoning: "low" } })
        .additionalModelRequestFields ?? {})

    test.each([
      { title: "whose turn began without", turn: [assistant(call("a")), results], on: false },
      {
        title: "whose turn began with unsigned thinking",
        turn: [assistant(thought("Hm"), call("a")), results],
        on: false,
      },
      {
        title: "whose turn began with it",
        turn: [assistant(thought("Hm", "c2ln"), call("a")), results],
        on: true,
      },
      {
        title: "whose turn began with it, two calls ago",
        turn: [assistant(thought("Hm", "c2ln"), call("a")), results, assistant(call("b")), result("b", [])],
        on: true,
      },
      {
        title: "also when the user has spoken beside the result",
        turn: [assistant(call("a")), results, user()],
        on: false,
      },
      {
        title: "when the model has answered since",
        turn: [assistant(call("a")), results, assistant(text("So.")), user()],
        on: true,
      },
    ])("$title: $on", ({ turn, on }) => {
      expect(isOn(CLAUDE, user(), ...turn)).toBe(on)
      expect(isOn("anthropic.claude-opus-4-6-v1", user(), ...turn)).toBe(true)
    })
  })
})
