import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { AzureOpenAI, OpenAI } from "openai"
import { afterEach, describe, expect, test, vi } from "vitest"
import { type OpenAIResponsesConfig, openaiResponses } from "../../src/index.ts"
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
import { answer, exchangeOf, KEY } from "./ask-server.ts"
import { modelOf } from "./replay.ts"
import {
  added,
  CREATED,
  completed,
  done,
  event,
  functionCall,
  HELLO,
  message,
  reasoning,
  textDelta,
} from "./wire-events.ts"

const context: Context = freeze({ messages: [{ role: "user", content: "Hi", timestamp: 0 }] })

function modelAt(baseUrl: string, fields: Partial<Model<"openai-responses">> = {}): Model {
  return freeze(modelOf("openai", { baseUrl, ...fields }))
}

function ask(server: ScriptedServer, options: SimpleStreamOptions = {}, config: OpenAIResponsesConfig = {}) {
  return openaiResponses({ apiKey: KEY, ...config })(modelAt(server.baseUrl), context, options)
}

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const each of stream) events.push(each)
  return events
}

function failed(code: string): object {
  return event("failed", { response: { id: "resp_1", status: "failed", error: { code, message: "Sorry." } } })
}

/** The first try fails, the second does not: without waiting long in between. */
const AT_ONCE = { "retry-after-ms": "5" }

/** What has arrived when the text is half told. */
const HALF = HELLO.slice(0, 5)

afterEach(() => vi.unstubAllEnvs())

