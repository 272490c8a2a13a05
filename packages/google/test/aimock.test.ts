/** Against a mock of Google's APIs that others wrote: what we and our own server misunderstand alike shows here. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Context, Message, Model, SimpleStreamOptions, Tool } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type GoogleGenerativeAiConfig, googleGenerativeAi } from "../src/index.ts"
import { modelOf } from "./replay.ts"

let mock: ChildProcess
let baseUrl = ""

beforeAll(async () => {
  const cli = join(dirname(createRequire(import.meta.url).resolve("@copilotkit/aimock")), "cli.js")
  const fixtures = join(import.meta.dirname, "aimock.json")
  mock = spawn(process.execPath, [cli, "--port", "0", "--fixtures", fixtures, "--strict"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  baseUrl = await addressOf(mock)
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

interface Question {
  readonly options?: SimpleStreamOptions
  readonly context?: Partial<Context>
  readonly model?: Partial<Model<"google-generative-ai">>
  readonly config?: GoogleGenerativeAiConfig
}

function ask(prompt: string | readonly Message[], { options, context, model, config }: Question = {}) {
  const messages = typeof prompt === "string" ? [user(prompt)] : prompt
  const streamFn = googleGenerativeAi({ apiKey: "AIza-mock", ...config })
  return streamFn(modelOf({ baseUrl, ...model }), { messages, ...context }, options)
}

function chaos(name: string, amount = "1"): SimpleStreamOptions {
  return { headers: { [`x-aimock-chaos-${name}`]: amount }, maxRetries: 0 }
}

describe("googleGenerativeAi, against a third party's mock,", () => {
  test("streams text beyond the basic plane", async () => {
    const deltas: string[] = []
    const stream = ask("say hello")
    for await (const event of stream) if (event.type === "text_delta") deltas.push(event.delta)

    expect(await stream.result()).toMatchObject({
      content: [{ type: "text", text: "Hello 👋🏽, 世界! Nice to meet you." }],
      stopReason: "stop",
    })
    expect(deltas.length).toBeGreaterThan(1)
  })

  test("streams text from Vertex AI", async () => {
    const config = { project: "p", location: "europe-west1", apiVersion: "v1" }

    expect(await ask("say hello", { config, model: { provider: "google-vertex" } }).result()).toMatchObject({
      content: [{ text: "Hello 👋🏽, 世界! Nice to meet you." }],
      stopReason: "stop",
    })
  })

  test("streams thinking before the answer", async () => {
    expect((await ask("think first", { options: { reasoning: "low" } }).result()).content).toMatchObject([
      { type: "thinking", thinking: "Six times seven." },
      { type: "text", text: "Forty-two." },
    ])
  })

  test("calls two tools at once, one without arguments, and tells the results", async () => {
    const calls = await ask("weather twice", { context: { tools } }).result()

    expect(calls).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "toolCall", name: "weather", arguments: { city: "Paris", unit: "°C" } },
        { type: "toolCall", name: "now", arguments: {} },
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
      await ask([user("weather twice"), calls, ...results], { context: { tools } }).result(),
    ).toMatchObject({ content: [{ type: "text", text: "Sunny, at noon." }], stopReason: "stop" })
  })

  test("recognises a prompt that is too long", async () => {
    expect((await ask("no room").result()).failure).toEqual({
      code: "context_overflow",
      retryable: false,
      status: 400,
    })
  })

  test("reports a server that fails", async () => {
    expect((await ask("say hello", { options: chaos("drop") }).result()).failure).toMatchObject({
      code: "server",
      retryable: true,
      status: 500,
    })
  })

  test("tries again until a server that fails half of the time does not", async () => {
    const options = { ...chaos("drop", "0.5"), maxRetries: 30, maxRetryDelayMs: 5 }

    expect(await ask("say hello", { options }).result()).toMatchObject({ stopReason: "stop" })
  })

  test("reports a rate limit with the wait that is asked for", async () => {
    const { failure } = await ask("say hello", { options: chaos("ratelimit") }).result()

    expect(failure).toMatchObject({ code: "rate_limit", retryable: true, status: 429 })
    expect(failure?.retryAfterMs).toBeGreaterThan(0)
  })

  test("takes malformed JSON with a good status for a broken protocol", async () => {
    expect(await ask("say hello", { options: chaos("malformed") }).result()).toMatchObject({
      content: [],
      failure: { code: "protocol", retryable: true },
    })
  })

  test("reports a connection that is cut", async () => {
    expect((await ask("say hello", { options: chaos("disconnect") }).result()).failure).toMatchObject({
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

    expect(await ask("say hello", { options: slow }).result()).toMatchObject({ stopReason: "stop" })
    expect((await ask("say hello", { options: { ...slow, timeoutMs: 20 } }).result()).failure).toMatchObject({
      code: "timeout",
    })
  })

  test("stops in the middle of a slow answer", async () => {
    const controller = new AbortController()
    const stream = ask("slowly", { options: { signal: controller.signal } })
    for await (const event of stream) if (event.type === "text_delta") controller.abort()

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "One. " }] })
  })
})
