import type {
  AssistantMessage,
  Context,
  Message,
  Model,
  SimpleStreamOptions,
  ToolResultMessage,
  Usage,
} from "@heddle/types"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { type GoogleGenerativeAiConfig, googleGenerativeAi } from "../src/index.ts"
import { startBodyServer } from "./body-server.ts"
import { freeze } from "./freeze.ts"
import { modelOf } from "./replay.ts"
import { problemsOf } from "./validate-request.ts"

const PNG = "iVBORw0KGgo="

let server: Awaited<ReturnType<typeof startBodyServer>>
beforeAll(async () => {
  server = await startBodyServer()
})
afterAll(() => server.close())

const GEMINI_3 = { id: "gemini-3-flash-preview" }

/** @returns the body that the server received. */
async function sent(
  context: Context,
  options: SimpleStreamOptions = {},
  model: Partial<Model<"google-generative-ai">> = {},
  config: GoogleGenerativeAiConfig = {},
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
): Promise<any> {
  const asked = modelOf({ baseUrl: server.url, ...model })
  const streamFn = googleGenerativeAi({ apiKey: "key", ...config })
  const message = await streamFn(freeze(asked), freeze(context), options).result()
  expect(message.errorMessage).toBeUndefined()
  const body = server.bodies.at(-1)
  expect(problemsOf(body, asked.id)).toEqual([])
  return body
}

const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

function user(content: Extract<Message, { role: "user" }>["content"]): Message {
  return { role: "user", content, timestamp: 1 }
}

function assistant(
  content: AssistantMessage["content"],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  const identity = { api: "google-generative-ai", provider: "google", model: "gemini-2.5-flash" }
  return {
    role: "assistant",
    content,
    ...identity,
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: 2,
    ...fields,
  }
}

function result(
  toolCallId: string,
  content: ToolResultMessage["content"],
  fields: Partial<ToolResultMessage> = {},
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "look",
    content,
    isError: false,
    timestamp: 3,
    ...fields,
  }
}

const HI = [user("Hi")]
const FOREIGN = { api: "openai-completions", provider: "openai", model: "gpt-x" }

const say = (text: string) => ({ type: "text", text }) as const
const image = { type: "image", data: PNG, mimeType: "image/png" } as const
const lookCall = (id: string, more: object = {}) =>
  ({ type: "toolCall", id, name: "look", arguments: { at: "it" }, ...more }) as const

