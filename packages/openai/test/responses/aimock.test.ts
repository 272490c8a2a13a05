import { join } from "node:path"
import type { Context, Message, SimpleStreamOptions } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { openaiResponses } from "../../src/index.ts"
import { chaos, TOOLS, useMock, user } from "../aimock.ts"
import { modelOf } from "./replay.ts"

const mock = useMock(join(import.meta.dirname, "aimock.json"))

function ask(
  prompt: string | readonly Message[],
  options: SimpleStreamOptions = {},
  more: Partial<Context> = {},
) {
  const messages = typeof prompt === "string" ? [user(prompt)] : prompt
  const streamFn = openaiResponses({ apiKey: "sk-mock" })
  return streamFn(modelOf("openai", { id: "gpt-5.2", baseUrl: mock.baseUrl }), { messages, ...more }, options)
}

describe("openaiResponses, against a third party's mock,", () => {
  test("streams text beyond the basic plane, behind reasoning that only can be sent back", async () => {
    const deltas: string[] = []
    const stream = ask("say hello")
    for await (const event of stream) if (event.type === "text_delta") deltas.push(event.delta)

    expect(await stream.result()).toMatchObject({
      content: [
        { type: "thinking", thinking: "", thinkingSignature: expect.stringContaining("encrypted_content") },
        { type: "text", text: "Hello 👋🏽, 世界! Nice to meet you." },
      ],
      stopReason: "stop",
    })
    expect(deltas.length).toBeGreaterThan(1)
  })

  test("streams thinking before the answer", async () => {
    expect((await ask("think first", { reasoning: "low" }).result()).content).toMatchObject([
      { type: "thinking", thinking: "Six times seven." },
      { type: "text", text: "Forty-two." },
    ])
  })

  test("keeps what a tool at the vendor did", async () => {
    const { content } = await ask("search first").result()

    expect(content.map(({ type }) => type)).toEqual(["thinking", "opaque", "text"])
    expect(content[1]).toMatchObject({ kind: "web_search_call", data: { status: "completed" } })
  })

  test("calls two tools at once, one without arguments, and tells the results", async () => {
    const calls = await ask("weather twice", {}, { tools: TOOLS }).result()

    expect(calls).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "thinking" },
        { type: "text", text: "I look." },
        { type: "toolCall", id: "call_paris", name: "weather", arguments: { city: "Paris", unit: "°C" } },
        { type: "toolCall", id: "call_now", name: "now", arguments: {} },
      ],
    })
    const results = calls.content.flatMap((call): Message[] => {
      if (call.type !== "toolCall") return []
      const content = [{ type: "text", text: "sunny" }] as const
      const { id: toolCallId, name: toolName } = call
      return [{ role: "toolResult", toolCallId, toolName, content, isError: false, timestamp: 0 }]
    })
    const answer = await ask([user("weather twice"), calls, ...results], {}, { tools: TOOLS }).result()
    expect(answer).toMatchObject({ stopReason: "stop" })
    expect(answer.content.at(-1)).toMatchObject({ type: "text", text: "Sunny, at noon." })
  })

  test("recognises a prompt that is too long", async () => {
    expect((await ask("no room").result()).failure).toEqual({
      code: "context_overflow",
      retryable: false,
      status: 400,
    })
  })

  test("reports a server that is overloaded", async () => {
    expect(await ask("busy", { maxRetries: 0 }).result()).toMatchObject({
      errorMessage: "Overloaded.",
      failure: { code: "overloaded", retryable: true, status: 529 },
    })
  })

  test("tries again until a server that fails half of the time does not", async () => {
    expect((await ask("say hello", { ...chaos("drop"), maxRetries: 0 }).result()).failure).toMatchObject({
      code: "server",
      status: 500,
    })
    const options = { ...chaos("drop", "0.5"), maxRetries: 30, maxRetryDelayMs: 5 }
    expect(await ask("say hello", options).result()).toMatchObject({ stopReason: "stop" })
  })

  test("reports a rate limit with the wait that is asked for", async () => {
    const { failure } = await ask("say hello", { ...chaos("ratelimit"), maxRetries: 0 }).result()

    expect(failure).toMatchObject({ code: "rate_limit", retryable: true, status: 429 })
    expect(failure?.retryAfterMs).toBeGreaterThan(0)
  })

  test("takes malformed JSON with a good status for a broken protocol", async () => {
    expect(await ask("say hello", { ...chaos("malformed"), maxRetries: 0 }).result()).toMatchObject({
      content: [],
      failure: { code: "protocol", retryable: true },
    })
  })

  test("reports a connection that is cut, and keeps what came before an answer breaks off", async () => {
    expect((await ask("hello", { ...chaos("disconnect"), maxRetries: 0 }).result()).failure).toMatchObject({
      code: "network",
      retryable: true,
    })
    const message = await ask("break off").result()
    expect(message).toMatchObject({ stopReason: "error", failure: { retryable: true } })
    expect(message.content.at(-1)).toMatchObject({ type: "text", text: expect.stringMatching(/^A long/) })
  })

  test("stops in the middle of a slow answer", async () => {
    const controller = new AbortController()
    const stream = ask("slowly", { signal: controller.signal })
    for await (const event of stream) if (event.type === "text_delta") controller.abort()

    const message = await stream.result()
    expect(message.stopReason).toBe("aborted")
    expect(message.content.at(-1)).toMatchObject({ text: "One. " })
  })
})
