import type { Context, SimpleStreamOptions, Tool } from "@heddle/types"
import { describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { createProxyStreamFn, type ProxyClientConfig, streamProxy } from "../src/index.ts"
import { context, events, HELLO, lines, model, proxyDouble, read } from "./proxy-double.ts"

const CONFIG = { proxyUrl: "https://proxy.test", authToken: "token-1" } as const

/** What one call sends, whole. */
async function requestOf(
  options: SimpleStreamOptions = {},
  config: Partial<ProxyClientConfig> = {},
  asked: Context = context,
) {
  const double = proxyDouble(events(lines(...HELLO)))
  const streamFn = createProxyStreamFn({ ...CONFIG, fetch: double.fetch, ...config })
  const { message } = await read(streamFn(model, asked, options))
  return { request: double.asked[0]!, message, double }
}

function freezeDeep<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) freezeDeep(Reflect.get(value, key))
  }
  return value
}

describe("the request to the proxy", () => {
  test("is a POST of model, context and options, with the token and the protocol", async () => {
    const { request } = await requestOf({ temperature: 0.5 })

    expect(request).toMatchObject({
      method: "POST",
      url: "https://proxy.test/api/stream",
      headers: {
        authorization: "Bearer token-1",
        "content-type": "application/json",
        "heddle-protocol": "1",
      },
    })
    expect(request.body).toEqual({ model, context, options: { temperature: 0.5 } })
  })

  test("carries the options that mean something on the other side", async () => {
    const options = {
      temperature: 0.2,
      maxTokens: 100,
      reasoning: "high",
      thinkingBudgets: { high: 5000 },
      toolChoice: { name: "read" },
      cacheRetention: "long",
      sessionId: "s-1",
      metadata: { user: "u" },
      maxRetryDelayMs: 1000,
    } as const

    const { request } = await requestOf(options)

    expect(request.body).toMatchObject({ options })
  })

  test("carries no key, no header, no function and no details of tool results", async () => {
    const SECRET = "sk-secret"
    const asked: Context = freezeDeep({
      systemPrompt: "Be kind.",
      messages: [
        {
          role: "toolResult" as const,
          toolCallId: "call_1",
          toolName: "read",
          content: [{ type: "text" as const, text: "details" }],
          details: { row: SECRET },
          isError: false,
          timestamp: 1,
        },
      ],
      tools: [
        Object.assign(
          { name: "read", description: "Reads.", parameters: { type: "object" } },
          { label: SECRET, execute: () => SECRET },
        ),
      ],
    })
    const double = proxyDouble(events(lines(...HELLO)))
    const options = freezeDeep({
      ...CONFIG,
      apiKey: SECRET,
      headers: { "x-api-key": SECRET },
      timeoutMs: 9,
      onPayload: () => undefined,
    })

    const { message } = await read(
      streamProxy(freezeDeep({ ...model, headers: { "x-model-key": SECRET } }), asked, {
        ...options,
        fetch: double.fetch,
        signal: new AbortController().signal,
      }),
    )

    expect(message.stopReason).toBe("stop")
    const [request] = double.asked
    expect(JSON.stringify([request?.body, request?.headers])).not.toContain(SECRET)
    expect(request?.body).toMatchObject({
      context: {
        systemPrompt: "Be kind.",
        messages: [{ toolCallId: "call_1", content: [{ type: "text", text: "details" }] }],
        tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }],
      },
    })
  })

  test("states the schemas of tools as JSON Schema", async () => {
    const tool: Tool = { name: "read", description: "Reads.", parameters: z.object({ path: z.string() }) }

    const { request } = await requestOf({}, {}, { messages: [], tools: [tool] })

    expect(request.body).toMatchObject({
      context: {
        tools: [
          { parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
        ],
      },
    })
  })

  test.each([
    { proxyUrl: "https://proxy.test/", path: undefined, url: "https://proxy.test/api/stream" },
    { proxyUrl: "https://proxy.test/ai", path: "/models", url: "https://proxy.test/ai/models" },
    { proxyUrl: "", path: undefined, url: "/api/stream" },
  ])("goes from $proxyUrl and $path to $url", async ({ proxyUrl, path, url }) => {
    const { request } = await requestOf({}, { proxyUrl, path })

    expect(request.url).toBe(url)
  })

  test("has the headers of the configuration, but never another token", async () => {
    const headers = { "x-tenant": "acme", authorization: "Basic odd" }

    const { request } = await requestOf({}, { headers })

    expect(request.headers).toMatchObject({ "x-tenant": "acme", authorization: "Bearer token-1" })
  })

  test("uses the fetch of the options before that of the configuration", async () => {
    const double = proxyDouble(events(lines(...HELLO)))

    const { message } = await requestOf({ fetch: double.fetch }, { fetch: () => Promise.reject(new Error()) })

    expect(message.stopReason).toBe("stop")
    expect(double.asked).toHaveLength(1)
  })

  test("asks for a token before each request", async () => {
    let count = 0
    const double = proxyDouble(events(lines(...HELLO)))
    const authToken = async () => `token-${++count}`
    const streamFn = createProxyStreamFn({ ...CONFIG, authToken, fetch: double.fetch })

    await read(streamFn(model, context))
    await read(streamFn(model, context))

    expect(double.asked.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
    ])
  })

  test("is shown to onPayload, and replaced by what that returns", async () => {
    const onPayload = vi.fn((payload: unknown) => ({ ...(payload as object), extra: 1 }))

    const { request } = await requestOf({ onPayload })

    expect(onPayload).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ context }), model)
    expect(request.body).toMatchObject({ context, extra: 1 })
  })

  test("tells onResponse of status and headers", async () => {
    const onResponse = vi.fn()

    await requestOf({ onResponse })

    expect(onResponse).toHaveBeenCalledExactlyOnceWith(
      { status: 200, headers: { "content-type": "text/event-stream" } },
      model,
    )
  })
})