describe("the body of a request", () => {
  test("holds system prompt, text and pictures", async () => {
    const messages = [user("One"), assistant([say("Two")]), user([say("Three"), image, say("")])]

    expect(await sent({ systemPrompt: "Be brief.", messages })).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "One" }] },
        { role: "model", parts: [{ text: "Two" }] },
        { role: "user", parts: [{ text: "Three" }, { inlineData: { mimeType: "image/png", data: PNG } }] },
      ],
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    })
  })

  test("has no empty system prompt, no empty text, and no message of nothing", async () => {
    const messages = [user("Hi"), assistant([say(" ")]), user(""), user([]), user([say("")])]

    const body = await sent({ systemPrompt: "", messages })

    expect(body).not.toHaveProperty("systemInstruction")
    expect(body.contents).toEqual([{ role: "user", parts: [{ text: "Hi" }] }])
  })

  test("states tools in JSON Schema as it is", async () => {
    const plain = {
      type: "object",
      properties: { n: { type: ["integer", "null"], minimum: 1 } },
      additionalProperties: false,
      $defs: { unused: { const: 1 } },
    }
    const tools = [
      { name: "plain", description: "Plain.", parameters: plain },
      { name: "bare", description: "Bare.", parameters: {} },
      { name: "typed", description: "Typed.", parameters: z.object({ when: z.enum(["now", "later"]) }) },
    ]

    const body = await sent({ messages: HI, tools })

    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: "plain", description: "Plain.", parametersJsonSchema: plain },
          { name: "bare", description: "Bare.", parametersJsonSchema: { type: "object" } },
          {
            name: "typed",
            description: "Typed.",
            parametersJsonSchema: expect.objectContaining({
              type: "object",
              properties: { when: { type: "string", enum: ["now", "later"] } },
              required: ["when"],
            }),
          },
        ],
      },
    ])
    expect(body).not.toHaveProperty("toolConfig")
  })

  test.each([
    { choice: "auto", config: { mode: "AUTO" } },
    { choice: "none", config: { mode: "NONE" } },
    { choice: "required", config: { mode: "ANY" } },
    { choice: { name: "plain" }, config: { mode: "ANY", allowedFunctionNames: ["plain"] } },
  ] as const)("says $choice of tools", async ({ choice, config }) => {
    const tools = [{ name: "plain", description: "Plain.", parameters: { type: "object" } }]

    const body = await sent({ messages: HI, tools }, { toolChoice: choice })

    expect(body.toolConfig).toEqual({ functionCallingConfig: config })
  })

  test.each([{ tools: [] }, {}])("says nothing of tools that there are not: %j", async (more) => {
    const body = await sent({ messages: HI, ...more }, { toolChoice: "required" })

    expect(body).not.toHaveProperty("tools")
    expect(body).not.toHaveProperty("toolConfig")
  })

  test.each([
    { asked: 100, model: {}, tokens: 100 },
    { asked: 1e9, model: {}, tokens: 65_536 },
    { asked: 60_000, model: { contextWindow: 32_000 }, tokens: 31_999 },
    { asked: undefined, model: {}, tokens: undefined },
    { asked: 0, model: {}, tokens: 65_536 },
  ])("keeps the limit $asked within what the model has", async ({ asked, model, tokens }) => {
    const body = await sent({ messages: HI }, { maxTokens: asked }, { reasoning: false, ...model })

    expect(body.generationConfig?.maxOutputTokens).toBe(tokens)
  })

  test("says how warm, and what is safe", async () => {
    const safetySettings = [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" }] as const

    const body = await sent({ messages: HI }, { temperature: 0 }, { reasoning: false }, { safetySettings })

    expect(body.generationConfig).toEqual({ temperature: 0 })
    expect(body.safetySettings).toEqual(safetySettings)
  })

  test("leaves out what a cached content says", async () => {
    const tools = [{ name: "plain", description: "Plain.", parameters: { type: "object" } }]
    const context = { systemPrompt: "Be brief.", messages: HI, tools }

    const body = await sent(
      context,
      { toolChoice: "auto" },
      { reasoning: false },
      {
        cachedContent: "cachedContents/1",
      },
    )

    expect(body).toEqual({ cachedContent: "cachedContents/1", contents: expect.any(Array) })
  })
})

