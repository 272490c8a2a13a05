import { createServer } from "node:net"
import { GoogleGenAI } from "@google/genai"
import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type GoogleGenerativeAiConfig, googleGenerativeAi } from "../src/index.ts"
import { freeze } from "./freeze.ts"
import { call, chunk, text, thought } from "./replay.ts"
import {
  answer,
  bytesOf,
  drop,
  HELLO,
  raw,
  refuse,
  type ScriptedServer,
  silence,
  stall,
  startServer,
  trickle,
} from "./scripted-server.ts"

const KEY = "AIza-test-4f9c2b7a"

const context: Context = freeze({ messages: [{ role: "user", content: "Hi", timestamp: 0 }] })

function modelAt(baseUrl: string, fields: Partial<Model> = {}): Model {
  return freeze({
    id: "gemini-x",
    name: "Gemini X",
    api: "google-generative-ai",
    provider: "google",
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
  config: GoogleGenerativeAiConfig = {},
) {
  return googleGenerativeAi({ apiKey: KEY, ...config })(modelAt(server.url), context, options)
}

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** The first try fails, the second does not: without waiting long in between. */
const AT_ONCE = { "retry-after-ms": "5" }

/** What decides where requests go must not come from whoever runs the tests. */
const VARIABLES = [
  "GOOGLE_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_CLOUD_PROJECT",
  "GOOGLE_CLOUD_LOCATION",
  "GOOGLE_GENAI_USE_VERTEXAI",
  "GOOGLE_GENAI_USE_ENTERPRISE",
  "GOOGLE_GENAI_API_VERSION",
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_VERTEX_BASE_URL",
]

beforeEach(() => {
  for (const variable of VARIABLES) vi.stubEnv(variable, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe("googleGenerativeAi", () => {
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
      api: "google-generative-ai",
      provider: "google",
      model: "gemini-x",
      responseId: "response-1",
      responseModel: "gemini-x-001",
      stopReason: "stop",
      rawStopReason: "STOP",
      usage: { input: 5, output: 2, totalTokens: 7, cost: { total: 9e-6 } },
    })
  })

  test("sends one request with the key and nothing that is not needed", async () => {
    const server = await startServer(answer())

    await ask(server, { temperature: 0.5, maxTokens: 100 }).result()

    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request?.url).toBe("/v1beta/models/gemini-x:streamGenerateContent?alt=sse")
    expect(request?.headers).toMatchObject({ "x-goog-api-key": KEY, "content-type": "application/json" })
    expect(request?.body).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { temperature: 0.5, maxOutputTokens: 100 },
    })
  })

  test("reads four-byte characters that are cut into pieces of any size", async () => {
    const said = "héllo 👋🏽 世界 𝒳 \u{10FFFF}"
    const body = bytesOf([...Array.from(said, (each) => chunk([text(each)])), chunk([], "STOP")])
    for (const size of [4, 7]) {
      const server = await startServer(trickle(body, size))

      expect((await ask(server).result()).content).toEqual([{ type: "text", text: said }])
    }
  })

  test("streams thinking, text and parallel calls, one of them without arguments", async () => {
    const server = await startServer(
      answer([
        chunk([thought("Hm"), thought(".")]),
        chunk([text("Look:")]),
        chunk([call("read", { path: "a.ts" }, { thoughtSignature: "sig" }), call("list")], "STOP"),
      ]),
    )

    const { content, stopReason } = await ask(server).result()

    expect(stopReason).toBe("toolUse")
    expect(content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Look:" },
      { type: "toolCall", name: "read", arguments: { path: "a.ts" }, thoughtSignature: "sig" },
      { type: "toolCall", name: "list", arguments: {} },
    ])
    const ids = content.flatMap((block) => (block.type === "toolCall" ? block.id : []))
    expect(ids.every((id) => /^local_[0-9a-f]{24}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(2)
  })

  test("uses connections again", async () => {
    const server = await startServer(answer())

    for (let turn = 0; turn < 6; turn++) await ask(server).result()

    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test("takes an answer for whole that ends after one line break", async () => {
    const server = await startServer(raw(bytesOf(HELLO).subarray(0, -2)))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("takes the answer of a server that sends a list", async () => {
    const server = await startServer(raw(JSON.stringify(HELLO, null, 2), "application/json"))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  test("goes on with an answer that takes several requests", async () => {
    const goesOn = {
      content: { parts: [text("Once ")] },
      finishReason: "CONTINUATION",
      continuationToken: "token-1",
    }
    const server = await startServer(
      answer([{ candidates: [goesOn], usageMetadata: { promptTokenCount: 5 } }]),
      answer([chunk([text("upon a time.")], "STOP", { usageMetadata: { promptTokenCount: 6 } })]),
    )

    const stream = ask(server, { maxTokens: 100 })

    expect((await collect(stream)).filter(({ type }) => type === "text_start")).toHaveLength(1)
    expect(await stream.result()).toMatchObject({
      content: [{ type: "text", text: "Once upon a time." }],
      stopReason: "stop",
      usage: { input: 11 },
    })
    const [first, second] = server.requests
    expect(second?.body).toEqual({ ...first?.body, continuationToken: "token-1" })
  })

  describe("finds key and address", () => {
    test.each(["GEMINI_API_KEY", "GOOGLE_API_KEY"])("in %s", async (variable) => {
      vi.stubEnv(variable, "key-from-env")
      const server = await startServer(answer())

      await googleGenerativeAi()(modelAt(server.url), context).result()

      expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("key-from-env")
    })

    test("or says what to set", async () => {
      const server = await startServer(answer())

      const events = await collect(googleGenerativeAi()(modelAt(server.url), context))

      expect(events).toMatchObject([
        {
          type: "error",
          error: {
            failure: { code: "auth", retryable: false },
            errorMessage: expect.stringContaining("set GOOGLE_API_KEY or GEMINI_API_KEY"),
          },
        },
      ])
      expect(server.requests).toHaveLength(0)
    })

    test.each([
      { baseUrl: "", path: "/v1beta/models/" },
      { baseUrl: "/", path: "/v1beta/models/" },
      { baseUrl: "/v1beta", path: "/v1beta/models/" },
      { baseUrl: "/v1", path: "/v1/models/" },
      { baseUrl: "/proxy/v1alpha/", path: "/proxy/v1alpha/models/" },
      { baseUrl: "/proxy", path: "/proxy/v1beta/models/" },
    ])("at an address that ends in '$baseUrl'", async ({ baseUrl, path }) => {
      const server = await startServer(answer())

      await googleGenerativeAi({ apiKey: KEY })(modelAt(server.url + baseUrl), context).result()

      expect(server.requests[0]?.url).toBe(`${path}gemini-x:streamGenerateContent?alt=sse`)
    })

    test("and lets the configuration's address and version win", async () => {
      const server = await startServer(answer())
      const config = { apiKey: KEY, baseUrl: server.url, apiVersion: "v1" }

      await googleGenerativeAi(config)(modelAt("http://127.0.0.1:1"), context).result()

      expect(server.requests[0]?.url).toMatch(/^\/v1\/models\//)
    })

    test("and does without a key where the headers bring credentials", async () => {
      const server = await startServer(answer())
      const headers = { Authorization: "Bearer token" }

      await googleGenerativeAi({ headers })(modelAt(server.url), context).result()

      expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer token" })
      expect(server.requests[0]?.headers).not.toHaveProperty("x-goog-api-key")
    })
  })

  describe("reaches Vertex AI", () => {
    const vertex = { provider: "google-vertex" }

    test("with a key alone", async () => {
      const server = await startServer(answer())

      await googleGenerativeAi({ apiKey: KEY })(modelAt(server.url, vertex), context).result()

      const [request] = server.requests
      expect(request?.url).toBe("/v1beta1/publishers/google/models/gemini-x:streamGenerateContent?alt=sse")
      expect(request?.headers["x-goog-api-key"]).toBe(KEY)
    })

    test("with a project, a place and Google's own way to sign in, once for all requests", async () => {
      const server = await startServer(answer())
      const getRequestHeaders = vi.fn(async () => new Headers({ authorization: "Bearer signed-in" }))
      const streamFn = googleGenerativeAi({
        project: "my-project",
        location: "europe-west1",
        googleAuthOptions: { authClient: { getRequestHeaders } as never },
      })

      await streamFn(modelAt(server.url, vertex), context).result()
      await streamFn(modelAt(server.url, vertex), context).result()

      const [request] = server.requests
      expect(request?.url).toBe(
        "/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models/gemini-x:streamGenerateContent?alt=sse",
      )
      expect(request?.headers.authorization).toBe("Bearer signed-in")
      expect(request?.headers).not.toHaveProperty("x-goog-api-key")
      expect(getRequestHeaders).toHaveBeenCalledTimes(2)
    })

    test("without a key that happens to lie around, where there is a project", async () => {
      vi.spyOn(console, "debug").mockImplementation(() => {}) // the SDK explains itself
      vi.stubEnv("GOOGLE_CLOUD_PROJECT", "env-project")
      vi.stubEnv("GOOGLE_API_KEY", "key-from-env")
      const server = await startServer(answer())
      const authClient = { getRequestHeaders: async () => new Headers({ authorization: "Bearer signed-in" }) }

      const googleAuthOptions = { authClient: authClient as never }
      await googleGenerativeAi({ googleAuthOptions })(modelAt(server.url, vertex), context).result()

      expect(server.requests[0]?.url).toContain("/projects/env-project/locations/global/")
      expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer signed-in" })
    })

    test("and reports that nobody has signed in", async () => {
      const server = await startServer(answer())
      const authClient = {
        getRequestHeaders: async () => {
          throw new Error("Could not load the default credentials. Browse to …")
        },
      }
      const config = { project: "p", googleAuthOptions: { authClient: authClient as never } }

      const message = await googleGenerativeAi(config)(modelAt(server.url, vertex), context).result()

      expect(message).toMatchObject({ failure: { code: "auth", retryable: false } })
      expect(message.errorMessage).toContain("Could not load the default credentials")
      expect(server.requests).toHaveLength(0)
    })

    test("with the metadata as labels, as far as they can be labels", async () => {
      const server = await startServer(answer())
      const metadata = {
        team: "blue",
        run: 7,
        dry: true,
        Team: "no",
        long: "x".repeat(64),
        odd: "a b",
        deep: {},
        big: 1n,
      }

      await googleGenerativeAi({ apiKey: KEY })(modelAt(server.url, vertex), context, { metadata }).result()
      await ask(server, { metadata }).result()

      expect(server.requests[0]?.body.labels).toEqual({ team: "blue", run: "7", dry: "true" })
      expect(server.requests[1]?.body).not.toHaveProperty("labels")
    })
  })

  test("merges headers, and a null removes even the SDK's own", async () => {
    const server = await startServer(answer())
    const model = modelAt(server.url, { headers: { "X-Model": "m", "X-Both": "m" } })
    const headers = { "x-both": "o", "X-Goog-Api-Client": null, "x-config": null }

    await googleGenerativeAi({ apiKey: KEY, headers: { "X-Config": "c" } })(model, context, {
      headers,
    }).result()

    const sent = server.requests[0]?.headers
    expect(sent).toMatchObject({ "x-model": "m", "x-both": "o" })
    expect(sent).not.toHaveProperty("x-goog-api-client")
    expect(sent).not.toHaveProperty("x-config")
  })

  test("shows and replaces the payload as it goes over the wire, and shows the response", async () => {
    const server = await startServer(answer())
    const onPayload = vi.fn((payload: unknown) => ({ ...(payload as object), aFieldFromTheFuture: 7 }))
    const onResponse = vi.fn()

    await ask(server, { onPayload, onResponse }).result()

    expect(onPayload.mock.calls[0]?.[0]).toEqual({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] })
    expect(server.requests[0]?.body.aFieldFromTheFuture).toBe(7)
    expect(onResponse).toHaveBeenCalledOnce()
    expect(onResponse.mock.calls[0]?.[0]).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream" },
    })
  })

  describe("with a ready client", () => {
    const clientAt = (baseUrl: string, httpOptions: object = {}) =>
      new GoogleGenAI({ apiKey: "key-of-client", httpOptions: { baseUrl, ...httpOptions } })

    test("uses its key, its address and its fetch, and none of its retries", async () => {
      const server = await startServer(refuse(500, {}, AT_ONCE))
      const fetch = vi.fn(globalThis.fetch)
      const client = clientAt(server.url, { fetch, retryOptions: { attempts: 5 } })

      const stream = googleGenerativeAi({ client })(modelAt(""), context, { maxRetries: 1 })

      expect(await stream.result()).toMatchObject({ failure: { code: "server", status: 500 } })
      expect(server.requests).toHaveLength(2)
      expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("key-of-client")
      expect(fetch).toHaveBeenCalledTimes(2)
    })

    test("sends our body and reads the response", async () => {
      const server = await startServer(answer())
      const onPayload = (payload: unknown) => ({ ...(payload as object), aFieldFromTheFuture: 7 })

      const stream = googleGenerativeAi({ client: clientAt(server.url) })(modelAt(""), context, { onPayload })

      expect(await stream.result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
      expect(server.requests[0]?.body).toMatchObject({ aFieldFromTheFuture: 7 })
    })

    test("lets the key of a request win", async () => {
      const server = await startServer(answer())

      const client = clientAt(server.url)
      await googleGenerativeAi({ client })(modelAt(""), context, { apiKey: KEY }).result()

      expect(server.requests[0]?.headers["x-goog-api-key"]).toBe(KEY)
    })

    test("takes a stand-in that streams chunks of its own at its word", async () => {
      const generateContentStream = vi.fn(async (_parameters: object) =>
        (async function* () {
          yield* HELLO
        })(),
      )
      const client = { models: { generateContentStream } } as unknown as GoogleGenAI
      const options = { temperature: 1 }

      const stream = googleGenerativeAi({ client })(modelAt(""), { ...context, systemPrompt: "Be." }, options)

      expect(await stream.result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
      expect(generateContentStream.mock.calls[0]?.[0]).toMatchObject({
        model: "gemini-x",
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        config: { temperature: 1, systemInstruction: { parts: [{ text: "Be." }] } },
      })
    })

    test("reports what a stand-in throws, read back from the SDK's message", async () => {
      const body = { error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED" } }
      const error = Object.assign(new Error(JSON.stringify(body)), { name: "ApiError", status: 429 })
      const client = { models: { generateContentStream: async () => Promise.reject(error) } }

      const streamFn = googleGenerativeAi({ client: client as unknown as GoogleGenAI })

      expect(await streamFn(modelAt(""), context, { maxRetries: 0 }).result()).toMatchObject({
        errorMessage: "Slow down.",
        failure: { code: "rate_limit", retryable: true, status: 429 },
      })
    })
  })

  describe("tries again", () => {
    test.each([
      { status: 408, code: "timeout" },
      { status: 429, code: "rate_limit" },
      { status: 499, code: "server" },
      { status: 500, code: "server" },
      { status: 502, code: "server" },
      { status: 503, code: "overloaded" },
      { status: 504, code: "timeout" },
    ])("after a $status, and reports $code when it does not end", async ({ status, code }) => {
      const refusal = refuse(status, { error: { code: status, message: "not now" } }, AT_ONCE)

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

    test("when the server asks for it in its body, not before", async () => {
      const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.5s" }]
      const error = { code: 429, message: "Later.", status: "RESOURCE_EXHAUSTED", details }
      const server = await startServer(refuse(429, { error }), answer())

      await ask(server).result()

      const [first, second] = server.requests
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(490)
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
      { status: 403, code: "auth" },
      { status: 404, code: "invalid_request" },
    ])("never after a $status, which is $code", async ({ status, code }) => {
      const server = await startServer(refuse(status, { error: { code: status, message: "no" } }))

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
    test("a wrong key, which is a 400, without what the vendor's details quote", async () => {
      const details = [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
        { "@type": "type.googleapis.com/google.rpc.DebugInfo", detail: `Invalid API key: ${KEY}` },
      ]
      const error = { code: 400, message: `No such key: ${KEY}.`, status: "INVALID_ARGUMENT", details }
      const server = await startServer(refuse(400, { error }))

      const message = await ask(server).result()

      expect(message).toMatchObject({
        errorMessage: "No such key: [redacted].",
        failure: { code: "auth", retryable: false, status: 400 },
      })
      expect(JSON.stringify(message)).not.toContain(KEY)
    })

    test("a prompt that is too long", async () => {
      const says = "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576)."
      const server = await startServer(
        refuse(400, { error: { code: 400, message: says, status: "INVALID_ARGUMENT" } }),
      )

      expect(await ask(server).result()).toMatchObject({
        errorMessage: says,
        failure: { code: "context_overflow", retryable: false, status: 400 },
      })
    })

    test("a plan that does not include the model, which no wait mends", async () => {
      const says = "Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: gemini-x"
      const server = await startServer(
        refuse(429, { error: { code: 429, message: says, status: "RESOURCE_EXHAUSTED" } }),
      )

      expect((await ask(server).result()).failure).toEqual({ code: "quota", retryable: false, status: 429 })
    })

    test("an error that comes in a list", async () => {
      const server = await startServer(refuse(404, [{ error: { code: 404, message: "No such model." } }]))

      expect(await ask(server).result()).toMatchObject({
        errorMessage: "No such model.",
        failure: { code: "invalid_request", status: 404 },
      })
    })

    test("a page in place of an error by its status", async () => {
      const page = "<!doctype html><html><title>Error 502 (Server Error)!!1</title></html>"
      const server = await startServer(refuse(502, page, { "content-type": "text/html" }))

      expect(await ask(server, { maxRetries: 0 }).result()).toMatchObject({
        errorMessage: "502 Bad Gateway",
        failure: { code: "server", status: 502 },
      })
    })

    test.each([
      { what: "nothing", body: "" },
      { what: "a page", body: "<html>Sign in</html>" },
      { what: "broken JSON", body: '{"candidates":[{"content":' },
      { what: "JSON of another shape", body: '{"ok":true}' },
      { what: "chunks of another shape", body: 'data: {"candidates":"none"}\n\n' },
      { what: "an event that is not JSON", body: 'data: {"candidates":[{]}\n\n' },
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
      const server = await startServer(answer(HELLO.slice(0, 1)))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        content: [{ text: "Hel" }],
        usage: { input: 5 },
        failure: { code: "protocol", retryable: true },
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

    test("a connection that drops behind a finish reason, because more may have come", async () => {
      const server = await startServer(drop(HELLO))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hello" }],
        failure: { code: "network", retryable: true },
      })
    })

    test("a refused connection, with its address", async () => {
      const port = await unusedPort()
      const model = modelAt(`http://127.0.0.1:${port}`)

      const message = await googleGenerativeAi({ apiKey: KEY })(model, context, { maxRetries: 0 }).result()

      expect(message).toMatchObject({
        errorMessage: `The connection failed: connect ECONNREFUSED 127.0.0.1:${port}`,
        failure: { code: "network", retryable: true },
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
      await server.requests[0]?.hungUp
    })

    test("a key that cannot be a header, without showing it", async () => {
      const server = await startServer(answer())

      const message = await ask(server, { apiKey: "AIza-\u{1F511}-4f9c2b7a", maxRetries: 0 }).result()

      expect(message.stopReason).toBe("error")
      expect(message.errorMessage).not.toContain("4f9c2b7a")
    })

    test.each(["no address", "ftp://nowhere.test"])("an address that is none: %s", async (address) => {
      const message = await googleGenerativeAi({ apiKey: KEY })(modelAt(address), context, {
        maxRetries: 0,
      }).result()

      expect(message).toMatchObject({ stopReason: "error", content: [] })
    })

    test.each(["", "a/../b", "a?b"])("a model id that cannot stand in an address: '%s'", async (id) => {
      const server = await startServer(answer())

      const message = await googleGenerativeAi({ apiKey: KEY })(modelAt(server.url, { id }), context).result()

      expect(message).toMatchObject({ failure: { code: "invalid_request", retryable: false } })
      expect(server.requests).toHaveLength(0)
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

      expect(await stream.result()).toMatchObject({
        ...aborted,
        content: [{ text: "Hel" }],
        usage: { input: 5 },
      })
      await server.requests[0]?.hungUp
    })

    test("in the middle of an answer of a ready client, hangs up", async () => {
      const server = await startServer(stall(HELLO.slice(0, 1)))
      const controller = new AbortController()
      const client = new GoogleGenAI({
        apiKey: "key-of-client",
        httpOptions: { baseUrl: server.url, fetch: (input, init) => globalThis.fetch(input, init) },
      })
      const stream = googleGenerativeAi({ client })(modelAt(""), context, { signal: controller.signal })

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

    test("between two requests of one answer, sends no second one", async () => {
      const goesOn = { candidates: [{ finishReason: "CONTINUATION", continuationToken: "t" }] }
      const server = await startServer(answer([chunk([text("A")]), goesOn]), answer())
      const controller = new AbortController()
      let shown = 0
      const onPayload = () => void (shown++ === 1 && controller.abort())
      const stream = ask(server, { signal: controller.signal, onPayload })

      expect(await stream.result()).toMatchObject({ ...aborted, content: [{ text: "A" }] })
      expect(server.requests).toHaveLength(1)
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
