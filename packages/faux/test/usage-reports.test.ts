import type { AssistantMessageEvent, Context } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { callTool, fail, faux, fauxModel, say, think, usage } from "../src/index.ts"
import { read } from "./read.ts"

const model = fauxModel()
const nothing: Context = { messages: [] }

const conversation: Context = {
  systemPrompt: "12345678",
  messages: [
    { role: "user", content: "1234", timestamp: 1 },
    { role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], timestamp: 1 },
    {
      role: "toolResult",
      toolCallId: "c",
      toolName: "t",
      content: [{ type: "text", text: "1234" }],
      isError: false,
      timestamp: 1,
    },
  ],
  tools: [{ name: "abcd", description: "efgh", parameters: {} }],
}

describe("the estimate of usage", () => {
  test("counts four characters a token, and a picture as a thousand", async () => {
    const reply = [think("1234"), say("12345"), callTool("abc", { a: 1 })]

    const result = await faux([reply])(model, conversation).result()

    // 8 + 4 + 4 characters of messages, 4 + 4 + 2 of the tool; 4 + 5 + 3 + 7 of the answer.
    expect(result.usage).toMatchObject({ input: 1007, output: 5, reasoning: 1, totalTokens: 1012 })
    expect(result.usage.cost.total).toBeCloseTo((1007 * 1 + 5 * 10) / 1e6, 12)
  })

  test("counts what the assistant said before", async () => {
    const before = await faux([[think("1234"), say("1234"), callTool("1234", {})]])(model, nothing).result()

    const result = await faux([say("a")])(model, { messages: [before] }).result()

    // 4 of thinking, 4 of text, 4 + 2 of the call.
    expect(result.usage.input).toBe(4)
  })

  test("knows the prompt from the beginning and the answer only at the end", async () => {
    const { events, result } = await read(faux([say("Hello")])(model, conversation))

    expect(partialUsage(events, "text_start")).toMatchObject({ input: 1007, output: 0 })
    expect(partialUsage(events, "text_end")).toMatchObject({ input: 1007, output: 0 })
    expect(result.usage).toMatchObject({ input: 1007, output: 2 })
  })

  test("survives a schema that has no JSON", async () => {
    const parameters: { self?: object } = {}
    parameters.self = parameters
    const context: Context = { messages: [], tools: [{ name: "abcd", description: "", parameters }] }

    expect((await faux([say("a")])(model, context).result()).usage.input).toBe(1)
  })
})

describe("usage that is stated", () => {
  test("by the option holds for every reply", async () => {
    const stated = { input: 100, cacheRead: 50, output: 20, cost: { total: 1 } }
    const streamFn = faux([say("a"), say("b")], { usage: stated })

    await streamFn(model, nothing).result()
    const { events, result } = await read(streamFn(model, nothing))

    expect(result.usage).toMatchObject({ input: 100, cacheRead: 50, output: 20, totalTokens: 170 })
    expect(result.usage.cost.total).toBe(1)
    expect(partialUsage(events, "text_start")).toMatchObject({ input: 100, cacheRead: 50, output: 0 })
  })

  test("by a part of the reply wins over the option, from where it stands", async () => {
    const reply = [say("a"), usage({ input: 7 }), say("b"), usage({ output: 3 })]

    const { events, result } = await read(faux([reply], { usage: { input: 100 } })(model, nothing))

    expect(partialUsage(events, "text_start")).toMatchObject({ input: 0 })
    expect(result.usage).toMatchObject({ input: 7, output: 3, totalTokens: 10 })
  })

  test("is kept on a message that fails", async () => {
    const result = await faux([[usage({ input: 7 }), fail({ code: "server" })]])(model, nothing).result()

    expect(result).toMatchObject({ stopReason: "error", usage: { input: 7 } })
  })
})

function partialUsage(events: readonly AssistantMessageEvent[], type: string) {
  const event = events.find((each) => each.type === type)
  return event && "partial" in event ? event.partial.usage : undefined
}