describe("how hard to think", () => {
  const thinkingOf = async (
    id: string,
    options: SimpleStreamOptions,
    model: Partial<Model<"google-generative-ai">> = {},
  ) => (await sent({ messages: HI }, options, { id, ...model })).generationConfig?.thinkingConfig

  test.each([
    { id: "gemini-3-pro-preview", level: "minimal", says: "LOW" },
    { id: "gemini-3-pro-preview", level: "medium", says: "HIGH" },
    { id: "gemini-3.1-pro-preview", level: "medium", says: "MEDIUM" },
    { id: "gemini-3-flash-preview", level: "minimal", says: "MINIMAL" },
    { id: "gemini-3.5-flash", level: "medium", says: "MEDIUM" },
    { id: "gemini-3.5-flash-lite", level: "minimal", says: "MINIMAL" },
    { id: "gemini-3.8-flash", level: "minimal", says: "LOW" },
    { id: "gemini-3.8-flash", level: "max", says: "HIGH" },
    { id: "gemini-3-pro-image-preview", level: "low", says: "HIGH" },
    { id: "gemini-4-argon", level: "xhigh", says: "HIGH" },
    { id: "gemini-flash-latest", level: "high", says: "HIGH" },
    { id: "publishers/google/models/gemini-3-flash-preview", level: "low", says: "LOW" },
    { id: "gemma-4-31b-it", level: "low", says: "HIGH" },
  ] as const)("is a level for $id: $level is $says", async ({ id, level, says }) => {
    expect(await thinkingOf(id, { reasoning: level })).toEqual({ includeThoughts: true, thinkingLevel: says })
  })

  test.each([
    { id: "gemini-2.5-flash", level: "minimal", tokens: 1024 },
    { id: "gemini-2.5-flash", level: "low", tokens: 2048 },
    { id: "gemini-2.5-flash", level: "medium", tokens: 8192 },
    { id: "gemini-2.5-flash", level: "high", tokens: 16_384 },
    { id: "gemini-2.5-flash", level: "max", tokens: 16_384 },
    { id: "gemini-2.5-pro", level: "high", tokens: 16_384 },
    { id: "gemini-robotics-er-1.5", level: "high", tokens: 16_384 },
  ] as const)("is a budget for $id: $level is $tokens", async ({ id, level, tokens }) => {
    expect(await thinkingOf(id, { reasoning: level })).toEqual({
      includeThoughts: true,
      thinkingBudget: tokens,
    })
  })

  test.each([
    { id: "gemini-2.5-flash", setting: { thinkingBudget: 0 } },
    { id: "gemini-2.5-flash-lite", setting: { thinkingBudget: 0 } },
    { id: "gemini-2.5-pro", setting: { thinkingBudget: 128 } },
    { id: "gemini-3-pro-preview", setting: { thinkingLevel: "LOW" } },
    { id: "gemini-3-flash-preview", setting: { thinkingLevel: "MINIMAL" } },
    { id: "gemini-3.8-flash", setting: { thinkingLevel: "LOW" } },
    { id: "gemini-3-pro-image-preview", setting: undefined },
    { id: "gemini-robotics-er-1.5", setting: undefined },
  ])("is as little as can be for $id, when nobody asks", async ({ id, setting }) => {
    expect(await thinkingOf(id, {})).toEqual(setting)
  })

  test.each([
    {
      what: "the caller's budget",
      options: { reasoning: "low", thinkingBudgets: { low: 5000 } },
      tokens: 5000,
    },
    {
      what: "the most that the model takes",
      options: { reasoning: "high", thinkingBudgets: { high: 60_000 } },
      tokens: 24_576,
    },
    {
      what: "what leaves room for the answer",
      options: { reasoning: "high", maxTokens: 4096 },
      tokens: 3072,
    },
  ] as const)("is $what", async ({ options, tokens }) => {
    expect(await thinkingOf("gemini-2.5-flash", options)).toEqual({
      includeThoughts: true,
      thinkingBudget: tokens,
    })
  })

  test("is nothing where there is no room to think and to answer", async () => {
    expect(await thinkingOf("gemini-2.5-flash", { reasoning: "high", maxTokens: 1500 })).toEqual({
      thinkingBudget: 0,
    })
  })

  test.each([
    { map: { high: "12000" }, reasoning: "high", setting: { includeThoughts: true, thinkingBudget: 12_000 } },
    { map: { high: "-1" }, reasoning: "high", setting: { includeThoughts: true, thinkingBudget: -1 } },
    { map: { high: "ULTRA" }, reasoning: "high", setting: { includeThoughts: true, thinkingLevel: "ULTRA" } },
    { map: { max: "XHIGH" }, reasoning: "max", setting: { includeThoughts: true, thinkingLevel: "XHIGH" } },
    {
      map: { low: null, medium: null },
      reasoning: "low",
      setting: { includeThoughts: true, thinkingBudget: 16_384 },
    },
    { map: { off: "256" }, reasoning: undefined, setting: { thinkingBudget: 256 } },
    { map: { off: null }, reasoning: undefined, setting: undefined },
  ] as const)("is what the model's map says: $map", async ({ map, reasoning, setting }) => {
    expect(await thinkingOf("gemini-2.5-flash", { reasoning }, { thinkingLevelMap: map })).toEqual(setting)
  })

  test.each([
    { what: "a model that cannot think", model: { reasoning: false } },
    { what: "a model that is not to be asked", model: { compat: { thinkingFormat: "none" } } },
  ] as const)("is not said to $what", async ({ model }) => {
    expect(await thinkingOf("gemini-2.5-flash", { reasoning: "high" }, model)).toBeUndefined()
  })

  test("is what model and configuration say of the model, the model first", async () => {
    const compat = { thinkingFormat: "level", thinkingOff: "LOW", toolCallIds: undefined } as const
    const config = { compat: { thinkingOff: "HIGH", thinkingFormat: "budget" } } as const

    const body = await sent({ messages: HI }, {}, { id: "other", compat }, config)

    expect(body.generationConfig.thinkingConfig).toEqual({ thinkingLevel: "LOW" })
  })
})