describe("openaiResponses", () => {
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
      api: "openai-responses",
      provider: "openai",
      model: "test-model",
      responseId: "resp_1",
      stopReason: "stop",
    })
  })

  test("sends one request with the key and nothing that is not needed", async () => {
    const { url, headers } = await exchangeOf()

    expect(url).toBe("/v1/responses")
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, "content-type": "application/json" })
    expect(headers).not.toHaveProperty("x-stainless-timeout")
  })

  test("reads four-byte characters that are cut into pieces of any size", async () => {
    const text = "héllo 👋🏽 世界 𝒳 \u{10FFFF}"
    const body = bytesOf([...Array.from(text, (each) => textDelta(0, each)), completed()])
    for (const size of [1, 4, 7]) {
      const server = await startServer(trickle(body, size))

      expect((await ask(server).result()).content).toEqual([{ type: "text", text }])
    }
  })

  test("streams thinking, text and parallel calls, one of them without arguments", async () => {
    const call = (index: number, id: string, name: string): object => added(index, functionCall(id, name, ""))
    const input = (index: number, delta: string): object =>
      event("function_call_arguments.delta", { output_index: index, delta })
    const server = await startServer(
      answer([
        CREATED,
        done(0, reasoning(["Hm."], { encrypted_content: "gAAA" })),
        done(1, message("msg_1", "Look:")),
        call(2, "call_a", "read"),
        call(3, "call_b", "list"),
        input(2, '{"pa'),
        input(2, 'th":"a.ts"}'),
        done(3, functionCall("call_b", "list", "")),
        done(2, functionCall("call_a", "read", '{"path":"a.ts"}')),
        completed(),
      ]),
    )

    expect(await ask(server).result()).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "thinking", thinking: "Hm.", thinkingSignature: expect.stringContaining("gAAA") },
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
    { ending: "[DONE]", end: "data: [DONE]\n\n" },
    { ending: "one line break", end: "\n" },
    { ending: "something else", end: 'data: {"type"' },
  ])("takes an answer that ends with $ending for whole", async ({ end }) => {
    const server = await startServer(raw(bytesOf(HELLO, end)))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("does not wait for a body that stays open behind the answer", async () => {
    const server = await startServer(stall(HELLO))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop" })
    await server.requests[0]?.hungUp
  })

  test("takes an answer for whole whose connection drops behind its end", async () => {
    const server = await startServer(drop(HELLO))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("takes the answer of a server that does not stream", async () => {
    const output = [message("msg_1", "Hello")]
    const body = { id: "resp_1", object: "response", status: "completed", model: "m", error: null, output }
    const server = await startServer(raw(JSON.stringify(body, null, 2), "application/json"))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("reads event types from the event field where the data has none", async () => {
    const body = HELLO.map((each) => {
      const { type, ...data } = each
      return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
    })
    const server = await startServer(raw(body.join("")))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  describe("finds key and address", () => {
    test.each([
      { provider: "openai", variable: "OPENAI_API_KEY" },
      { provider: "xai", variable: "XAI_API_KEY" },
      { provider: "openrouter", variable: "OPENROUTER_API_KEY" },
      { provider: "deepseek", variable: "DEEPSEEK_API_KEY" },
      { provider: "amazon-bedrock", variable: "AWS_BEARER_TOKEN_BEDROCK" },
    ])("in $variable for $provider", async ({ provider, variable }) => {
      vi.stubEnv(variable, "sk-from-env")
      const { headers } = await exchangeOf({ provider, config: { apiKey: undefined } })

      expect(headers.authorization).toBe("Bearer sk-from-env")
    })

    test("or says what to set", async () => {
      vi.stubEnv("OPENAI_API_KEY", "")
      const server = await startServer(answer())

      const events = await collect(openaiResponses()(modelAt(server.baseUrl), context))

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

      const { headers } = await exchangeOf({ provider: "lmstudio", config: { apiKey: undefined } })

      expect(Object.keys(headers)).not.toContain("authorization")
      expect(JSON.stringify(headers)).not.toContain("of-openai")
    })

    test("and sends Azure's in its own header, to the resource's own address", async () => {
      const server = await startServer(answer())
      const baseUrl = `${server.baseUrl}/openai?api-version=2025-04-01-preview`

      await openaiResponses({ apiKey: KEY })(modelAt(baseUrl, { provider: "azure" }), context).result()

      const [request] = server.requests
      expect(request?.headers["api-key"]).toBe(KEY)
      expect(request?.headers).not.toHaveProperty("authorization")
      expect(request?.url).toBe("/v1/openai/responses?api-version=2025-04-01-preview")
    })

    test("and takes Azure's token in place of a key", async () => {
      const { headers } = await exchangeOf({
        provider: "azure",
        config: { apiKey: undefined, headers: { Authorization: "Bearer entra" } },
      })

      expect(headers.authorization).toBe("Bearer entra")
      expect(headers).not.toHaveProperty("api-key")
    })

    test("and asks for the address of a vendor that has none", async () => {
      const stream = openaiResponses({ apiKey: KEY })(modelAt("", { provider: "azure" }), context)

      expect(await stream.result()).toMatchObject({
        errorMessage: expect.stringContaining("baseUrl"),
        failure: { code: "invalid_request" },
      })
    })

    test("and lets the configuration's address win, with what is known about it", async () => {
      const server = await startServer(answer())
      const config = { apiKey: KEY, baseUrl: server.baseUrl, compat: { leastOutputTokens: 1 } }

      await openaiResponses(config)(modelAt("http://127.0.0.1:1"), context, { maxTokens: 5 }).result()

      expect(server.requests[0]?.body).toMatchObject({ max_output_tokens: 5 })
    })
  })

  test("merges headers, and a null removes even the SDK's own", async () => {
    const { headers } = await exchangeOf({
      model: { headers: { "X-Model": "m", "X-Both": "m" } },
      config: { headers: { "X-Config": "c" } },
      options: { headers: { "x-both": "o", "User-Agent": null, "x-config": null } },
    })

    expect(headers).toMatchObject({ "x-model": "m", "x-both": "o" })
    expect(headers["user-agent"]).not.toContain("OpenAI")
    expect(headers).not.toHaveProperty("x-config")
  })

  test("shows and replaces the payload, and shows the response", async () => {
    const onPayload = vi.fn((payload: unknown) => ({ ...(payload as object), service_tier: "flex" }))
    const onResponse = vi.fn()

    const { body } = await exchangeOf({ options: { onPayload, onResponse } })

    expect(onPayload.mock.calls[0]?.[0]).toMatchObject({ model: "test-model", store: false })
    expect(body.service_tier).toBe("flex")
    expect(onResponse.mock.calls).toMatchObject([
      [{ status: 200, headers: { "content-type": "text/event-stream" } }, { id: "test-model" }],
    ])
  })

  describe("with a ready client", () => {
    test("uses its key and address, and none of its retries", async () => {
      const server = await startServer(refuse(500, {}, AT_ONCE))
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl, maxRetries: 5 })

      const stream = openaiResponses({ client })(modelAt(""), context, { maxRetries: 1 })

      expect(await stream.result()).toMatchObject({ failure: { code: "server" } })
      expect(server.requests).toHaveLength(2)
      expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-of-client")
    })

    test("keeps its own time", async () => {
      const server = await startServer(silence)
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl, timeout: 30 })

      const stream = openaiResponses({ client })(modelAt(""), context, { maxRetries: 0 })

      expect(await stream.result()).toMatchObject({ failure: { code: "timeout", retryable: true } })
    })

    test("lets a request have more time", async () => {
      const server = await startServer((response) => void setTimeout(() => answer()(response), 100))
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl, timeout: 30 })

      const stream = openaiResponses({ client })(modelAt(""), context, { timeoutMs: 20_000, maxRetries: 0 })

      expect(await stream.result()).toMatchObject({ stopReason: "stop" })
    })

    test("lets the key of a request win", async () => {
      const server = await startServer(answer())
      const client = new OpenAI({ apiKey: "sk-of-client", baseURL: server.baseUrl })

      await openaiResponses({ client })(modelAt(""), context, { apiKey: KEY }).result()

      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    })

    test("speaks to Azure as its SDK does", async () => {
      const server = await startServer(answer())
      const endpoint = new URL(server.baseUrl).origin
      const client = new AzureOpenAI({ apiKey: KEY, endpoint, apiVersion: "2025-04-01-preview" })

      const model = modelAt("", { provider: "azure", id: "my-deployment" })
      expect(await openaiResponses({ client })(model, context).result()).toMatchObject({ stopReason: "stop" })

      const [request] = server.requests
      expect(request?.url).toBe("/openai/responses?api-version=2025-04-01-preview")
      expect(request?.headers["api-key"]).toBe(KEY)
      expect(request?.headers).not.toHaveProperty("authorization")
      expect(request?.body).toMatchObject({ model: "my-deployment" })
    })
  })

  describe("tries again", () => {
    test.each([
      { status: 408, code: "timeout" },
      { status: 429, code: "rate_limit" },
      { status: 500, code: "server" },
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

    test.each([
      { what: "a response that fails at once", events: [CREATED, failed("server_error")] },
      {
        what: "an error at once",
        events: [{ type: "error", code: "rate_limit_exceeded", message: "Slow down" }],
      },
      { what: "an answer that breaks off at once", events: [CREATED] },
    ])("after $what", async ({ events }) => {
      const server = await startServer(answer(events), answer())

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
    test("a wrong key without the key", async () => {
      const server = await startServer(
        refuse(401, { error: { message: `Incorrect API key provided: ${KEY}.` } }),
      )

      const failure = await ask(server).result()

      expect(failure.errorMessage).toBe("Incorrect API key provided: [redacted].")
      expect(JSON.stringify(failure)).not.toContain(KEY)
    })

    test.each([
      { what: "nothing", body: "" },
      { what: "a page", body: "<html>Sign in</html>" },
      { what: "broken JSON", body: '{"id":"resp_1","object":"resp' },
      { what: "JSON of another shape", body: '{"ok":true}' },
      { what: "a response in progress", body: '{"object":"response","status":"in_progress"}' },
      { what: "[DONE] alone", body: "data: [DONE]\n\n" },
      { what: "events of another wire", body: 'data: {"choices":[]}\n\ndata: [DONE]\n\n' },
      { what: "an event that is not JSON", body: 'data: {"type":"respon}\n\n' },
    ])("a good status with a body of $what as a broken protocol", async ({ body }) => {
      const server = await startServer(raw(body))

      const failure = await ask(server, { maxRetries: 0 }).result()

      expect(failure).toMatchObject({
        stopReason: "error",
        content: [],
        failure: { code: "protocol", retryable: true },
      })
      expect(failure.errorMessage).not.toMatch(/[{}<>]/)
    })

    test("a response that fails in the middle, and keeps what came before", async () => {
      const server = await startServer(answer([...HALF, failed("server_error")]))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hel" }],
        errorMessage: "Sorry.",
        failure: { code: "server", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })

    test.each([{ body: "data: {broken" }, { body: ": comment\n\n" }])(
      "an error that no failed response follows, though $body does",
      async ({ body }) => {
        const error = { type: "error", error: { code: "server_error", message: "Sorry." } }
        const server = await startServer(raw(bytesOf([...HALF, error], `${body}\n\n`)))

        expect(await ask(server).result()).toMatchObject({
          content: [{ text: "Hel" }],
          errorMessage: "Sorry.",
          failure: { code: "server" },
        })
      },
    )

    test("an error that nothing follows, soon, and hangs up", async () => {
      const error = { type: "error", error: { code: "server_error", message: "Sorry." } }
      const server = await startServer(stall([...HALF, error]))

      expect(await ask(server).result()).toMatchObject({ errorMessage: "Sorry.", content: [{ text: "Hel" }] })
      await server.requests[0]?.hungUp
    })

    test("a connection that drops in the middle, and keeps what came before", async () => {
      const server = await startServer(drop(HALF))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hel" }],
        failure: { code: "network", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })

    test.each([
      { when: "before it answers", reply: silence, content: [] },
      { when: "while it answers", reply: stall(HALF), content: [{ text: "Hel" }] },
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

      const failure = await ask(server, { timeoutMs: 50, maxRetries: 0 }).result()

      expect(failure).toMatchObject({ failure: { code: "timeout", retryable: true } })
      await server.requests[0]?.hungUp
    })
  })

  test("says that the response has begun, also while nothing of an answer comes", async () => {
    const server = await startServer(stall([CREATED]))
    const controller = new AbortController()
    const stream = ask(server, { signal: controller.signal })

    for await (const each of stream) if (each.type === "start") controller.abort()

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", responseId: "resp_1" })
    await server.requests[0]?.hungUp
  })

  describe("when the signal fires", () => {
    const aborted = { stopReason: "aborted", failure: { code: "aborted", retryable: false } }

    test("before the call, sends nothing", async () => {
      const server = await startServer(answer())

      expect(await ask(server, { signal: AbortSignal.abort() }).result()).toMatchObject(aborted)
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

    test("between headers and the first event, hangs up", async () => {
      const server = await startServer(stall())
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal, onResponse: () => controller.abort() })

      expect(await stream.result()).toMatchObject(aborted)
      await server.requests[0]?.hungUp
    })

    test.each([
      { stage: "text_delta", events: HALF, content: [{ text: "Hel" }] },
      {
        stage: "thinking_start",
        events: [CREATED, added(0, reasoning([]))],
        content: [{ type: "thinking", thinking: "" }],
      },
      {
        stage: "toolcall_delta",
        events: [
          CREATED,
          added(0, functionCall("call_a", "read", "")),
          event("function_call_arguments.delta", { output_index: 0, delta: '{"path":"a' }),
        ],
        content: [
          { type: "toolCall", id: "call_a", arguments: { path: "a" }, argumentsError: expect.any(String) },
        ],
      },
      {
        stage: "opaque_start",
        events: [CREATED, added(0, { type: "web_search_call", id: "ws_1" })],
        content: [{ type: "opaque" }],
      },
    ])("at $stage, keeps what came and hangs up", async ({ stage, events, content }) => {
      const server = await startServer(stall(events))
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal })

      for await (const each of stream) if (each.type === stage) controller.abort()

      expect(await stream.result()).toMatchObject({ ...aborted, content })
      await server.requests[0]?.hungUp
    })

    test("between two tries, sends no second one", async () => {
      const server = await startServer(refuse(500, {}, { "retry-after": "1" }))
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal, onResponse: () => controller.abort() })

      expect(await stream.result()).toMatchObject(aborted)
      await ask(server, { maxRetries: 0 }).result()
      expect(server.requests).toHaveLength(2)
    })
  })

  test("hangs up when the reader leaves", async () => {
    const server = await startServer(stall(HALF))
    const stream = ask(server)

    for await (const each of stream) if (each.type === "text_delta") break

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
    await server.requests[0]?.hungUp
  })
})
