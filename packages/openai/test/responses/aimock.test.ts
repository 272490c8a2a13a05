/** Against a mock of OpenAI's API that others wrote: what we and our own server misunderstand alike shows here. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Context, Message, SimpleStreamOptions, Tool } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openaiResponses } from "../../src/index.ts"
import { modelOf } from "./replay.ts"

let mock: ChildProcess
let baseUrl = ""

beforeAll(async () => {
  const cli = join(dirname(createRequire(import.meta.url).resolve("@copilotkit/aimock")), "cli.js")
  const fixtures = join(import.meta.dirname, "aimock.json")
  mock = spawn(process.execPath, [cli, "--port", "0", "--fixtures", fixtures, "--strict"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  baseUrl = `${await addressOf(mock)}/v1`
}, 20_000)

afterAll(() => void mock.kill())

/** The mock says on which port it listens. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ""
    child.stdout?.on("data", (text: Buffer) => {
      said += text.toString()
      const address = /listening on (http:\/\/[\d.:]+)/.exec(said)?.[1]
      if (address) resolve(address)
    })
    child.on("exit", () => reject(new Error(`The mock ended before it listened: ${said}`)))
  })
}

const nothing = { type: "object", properties: {} }
const tools: readonly Tool[] = [
  { name: "weather", description: "The weather in a city", parameters: nothing },
  { name: "now", description: "The time", parameters: nothing },
]

function user(content: string): Message {
  return { role: "user", content, timestamp: 0 }
}

function ask(
  prompt: string | readonly Message[],
  options: SimpleStreamOptions = {},
  more: Partial<Context> = {},
) {
  const messages = typeof prompt === "string" ? [user(prompt)] : prompt
  const streamFn = openaiResponses({ apiKey: "sk-mock" })
  return streamFn(modelOf("openai", { id: "gpt-5.2", baseUrl }), { messages, ...more }, options)
}

function chaos(name: string, amount = "1"): SimpleStreamOptions {
  return { headers: { [`x-aimock-chaos-${name}`]: amount } }
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
    const calls = await ask("weather twice", {}, { tools }).result()

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
    const answer = await ask([user("weather twice"), calls, ...results], {}, { tools }).result()
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