describe("the history in a request", () => {
  const contents = async (
    messages: readonly Message[],
    model: Partial<Model<"google-generative-ai">> = {},
    config: GoogleGenerativeAiConfig = {},
  ) => (await sent({ messages }, {}, model, config)).contents

  test("has every signature on the part it came with", async () => {
    const own = assistant([
      { type: "thinking", thinking: "Hm.", thinkingSignature: "sig-0" },
      { type: "thinking", thinking: "So." },
      { type: "text", text: "A", textSignature: "sig-1" },
      { type: "text", text: "B" },
      { type: "text", text: "", textSignature: "sig-2" },
      lookCall("given-1", { thoughtSignature: "sig-3" }),
      lookCall("given-2"),
    ])

    const [, model, responses] = await contents([
      user("Hi"),
      own,
      result("given-1", [say("1")]),
      result("given-2", [say("2")]),
    ])

    expect(model).toEqual({
      role: "model",
      parts: [
        { text: "Hm.", thought: true, thoughtSignature: "sig-0" },
        { text: "So.", thought: true },
        { text: "A", thoughtSignature: "sig-1" },
        { text: "B" },
        { text: "", thoughtSignature: "sig-2" },
        {
          functionCall: { id: "given-1", name: "look", args: { at: "it" } },
          thoughtSignature: "sig-3",
        },
        { functionCall: { id: "given-2", name: "look", args: { at: "it" } } },
      ],
    })
    expect(responses).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "given-1", name: "look", response: { output: "1" } } },
        { functionResponse: { id: "given-2", name: "look", response: { output: "2" } } },
      ],
    })
  })

  test("has blocks of the vendor's own in their place, and none of what was only told about the text", async () => {
    const part = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "sig" }
    const picture = { inlineData: { mimeType: "image/png", data: PNG } }

    const [, model] = await contents([
      user("Hi"),
      assistant([
        say("A"),
        { type: "opaque", kind: "executableCode", data: part },
        { type: "opaque", kind: "inlineData", data: picture },
        say("B"),
        { type: "opaque", kind: "citationMetadata", data: { citations: [] } },
        { type: "opaque", kind: "groundingMetadata", data: { groundingChunks: [] } },
        { type: "opaque", kind: "urlContextMetadata", data: {} },
      ]),
      user("Go on"),
    ])

    expect(model.parts).toEqual([{ text: "A" }, part, picture, { text: "B" }])
  })

  test.each([
    { what: "another vendor's", identity: FOREIGN },
    { what: "another model's", identity: { model: "gemini-2.5-pro" } },
    { what: "the same model's, but from elsewhere,", identity: { provider: "google-vertex" } },
  ])("has of $what turn the text and the calls, without ids and signatures", async ({ identity }) => {
    const foreign = assistant(
      [
        { type: "thinking", thinking: "Hm.", thinkingSignature: "sig-0" },
        { type: "text", text: "A", textSignature: "sig-1" },
        { type: "opaque", kind: "executableCode", data: { executableCode: {} } },
        lookCall("toolu_1", { thoughtSignature: "sig-2" }),
      ],
      identity,
    )

    const [, model, responses] = await contents([user("Hi"), foreign, result("toolu_1", [say("1")])])

    expect(model.parts).toEqual([{ text: "A" }, { functionCall: { name: "look", args: { at: "it" } } }])
    expect(responses.parts).toEqual([{ functionResponse: { name: "look", response: { output: "1" } } }])
  })

  test("has another model's thinking as text where that is asked for", async () => {
    const foreign = assistant([{ type: "thinking", thinking: "Hm." }, say("A")], FOREIGN)

    const [, model] = await contents([user("Hi"), foreign, user("Go on")], {}, { foreignThinking: "text" })

    expect(model.parts).toEqual([{ text: "Hm." }, { text: "A" }])
  })

  test("has no id that the host did not give", async () => {
    const made = lookCall("local_00112233445566778899aabb")
    const [, model, responses] = await contents([
      user("Hi"),
      assistant([made, lookCall("given")]),
      result(made.id, [say("1")]),
      result("given", [say("2")]),
    ])

    expect(model.parts).toEqual([
      { functionCall: { name: "look", args: { at: "it" } } },
      { functionCall: { id: "given", name: "look", args: { at: "it" } } },
    ])
    expect(responses.parts).toMatchObject([
      { functionResponse: { response: { output: "1" } } },
      { functionResponse: { id: "given", response: { output: "2" } } },
    ])
    expect(responses.parts[0].functionResponse).not.toHaveProperty("id")
  })

  test.each([
    { toolCallIds: "always", id: expect.stringMatching(/^[\w-]{1,64}$/) },
    { toolCallIds: "never", id: undefined },
  ] as const)("has ids of calls $toolCallIds where the model wants it so", async ({ toolCallIds, id }) => {
    const [, model, responses] = await contents(
      [user("Hi"), assistant([lookCall("odd:id|1")]), result("odd:id|1", [say("1")])],
      { compat: { toolCallIds } },
    )

    expect(model.parts[0].functionCall.id).toEqual(id)
    expect(responses.parts[0].functionResponse.id).toEqual(id)
  })

  test("signs the first of another model's calls for a model that checks signatures", async () => {
    const turn = (id: string, identity: object) => [
      assistant([lookCall(`${id}-1`), lookCall(`${id}-2`)], identity),
      result(`${id}-1`, [say("1")]),
      result(`${id}-2`, [say("2")]),
    ]

    const [, first, , second] = await contents(
      [user("Hi"), ...turn("a", FOREIGN), ...turn("b", FOREIGN)],
      GEMINI_3,
    )

    for (const { parts } of [first, second]) {
      expect(parts[0].thoughtSignature).toBe("skip_thought_signature_validator")
      expect(parts[1]).not.toHaveProperty("thoughtSignature")
    }
  })

  test("leaves the model's own signature alone", async () => {
    const own = assistant([lookCall("a", { thoughtSignature: "sig" })], { model: GEMINI_3.id })

    const [, model] = await contents([user("Hi"), own, result("a", [say("1")])], GEMINI_3)

    expect(model.parts[0].thoughtSignature).toBe("sig")
  })

  test("tells errors as errors, empty results as empty ones, and joins texts", async () => {
    const [, , responses] = await contents([
      user("Hi"),
      assistant([lookCall("a"), lookCall("b"), lookCall("c"), lookCall("d")]),
      result("a", [say("It broke.")], { isError: true }),
      result("b", []),
      result("c", [say("One"), say("Two")]),
    ])

    expect(
      responses.parts.map(
        (part: { functionResponse: { response: unknown } }) => part.functionResponse.response,
      ),
    ).toEqual([
      { error: "It broke." },
      { output: "" },
      { output: "One\nTwo" },
      { error: "The tool call was not executed." },
    ])
  })

  describe("with pictures of tools", () => {
    const messages = [
      user("Hi"),
      assistant([lookCall("local_1"), lookCall("local_2")]),
      result("local_1", [image]),
      result("local_2", [say("Two"), image], { isError: true }),
      user("And?"),
    ]
    const inline = { inlineData: { mimeType: "image/png", data: PNG } }

    test("has them in the results, where the model takes them there", async () => {
      const own = messages.map((message) =>
        message.role === "assistant" ? { ...message, model: GEMINI_3.id } : message,
      )

      const [, , responses, next] = await contents(own, GEMINI_3)

      expect(responses.parts).toEqual([
        { functionResponse: { name: "look", response: { output: "" }, parts: [inline] } },
        { functionResponse: { name: "look", response: { error: "Two" }, parts: [inline] } },
      ])
      expect(next.parts).toEqual([{ text: "And?" }])
    })

    test("has them behind all results, where it does not", async () => {
      const [, , responses, pictures, next] = await contents(messages)

      expect(responses.parts).toEqual([
        { functionResponse: { name: "look", response: { output: "(see the attached images)" } } },
        { functionResponse: { name: "look", response: { error: "Two" } } },
      ])
      expect(pictures).toEqual({
        role: "user",
        parts: [{ text: "Images from the tool results above:" }, inline, inline],
      })
      expect(next.parts).toEqual([{ text: "And?" }])
    })

    test("has a note for a model without eyes", async () => {
      const [, , responses] = await contents(messages, { input: ["text"] })

      expect(responses.parts[0].functionResponse.response.output).toMatch(/does not accept images/)
      expect(JSON.stringify(responses)).not.toContain(PNG)
    })
  })

  test("joins turns of the model that follow each other, and begins with the user", async () => {
    const call = assistant([lookCall("a")])

    expect(
      await contents([assistant([say("A")]), assistant([say("B")]), call, result("a", [say("1")])]),
    ).toEqual([
      { role: "user", parts: [{ text: "(The conversation goes on.)" }] },
      {
        role: "model",
        parts: [
          { text: "A" },
          { text: "B" },
          { functionCall: { id: "a", name: "look", args: { at: "it" } } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { id: "a", name: "look", response: { output: "1" } } }] },
    ])
  })

  test("has neither failed turns nor halves of surrogate pairs", async () => {
    const failed = assistant([say("Half"), lookCall("a")], { stopReason: "error" })
    const aborted = assistant([{ type: "thinking", thinking: "Hm." }, say("Kept"), lookCall("b")], {
      stopReason: "aborted",
    })

    expect(await contents([user("a\ud83d b"), failed, result("a", []), aborted, user("\ude00c")])).toEqual([
      { role: "user", parts: [{ text: "a b" }] },
      { role: "model", parts: [{ text: "Kept" }] },
      { role: "user", parts: [{ text: "c" }] },
    ])
  })
})

