/** Cases about what the caller passes in: it is left alone, it reaches the model, and nothing in it makes a StreamFn throw. */
import type { Context, Message, Usage } from "@heddle/types"
import type { ConformanceCase } from "./conformance-case.ts"
import { say, stop, streams } from "./scenario.ts"

const HELLO = streams(say("Hello."), stop())
const ANSWERED = { stopReason: "stop", content: [{ type: "text", text: "Hello." }] } as const

const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const CONVERSATION: Context = {
  systemPrompt: "Marker of the system prompt.",
  messages: [
    { role: "user", content: "Marker of the first question.", timestamp: 1 },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Marker of the first answer." },
        { type: "toolCall", id: "call_1", name: "lookup", arguments: { key: "marker of the arguments" } },
      ],
      api: "another-api",
      provider: "another-provider",
      model: "another-model",
      usage: NO_USAGE,
      stopReason: "toolUse",
      timestamp: 2,
    },
    {
      role: "toolResult",
      toolCallId: "call_1",
      toolName: "lookup",
      content: [{ type: "text", text: "Marker of the result." }],
      isError: false,
      timestamp: 3,
    },
    { role: "user", content: [{ type: "text", text: "Marker of the last question." }], timestamp: 4 },
  ],
  tools: [
    {
      name: "lookup",
      description: "Marker of the tool.",
      parameters: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    },
  ],
}

const user = (content: Extract<Message, { role: "user" }>["content"]): Context => ({
  messages: [{ role: "user", content, timestamp: 1 }],
})

export const callerCases: readonly ConformanceCase[] = [
  {
    name: "frozen inputs are good enough",
    needs: [],
    scenario: HELLO,
    context: CONVERSATION,
    frozen: true,
    expect: ANSWERED,
  },
  {
    name: "two calls at once do not disturb each other",
    needs: [],
    scenario: HELLO,
    use: "twice",
    expect: ANSWERED,
  },
  {
    name: "the whole conversation reaches the model",
    needs: ["http", "toolCalls"],
    scenario: HELLO,
    context: CONVERSATION,
    expect: {
      ...ANSWERED,
      requestContains: [
        "Marker of the system prompt.",
        "Marker of the first question.",
        "Marker of the first answer.",
        "marker of the arguments",
        "Marker of the result.",
        "Marker of the last question.",
        "Marker of the tool.",
      ],
    },
  },
  {
    name: "an image reaches the model",
    needs: ["http", "images"],
    scenario: HELLO,
    context: user([
      { type: "text", text: "What is this?" },
      { type: "image", data: PNG, mimeType: "image/png" },
    ]),
    expect: { ...ANSWERED, requestContains: [PNG] },
  },
  {
    name: "half a surrogate pair in the history does no harm",
    needs: [],
    scenario: HELLO,
    context: user("broken \ud83d emoji \ude00"),
    expect: ANSWERED,
  },
  {
    name: "options that cannot be sent do not throw",
    needs: [],
    scenario: HELLO,
    options: { metadata: { count: 1n, user_id: cyclic() } },
    expect: {},
  },
  {
    name: "a tool whose schema cannot be stated does not throw",
    needs: ["toolCalls"],
    scenario: HELLO,
    context: { ...user("Hi."), tools: [{ name: "odd", description: "Odd.", parameters: unstatable() }] },
    expect: {},
  },
  {
    name: "onPayload that throws is a failure in the stream",
    needs: ["hooks"],
    scenario: HELLO,
    hook: "onPayload throws",
    expect: { stopReason: "error" },
  },
  {
    name: "onResponse that throws is a failure in the stream",
    needs: ["hooks"],
    scenario: HELLO,
    hook: "onResponse throws",
    expect: { stopReason: "error" },
  },
  {
    name: "what onPayload returns is sent instead",
    needs: ["http", "hooks"],
    scenario: HELLO,
    hook: "onPayload replaces",
    expect: { ...ANSWERED, requestContains: ["marker_of_the_replacement"] },
  },
  {
    name: "onResponse is told the status",
    needs: ["http", "hooks"],
    scenario: HELLO,
    hook: "onResponse listens",
    expect: { ...ANSWERED, responseStatus: 200 },
  },
]

function cyclic(): object {
  const loop: { self?: unknown } = {}
  loop.self = loop
  return loop
}

/** A Standard Schema that has no JSON Schema, such as a zod transform. */
function unstatable(): object {
  return {
    "~standard": {
      version: 1,
      vendor: "conformance",
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: () => {
          throw new Error("This schema cannot be stated as JSON Schema")
        },
      },
    },
  }
}
