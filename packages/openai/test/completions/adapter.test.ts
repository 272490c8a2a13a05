import { createServer } from "node:net"
import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { OpenAI } from "openai"
import { afterEach, describe, expect, test, vi } from "vitest"
import { type OpenAICompletionsConfig, openaiCompletions } from "../../src/index.ts"
import { freeze } from "../freeze.ts"
import { impatientFetch } from "../impatient-fetch.ts"
import {
  bytesOf,
  drop,
  raw,
  refuse,
  type ScriptedServer,
  silence,
  stall,
  startServer,
  trickle,
} from "../scripted-server.ts"
import { answer, chunk, DONE, HELLO } from "./wire-chunks.ts"

const KEY = "sk-test-4f9c2b7a"

const context: Context = freeze({ messages: [{ role: "user", content: "Hi", timestamp: 0 }] })

function modelAt(baseUrl: string, fields: Partial<Model> = {}): Model {
  return freeze({
    id: "gpt-x",
    name: "GPT X",
    api: "openai-completions",
    provider: "openai",
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 8000,
    ...fields,
  })
}

function ask(
  server: ScriptedServer,
  options: SimpleStreamOptions = {},
  config: OpenAICompletionsConfig = {},
) {
  return openaiCompletions({ apiKey: KEY, ...config })(modelAt(server.baseUrl), context, options)
}

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** The first try fails, the second does not: without waiting long in between. */
const AT_ONCE = { "retry-after-ms": "5" }

afterEach(() => vi.unstubAllEnvs())

