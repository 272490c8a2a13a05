import { join } from "node:path"
import type { Context, Message, SimpleStreamOptions } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { openaiCompletions } from "../../src/index.ts"
import { chaos, TOOLS, useMock, user } from "../aimock.ts"
import { modelOf } from "./replay.ts"

const mock = useMock(join(import.meta.dirname, "aimock.json"))

function ask(
  prompt: string | readonly Message[],
  options: SimpleStreamOptions = {},
  more: Partial<Context> = {},
) {
  const messages = typeof prompt === "string" ? [user(prompt)] : prompt
  const streamFn = openaiCompletions({ apiKey: "sk-mock" })
  return streamFn(modelOf("openai", { baseUrl: mock.baseUrl }), { messages, ...more }, options)
}

describe("openaiCompletions, against a third party's mock,", () => {
  test("streams text beyond the basic plane", async () => {
    const deltas: string[] = []
    const stream = ask("say hello")
    for await (const event of stream) if (event.type === "text_delta") deltas.push(event.delta)

    expect(await stream.result()).toMatchObject({
      content: [{ type: "text", text: "Hello 👋🏽, 世界! Nice to meet you." }],
      stopReason: "stop",
    })
    expect(deltas.length).toBeGreaterThan(1)
    expect((await stream.result()).usage.totalTokens).toBeGreaterThan(0)
  })

  test("streams thinking before the answer", async () => {
    expect((await ask("think first", { reasoning: "low" }).result()).content).toMatchObject([
      { type: "thinking", thinking: "Six times seven." },
      { type: "text", text: "Forty-two." },
    ])
  })

  test("calls two tools at once, one without arguments, and tells the results", async () => {
    const calls = await ask("weather twice", {}, { tools: TOOLS }).result()

    expect(calls).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "toolCall", id: "call_paris", name: "weather", arguments: { city: "Paris", unit: "°C" } },
        { type: "toolCall", id: "call_now", name: "now", arguments: {} },
      ],
    })
    const results = calls.content.map((call): Message => {
      if (call.type !== "toolCall") throw new Error("not a call")
      const content = [{ type: "text", text: "sunny" }] as const
      return {
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content,
        isError: false,
        timestamp: 0,
      }
    })
    expect(
      await ask([user("weather twice"), calls, ...results], {}, { tools: TOOLS }).result(),
    ).toMatchObject({
      content: [{ type: "text", text: "Sunny, at noon." }],
      stopReason: "stop",
    })
  })

  test("recognises a prompt that is too long", async () => {
    expect((await ask("no room").result()).failure).toEqual({
      code: "context_overflow",
      retryable: false,
      status: 400,
    })
  })

  test("reports a server that fails", async () => {
    expect((await ask("say hello", { ...chaos("drop"), maxRetries: 0 }).result()).failure).toMatchObject({
      code: "server",
      retryable: true,
      status: 500,
    })
  })

  test("tries again until a server that fails half of the time does not", async () => {
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

  test("reports a connection that is cut", async () => {
    expect(
      (await ask("say hello", { ...chaos("disconnect"), maxRetries: 0 }).result()).failure,
    ).toMatchObject({
      code: "network",
      retryable: true,
    })
  })

  test("keeps what came before an answer breaks off", async () => {
    const message = await ask("break off").result()

    expect(message).toMatchObject({ stopReason: "error", failure: { retryable: true } })
    expect(message.content).toMatchObject([{ type: "text", text: expect.stringMatching(/^A long/) }])
  })

  test("waits for a slow server, and not for ever", async () => {
    const slow = chaos("latency", "200")

    expect(await ask("say hello", slow).result()).toMatchObject({ stopReason: "stop" })
    expect(
      (await ask("say hello", { ...slow, timeoutMs: 20, maxRetries: 0 }).result()).failure,
    ).toMatchObject({
      code: "timeout",
    })
  })

  test("stops in the middle of a slow answer", async () => {
    const controller = new AbortController()
    const stream = ask("slowly", { signal: controller.signal })
    for await (const event of stream) if (event.type === "text_delta") controller.abort()

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "One. " }] })
  })
})