describe("a request that cannot be sent", () => {
  const fail = () => {
    throw new Error("the reason")
  }
  const loop: { self?: unknown } = {}
  loop.self = loop
  const schema = { "~standard": { version: 1, vendor: "odd", validate: fail } }

  test.each<{
    what: string
    code: string
    options?: SimpleStreamOptions
    config?: Partial<ProxyClientConfig>
  }>([
    { what: "metadata that has no JSON", code: "invalid_request", options: { metadata: loop as never } },
    { what: "onPayload throws", code: "invalid_request", options: { onPayload: fail } },
    { what: "onResponse throws", code: "invalid_request", options: { onResponse: fail } },
    { what: "there is no token", code: "auth", config: { authToken: fail } },
    {
      what: "the token is rejected",
      code: "auth",
      config: { authToken: () => Promise.reject(new Error("x")) },
    },
    { what: "the token is no header", code: "invalid_request", config: { authToken: "token\nx: y" } },
    { what: "a header is none", code: "invalid_request", config: { headers: { "a b": "c" } } },
    { what: "fetch throws", code: "network", config: { fetch: fail } },
  ])("is a lone $code failure when $what", async ({ code, options = {}, config }) => {
    const double = proxyDouble(events(lines(...HELLO)))
    const streamFn = createProxyStreamFn({ ...CONFIG, fetch: double.fetch, ...config })

    const message = await streamFn(model, context, options).result()

    expect(message).toMatchObject({ stopReason: "error", content: [], failure: { code } })
    expect(message.errorMessage).not.toContain("token\n")
    expect(double.asked).toHaveLength(options?.onResponse ? 1 : 0)
  })

  test("is a failure when a tool's schema cannot be stated", async () => {
    const double = proxyDouble(events(lines(...HELLO)))
    const streamFn = createProxyStreamFn({ ...CONFIG, fetch: double.fetch })

    const message = await streamFn(model, {
      messages: [],
      tools: [{ name: "odd", description: "", parameters: schema }],
    }).result()

    expect(message.failure).toEqual({ code: "invalid_request", retryable: false })
    expect(double.asked).toHaveLength(0)
  })
})