describe("any transcript", () => {
  const text = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom("", " ", "\ud83d", "word"))
  const id = fc.constantFrom("a", "b", "local_1", "call:1|x", "")
  const signature = fc.option(fc.constantFrom("sig-1", "sig-2"), { nil: undefined })
  const optional = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })
  const block = fc.oneof(
    fc.tuple(text, signature).map(([said, s]) => ({ ...say(said), ...optional("textSignature", s) })),
    fc.tuple(text, signature).map(([said, s]) => ({
      type: "thinking" as const,
      thinking: said,
      ...optional("thinkingSignature", s),
    })),
    fc.tuple(id, signature).map(([callId, s]) => lookCall(callId, optional("thoughtSignature", s))),
    fc.constantFrom(
      { type: "opaque" as const, kind: "executableCode", data: { executableCode: { code: "1" } } },
      { type: "opaque" as const, kind: "groundingMetadata", data: {} },
    ),
  )
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.oneof(text, fc.array(fc.oneof(text.map(say), fc.constant(image)), { maxLength: 3 })).map(user),
    fc
      .tuple(
        fc.array(block, { maxLength: 4 }),
        fc.constantFrom(FOREIGN, { model: "gemini-3-flash-preview" }, { model: "gemini-2.5-flash" }),
        fc.constantFrom("stop", "toolUse", "length", "error", "aborted"),
      )
      .map(([content, identity, stopReason]) =>
        assistant(content, { ...identity, stopReason: stopReason as AssistantMessage["stopReason"] }),
      ),
    fc
      .tuple(id, fc.array(fc.oneof(text.map(say), fc.constant(image)), { maxLength: 2 }), fc.boolean())
      .map(([callId, content, isError]) => result(callId, content, { isError })),
  )

  test.each([GEMINI_3.id, "gemini-2.5-flash"])("makes a request that %s takes", async (model) => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 8 }), async (messages) => {
        await sent({ messages: [...messages, user("Go on.")] }, {}, { id: model })
      }),
      { numRuns: 50 },
    )
  })
})