describe("openaiCompletions", () => {
  test("streams an answer", async () => {
    const server = await startServer(answer())

    const stream = ask(server)

    expect((await collect(stream)).map(({ type }) => type)).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_delta",
      "text_end",
      "done",
    ])
    expect(await stream.result()).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      api: "openai-completions",
      provider: "openai",
      model: "gpt-x",
      responseId: "chatcmpl-1",
      responseModel: "gpt-x-2026",
      stopReason: "stop",
      rawStopReason: "stop",
      usage: { input: 5, output: 2, totalTokens: 7, cost: { total: 9e-6 } },
    })
  })

  test("sends one request with the key and nothing that is not needed", async () => {
    const server = await startServer(answer())

    await ask(server, { temperature: 0.5, maxTokens: 100 }).result()

    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request?.url).toBe("/v1/chat/completions")
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
    })
    expect(request?.headers).not.toHaveProperty("x-stainless-timeout")
    expect(request?.body).toEqual({
      model: "gpt-x",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      temperature: 0.5,
      max_completion_tokens: 100,
    })
  })

  test("reads four-byte characters that are cut into pieces of any size", async () => {
    const text = "héllo 👋🏽 世界 𝒳 \u{10FFFF}"
    const body = bytesOf([...Array.from(text, (content) => chunk({ content })), chunk({}, "stop")], DONE)
    for (const size of [1, 4, 7]) {
      const server = await startServer(trickle(body, size))

      expect((await ask(server).result()).content).toEqual([{ type: "text", text }])
    }
  })

  test("streams thinking, text and parallel calls, one of them without arguments", async () => {
    const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] })
    const server = await startServer(
      answer([
        chunk({ reasoning_content: "Hm" }),
        chunk({ reasoning_content: "." }),
        chunk({ content: "Look:" }),
        call(0, { id: "call_a", type: "function", function: { name: "read", arguments: "" } }),
        call(1, { id: "call_b", type: "function", function: { name: "list", arguments: "" } }),
        call(0, { function: { arguments: '{"pa' } }),
        call(0, { function: { arguments: 'th":"a.ts"}' } }),
        chunk({}, "tool_calls"),
      ]),
    )

    expect(await ask(server).result()).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Look:" },
        { type: "toolCall", id: "call_a", name: "read", arguments: { path: "a.ts" } },
        { type: "toolCall", id: "call_b", name: "list", arguments: {} },
      ],
    })
  })

  test("uses connections again", async () => {
    const server = await startServer(answer())

    for (let turn = 0; turn < 6; turn++) await ask(server).result()

    // The end of a body may still be on its way when the next request leaves.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test.each([
    { ending: "no [DONE]", end: "" },
    { ending: "one line break", end: "data: [DONE]\n" },
    { ending: "a cut chunk behind the finish reason", end: 'data: {"choi' },
  ])("takes an answer that ends with $ending for whole", async ({ end }) => {
    const server = await startServer(raw(bytesOf(HELLO, end)))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("does not wait for a body that stays open behind [DONE]", async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(bytesOf(HELLO, DONE))
    })

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop" })
    await server.requests[0]?.hungUp
  })

  test("takes an answer for whole whose connection drops behind the finish reason", async () => {
    const server = await startServer(drop(HELLO.slice(0, 3)))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("takes the answer of a server that does not stream", async () => {
    const message = { role: "assistant", content: "Hello" }
    const choices = [{ index: 0, message, finish_reason: "stop" }]
    const body = JSON.stringify({ id: "c", object: "chat.completion", model: "m", choices }, null, 2)
    const server = await startServer(raw(body, "application/json"))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  describe("finds key and address", () => {
    test.each([
      { provider: "openai", variable: "OPENAI_API_KEY" },
      { provider: "groq", variable: "GROQ_API_KEY" },
      { provider: "mistral", variable: "MISTRAL_API_KEY" },
    ])("in $variable for $provider", async ({ provider, variable }) => {
      vi.stubEnv(variable, "sk-from-env")
      const server = await startServer(answer())

      await openaiCompletions()(modelAt(server.baseUrl, { provider }), context).result()

      expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-from-env")
    })

    test("or says what to set", async () => {
      vi.stubEnv("OPENAI_API_KEY", "")
      const server = await startServer(answer())

      const events = await collect(openaiCompletions()(modelAt(server.baseUrl), context))

      expect(events).toMatchObject([
        {
          type: "error",
          error: {
            failure: { code: "auth", retryable: false },
            errorMessage: expect.stringContaining("set OPENAI_API_KEY"),
          },
        },
      ])
      expect(server.requests).toHaveLength(0)
    })

    test("and needs no key for a server on one's own machine, nor sends another vendor's", async () => {
      vi.stubEnv("OPENAI_API_KEY", "sk-of-openai")
      vi.stubEnv("OPENAI_ADMIN_KEY", "sk-admin")
      vi.stubEnv("OPENAI_ORG_ID", "org-of-openai")
      vi.stubEnv("OPENAI_PROJECT_ID", "project-of-openai")
      const server = await startServer(answer())

      const message = await openaiCompletions()(
        modelAt(server.baseUrl, { provider: "ollama" }),
        context,
      ).result()

      expect(message.stopReason).toBe("stop")
      expect(Object.keys(server.requests[0]?.headers ?? {})).not.toContain("authorization")
      expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("of-openai")
    })

    test("and sends Azure's in its own header", async () => {
      const server = await startServer(answer())
      const model = modelAt(`${server.baseUrl}/openai?api-version=2024-10-21`, { provider: "azure" })

      await openaiCompletions({ apiKey: KEY })(model, context).result()

      const [request] = server.requests
      expect(request?.headers["api-key"]).toBe(KEY)
      expect(request?.headers).not.toHaveProperty("authorization")
      expect(request?.url).toBe("/v1/openai/chat/completions?api-version=2024-10-21")
    })

    test("and asks for the address of a vendor that has none", async () => {
      const message = await openaiCompletions({ apiKey: KEY })(
        modelAt("", { provider: "azure" }),
        context,
      ).result()

      expect(message).toMatchObject({
        errorMessage: expect.stringContaining("baseUrl"),
        failure: { code: "invalid_request" },
      })
    })

    test("and lets the configuration's address win, with what is known about it", async () => {
      const server = await startServer(answer())
      const config = {
        apiKey: KEY,
        baseUrl: server.baseUrl,
        compat: { maxTokensField: "max_tokens" },
      } as const

      await openaiCompletions(config)(modelAt("http://127.0.0.1:1"), context, { maxTokens: 5 }).result()

      expect(server.requests[0]?.body).toMatchObject({ max_tokens: 5 })
    })
  })

  test("takes a field of the model that is undefined for absent", async () => {
    const server = await startServer(answer())
    const config = { apiKey: KEY, compat: { maxTokensField: "max_tokens" } } as const
    const model = modelAt(server.baseUrl, { compat: { maxTokensField: undefined } })

    await openaiCompletions(config)(model, context, { maxTokens: 5 }).result()

    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 5 })
  })

  test("merges headers, and a null removes even the SDK's own", async () => {
    const server = await startServer(answer())
    const model = modelAt(server.baseUrl, { headers: { "X-Model": "m", "X-Both": "m" } })
    const headers = { "x-both": "o", "User-Agent": null, "x-config": null }

    await openaiCompletions({ apiKey: KEY, headers: { "X-Config": "c" } })(model, context, {
      headers,
    }).result()

    const sent = server.requests[0]?.headers
    expect(sent).toMatchObject({ "x-model": "m", "x-both": "o" })
    expect(sent?.["user-agent"]).not.toContain("OpenAI")
    expect(sent).not.toHaveProperty("x-config")
  })

  test("shows and replaces the payload, and shows the response", async () => {
    const server = await startServer(answer())
    const onPayload = vi.fn((payload: unknown) => ({ ...(payload as object), seed: 7 }))
    const onResponse = vi.fn()

    await ask(server, { onPayload, onResponse }).result()

    expect(onPayload.mock.calls[0]?.[0]).toMatchObject({ model: "gpt-x", stream: true })
    expect(server.requests[0]?.body.seed).toBe(7)
    expect(onResponse).toHaveBeenCalledOnce()
    expect(onResponse.mock.calls[0]?.[0]).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream" },
    })
  })

  describe("with a ready client", () => {
    test("uses its key and address, and none of its retries", async () => {
      const server = await startServer(refuse(500, {}, AT_ONCE))
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl, maxRetries: 5 })

      const stream = openaiCompletions({ client })(modelAt(""), context, { maxRetries: 1 })

      expect(await stream.result()).toMatchObject({ failure: { code: "server" } })
      expect(server.requests).toHaveLength(2)
      expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-of-client")
    })

    test("keeps its own time", async () => {
      const server = await startServer(silence)
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl, timeout: 30 })

      const stream = openaiCompletions({ client })(modelAt(""), context, { maxRetries: 0 })

      expect(await stream.result()).toMatchObject({ failure: { code: "timeout", retryable: true } })
    })

    test("lets a request have more time", async () => {
      const server = await startServer((response) => void setTimeout(() => answer()(response), 100))
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl, timeout: 30 })

      const stream = openaiCompletions({ client })(modelAt(""), context, { timeoutMs: 20_000, maxRetries: 0 })

      expect(await stream.result()).toMatchObject({ stopReason: "stop" })
    })

    test("lets the key of a request win", async () => {
      const server = await startServer(answer())
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl })

      await openaiCompletions({ client })(modelAt(""), context, { apiKey: KEY }).result()

      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    })
  })

  describe("tries again", () => {
    test.each([
      { status: 408, code: "timeout" },
      { status: 409, code: "server" },
      { status: 429, code: "rate_limit" },
      { status: 500, code: "server" },
      { status: 502, code: "server" },
      { status: 503, code: "overloaded" },
      { status: 529, code: "overloaded" },
    ])("after a $status, and reports $code when it does not end", async ({ status, code }) => {
      const refusal = refuse(status, { error: { message: "not now", type: "t" } }, AT_ONCE)

      const mended = await startServer(refusal, answer())
      expect(await ask(mended).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
      expect(mended.requests).toHaveLength(2)

      const lasting = await startServer(refusal)
      expect(await ask(lasting).result()).toMatchObject({
        errorMessage: "not now",
        failure: { code, retryable: true, status, retryAfterMs: 5 },
      })
      expect(lasting.requests).toHaveLength(3)
    })

    test("when the server asks for it, not before", async () => {
      const server = await startServer(refuse(429, {}, { "retry-after": "1" }), answer())

      await ask(server).result()

      const [first, second] = server.requests
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990)
    })

    test("after an error that opens the stream", async () => {
      const error = { error: { message: "Overloaded", code: 503 } }
      const server = await startServer(answer([error]), answer())

      expect(await ask(server).result()).toMatchObject({ stopReason: "stop" })
      expect(server.requests).toHaveLength(2)
    })

    test.each([
      { status: 400, code: "invalid_request" },
      { status: 401, code: "auth" },
      { status: 402, code: "quota" },
      { status: 403, code: "auth" },
      { status: 404, code: "invalid_request" },
      { status: 413, code: "context_overflow" },
      { status: 422, code: "invalid_request" },
    ])("never after a $status, which is $code", async ({ status, code }) => {
      const server = await startServer(refuse(status, { error: { message: "no" } }))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        errorMessage: "no",
        failure: { code, retryable: false, status },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("never when the wait is longer than allowed", async () => {
      const server = await startServer(refuse(429, {}, { "retry-after": "120" }))

      expect((await ask(server).result()).failure).toEqual({
        code: "rate_limit",
        retryable: true,
        status: 429,
        retryAfterMs: 120_000,
      })
      expect(server.requests).toHaveLength(1)
    })
  })

  describe("reports", () => {
    test("a spent account, which is no rate", async () => {
      const error = {
        message: "You exceeded your current quota.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      }
      const server = await startServer(refuse(429, { error }))

      expect((await ask(server).result()).failure).toEqual({ code: "quota", retryable: false, status: 429 })
    })

    test("a wrong key without the key", async () => {
      const server = await startServer(
        refuse(401, { error: { message: `Incorrect API key provided: ${KEY}.` } }),
      )

      const message = await ask(server).result()

      expect(message.errorMessage).toBe("Incorrect API key provided: [redacted].")
      expect(JSON.stringify(message)).not.toContain(KEY)
    })

    test("a page in place of an error by its status", async () => {
      const page = "<!doctype html><html><title>401 Authorization Required</title></html>"
      const server = await startServer(refuse(401, page, { "content-type": "text/html" }))

      expect(await ask(server).result()).toMatchObject({
        errorMessage: "401 Unauthorized",
        failure: { code: "auth", status: 401 },
      })
    })

    test("a refusal without a body by its status", async () => {
      const server = await startServer(refuse(503, ""))

      expect(await ask(server, { maxRetries: 0 }).result()).toMatchObject({
        errorMessage: "503 Service Unavailable",
        failure: { code: "overloaded", status: 503 },
      })
    })

    test.each([
      { what: "nothing", body: "" },
      { what: "a page", body: "<html>Sign in</html>" },
      { what: "broken JSON", body: '{"id":"chatcmpl-1","choices":[{"index":0,"mess' },
      { what: "JSON of another shape", body: '{"ok":true}' },
      { what: "[DONE] alone", body: "data: [DONE]\n\n" },
      { what: "chunks of another shape", body: 'data: {"choices":"none"}\n\ndata: [DONE]\n\n' },
      { what: "an event that is not JSON", body: 'data: {"choices":[{]}\n\n' },
    ])("a good status with a body of $what as a broken protocol", async ({ body }) => {
      const server = await startServer(raw(body))

      const message = await ask(server, { maxRetries: 0 }).result()

      expect(message).toMatchObject({
        stopReason: "error",
        content: [],
        failure: { code: "protocol", retryable: true },
      })
      expect(message.errorMessage).not.toMatch(/[{}<>]/)
    })

    test("an answer without an end, and keeps it", async () => {
      const server = await startServer(answer(HELLO.slice(0, 2)))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        content: [{ text: "Hello" }],
        failure: { code: "protocol", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("an error in the middle of the stream, and keeps what came before", async () => {
      const error = { error: { message: "Upstream died", code: 502 } }
      const server = await startServer(answer([...HELLO.slice(0, 1), error]))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hel" }],
        errorMessage: "Upstream died",
        failure: { code: "server", retryable: true, status: 502 },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("a connection that drops in the middle, and keeps what came before", async () => {
      const server = await startServer(drop(HELLO.slice(0, 1)))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hel" }],
        failure: { code: "network", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("a connection that is closed without an answer", async () => {
      const server = await startServer((response) => response.destroy())

      expect(await ask(server, { maxRetries: 0 }).result()).toMatchObject({
        failure: { code: "network", retryable: true },
      })
    })

    test("a refused connection, with its address", async () => {
      const port = await unusedPort()
      const model = modelAt(`http://127.0.0.1:${port}/v1`)

      const message = await openaiCompletions({ apiKey: KEY })(model, context, { maxRetries: 0 }).result()

      expect(message).toMatchObject({
        errorMessage: `The connection failed: connect ECONNREFUSED 127.0.0.1:${port}`,
        failure: { code: "network", retryable: true },
      })
    })

    test.each([
      { when: "before it answers", reply: silence, content: [] },
      { when: "while it answers", reply: stall(HELLO.slice(0, 1)), content: [{ text: "Hel" }] },
    ])("a server that is silent for longer than fetch waits, $when", async ({ reply, content }) => {
      const server = await startServer(reply)

      const failure = await ask(server, { fetch: await impatientFetch(100), maxRetries: 0 }).result()

      expect(failure).toMatchObject({
        content,
        errorMessage: expect.stringContaining("pass a fetch with longer timeouts"),
        failure: { code: "timeout", retryable: true },
      })
    })

    test("a server that does not begin in time, and hangs up", async () => {
      const server = await startServer(silence)

      const message = await ask(server, { timeoutMs: 50, maxRetries: 0 }).result()

      expect(message).toMatchObject({ failure: { code: "timeout", retryable: true } })
      await server.requests[0]?.hungUp
    })

    test("a refusal that never ends, in time", async () => {
      const server = await startServer((response) => {
        response.writeHead(500, { "content-type": "application/json" }).write('{"error":')
      })

      const message = await ask(server, { timeoutMs: 50, maxRetries: 0 }).result()

      expect(message).toMatchObject({ failure: { code: "timeout" } })
    })

    test("a key that cannot be a header, without showing it", async () => {
      const server = await startServer(answer())

      const message = await ask(server, { apiKey: "sk-\u{1F511}-4f9c2b7a", maxRetries: 0 }).result()

      expect(message.stopReason).toBe("error")
      expect(message.errorMessage).not.toContain("4f9c2b7a")
    })

    test("an address that is none", async () => {
      const message = await openaiCompletions({ apiKey: KEY })(modelAt("no address"), context).result()

      expect(message).toMatchObject({ stopReason: "error", content: [] })
    })
  })

  describe("when the signal fires", () => {
    const aborted = { stopReason: "aborted", failure: { code: "aborted", retryable: false } }

    test("before the call, sends nothing", async () => {
      const server = await startServer(answer())

      expect(await ask(server, { signal: AbortSignal.abort() }).result()).toMatchObject(aborted)
      expect(server.requests).toHaveLength(0)
    })

    test("right after the call, sends nothing", async () => {
      const server = await startServer(answer())
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal })

      controller.abort()

      expect(await stream.result()).toMatchObject(aborted)
      expect(server.requests).toHaveLength(0)
    })

    test("before the response begins, hangs up", async () => {
      const server = await startServer(silence)
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal })
      await server.received(1)

      controller.abort()

      expect(await stream.result()).toMatchObject(aborted)
      await server.requests[0]?.hungUp
    })

    test("between headers and the first chunk, hangs up", async () => {
      const server = await startServer(stall())
      const controller = new AbortController()
      const begun = deferred()
      const stream = ask(server, { signal: controller.signal, onResponse: begun.resolve })
      await begun.promise

      controller.abort()

      expect(await stream.result()).toMatchObject(aborted)
      await server.requests[0]?.hungUp
    })

    test("in the middle, keeps what came and hangs up", async () => {
      const server = await startServer(stall(HELLO.slice(0, 1)))
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal })

      for await (const event of stream) if (event.type === "text_delta") controller.abort()

      expect(await stream.result()).toMatchObject({ ...aborted, content: [{ text: "Hel" }] })
      await server.requests[0]?.hungUp
    })

    test("between two tries, sends no second one", async () => {
      const server = await startServer(refuse(500, {}, { "retry-after": "1" }))
      const controller = new AbortController()
      const refused = deferred()
      const stream = ask(server, { signal: controller.signal, onResponse: refused.resolve })
      await refused.promise

      controller.abort()

      expect(await stream.result()).toMatchObject(aborted)
      await ask(server, { maxRetries: 0 }).result()
      expect(server.requests).toHaveLength(2)
    })

    test("before a fetch that does not listen, does not wait for it", async () => {
      const controller = new AbortController()
      const called = deferred()
      const fetch = () => {
        called.resolve()
        return new Promise<Response>(() => {})
      }
      const server = await startServer(answer())
      const stream = ask(server, { signal: controller.signal, fetch })
      await called.promise

      controller.abort()

      expect(await stream.result()).toMatchObject(aborted)
    })

    test("in the middle of a body that does not listen, does not wait for it", async () => {
      const controller = new AbortController()
      const body = new ReadableStream({
        start: (sink) => sink.enqueue(bytesOf(HELLO.slice(0, 1))),
        cancel: () => new Promise(() => {}),
      })
      const server = await startServer(answer())
      const stream = ask(server, { signal: controller.signal, fetch: async () => new Response(body) })

      for await (const event of stream) if (event.type === "text_delta") controller.abort()

      expect(await stream.result()).toMatchObject({ ...aborted, content: [{ text: "Hel" }] })
    })
  })

  test("hangs up when the reader leaves", async () => {
    const server = await startServer(stall(HELLO.slice(0, 1)))
    const stream = ask(server)

    for await (const event of stream) if (event.type === "text_delta") break

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
    await server.requests[0]?.hungUp
  })
})

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