describe("a refusal", () => {
  const refuse = async (status: number, body: string, headers: Record<string, string> = {}) => {
    const { fetch } = proxyDouble(new Response(body, { status, headers }))
    return read(createProxyStreamFn({ ...CONFIG, fetch })(model, context))
  }

  test.each([
    { status: 400, code: "invalid_request", retryable: false },
    { status: 401, code: "auth", retryable: false },
    { status: 402, code: "quota", retryable: false },
    { status: 403, code: "auth", retryable: false },
    { status: 404, code: "invalid_request", retryable: false },
    { status: 408, code: "timeout", retryable: true },
    { status: 413, code: "context_overflow", retryable: false },
    { status: 422, code: "invalid_request", retryable: false },
    { status: 429, code: "rate_limit", retryable: true },
    { status: 500, code: "server", retryable: true },
    { status: 503, code: "overloaded", retryable: true },
    { status: 504, code: "timeout", retryable: true },
    { status: 529, code: "overloaded", retryable: true },
    { status: 599, code: "server", retryable: true },
  ])("with status $status is a lone $code failure", async ({ status, code, retryable }) => {
    const { events, message } = await refuse(status, '{"error":"The proxy explains"}')

    expect(events.map(({ type }) => type)).toEqual(["error"])
    expect(message.failure).toEqual({ code, retryable, status })
  })

  test.each([
    { body: '{"error":"No"}', says: "No" },
    { body: '{"error":{"message":"No"}}', says: "No" },
    { body: '{"message":"No"}', says: "No" },
    { body: '{"error":"Token token-1 is wrong"}', says: "Token … is wrong" },
    { body: "<html>secret</html>", says: "The proxy answered with status 418" },
    { body: '{"error":{"message":7},"trace":"secret"}', says: "The proxy answered with status 418" },
    { body: "null", says: "The proxy answered with status 418" },
    { body: "", says: "The proxy answered with status 418" },
  ])("that says $body is told as: $says", async ({ body, says }) => {
    expect((await refuse(418, body)).message.errorMessage).toBe(says)
  })

  test("is not quoted at any length", async () => {
    const { message } = await refuse(500, `{"error":"${"x".repeat(50_000)}"}`)

    expect(message.errorMessage).toHaveLength(2000)
  })

  test("is not read for ever", async () => {
    const chunk = new TextEncoder().encode("x".repeat(10_000))
    let chunks = 0
    const body = new ReadableStream({ pull: (controller) => void (chunks++, controller.enqueue(chunk)) })
    const { fetch } = proxyDouble(() => new Response(body, { status: 500 }))

    const { message } = await read(createProxyStreamFn({ ...CONFIG, fetch })(model, context))

    expect(message.errorMessage).toBe("The proxy answered with status 500")
    expect(chunks).toBeLessThan(10)
  })

  test.each([
    { headers: { "retry-after": "7" }, retryAfterMs: 7000 },
    { headers: { "retry-after": "0.5" }, retryAfterMs: 500 },
    { headers: { "retry-after-ms": "1500", "retry-after": "2" }, retryAfterMs: 1500 },
    { headers: { "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT" }, retryAfterMs: 30_000 },
    { headers: { "retry-after": "Wed, 21 Oct 2015 07:00:00 GMT" }, retryAfterMs: 0 },
    { headers: { "retry-after": "soon" }, retryAfterMs: undefined },
  ])("with $headers is to be tried again after $retryAfterMs ms", async ({ headers, retryAfterMs }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2015-10-21T07:28:00Z") })
    try {
      const { message } = await refuse(429, "{}", { ...headers } as Record<string, string>)

      expect(message.failure?.retryAfterMs).toBe(retryAfterMs)
    } finally {
      vi.useRealTimers()
    }
  })

  test("keeps its status when its body breaks off", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) })
    const { fetch } = proxyDouble(() => new Response(body, { status: 503 }))

    const { message } = await read(createProxyStreamFn({ ...CONFIG, fetch })(model, context))

    expect(message.failure).toMatchObject({ code: "overloaded", status: 503 })
  })
})

describe("a connection that fails", () => {
  test("is a retryable network failure that says why", async () => {
    const { fetch } = proxyDouble()

    const { message } = await read(createProxyStreamFn({ ...CONFIG, fetch })(model, context))

    expect(message).toMatchObject({
      errorMessage: "The connection to the proxy failed: nobody listens",
      failure: { code: "network", retryable: true },
    })
  })
})
