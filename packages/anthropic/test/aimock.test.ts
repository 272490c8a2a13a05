/** Against a mock of Anthropic's API that others wrote: what we and our own server misunderstand alike shows here. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Context, Message, SimpleStreamOptions, Tool } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { anthropicMessages } from "../src/index.ts"
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

function ask(
  prompt: string | readonly Message[],
  options: SimpleStreamOptions = {},
  more: Partial<Context> = {},
) {
  const messages = typeof prompt === "string" ? [user(prompt)] : prompt
  const streamFn = anthropicMessages({ apiKey: "sk-ant-mock" })
  return streamFn(modelOf({ baseUrl }), { messages, ...more }, options)
}

function chaos(name: string, amount = "1"): SimpleStreamOptions {
  return { headers: { [`x-aimock-chaos-${name}`]: amount } }
}

describe("anthropicMessages, against a third party's mock,", () => {
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

  test("streams thinking before the answer", async () => {
    expect((await ask("think first", { reasoning: "low" }).result()).content).toMatchObject([
      { type: "thinking", thinking: "Six times seven." },
      { type: "text", text: "Forty-two." },
    ])
  })

  test("calls two tools at once, one without arguments, and tells the results", async () => {
    const calls = await ask("weather twice", {}, { tools }).result()

    expect(calls).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "toolCall", id: "toolu_paris", name: "weather", arguments: { city: "Paris", unit: "°C" } },
        { type: "toolCall", id: "toolu_now", name: "now", arguments: {} },
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
    expect(await ask([user("weather twice"), calls, ...results], {}, { tools }).result()).toMatchObject({
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

  test("reports an overload, after trying again", async () => {
    const onResponse = vi.fn()

    expect(await ask("overload", { maxRetries: 1, maxRetryDelayMs: 5, onResponse }).result()).toMatchObject({
      errorMessage: "Overloaded",
      failure: { code: "overloaded", retryable: true, status: 529 },
    })
    expect(onResponse).toHaveBeenCalledTimes(2)
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
