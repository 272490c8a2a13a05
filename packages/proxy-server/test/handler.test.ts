import { fail, faux, say } from "@heddle/faux"
import { describe, expect, test, vi } from "vitest"
import { createProxyHandler, type ProxyHandlerOptions } from "../src/index.ts"
import { BODY, eventsOf, handlerOf, model, post, postResumable, URL_, upstreamDouble } from "./asking.ts"

const hello = () => faux([say("Hello")], { chunkSize: 3, now: () => 7 })

describe("the proxy answers", () => {
  test("with the events of the StreamFn, as data lines with increasing ids", async () => {
    const response = await handlerOf(hello())(post())

    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    })
    expect(await eventsOf(response)).toMatchObject([
      { id: 1, type: "start", api: "faux", provider: model.provider, model: model.id, timestamp: 7 },
      { id: 2, type: "text_start", contentIndex: 0 },
      { id: 3, type: "text_delta", contentIndex: 0, delta: "Hel" },
      { id: 4, type: "text_delta", contentIndex: 0, delta: "lo" },
      { id: 5, type: "text_end", contentIndex: 0 },
      { id: 6, type: "done", reason: "stop", usage: { output: 2 } },
    ])
  })

  test("names the stream to a client that can come back", async () => {
    const response = await handlerOf(hello())(postResumable())

    expect(response.headers.get("heddle-stream-id")).toMatch(/^[\w-]{36}$/)
    await response.text()
  })

  test("with what the vendor failed with, in one event", async () => {
    const streamFn = faux([fail({ ...FAILED.failure, message: FAILED.message })])

    expect(await eventsOf(await handlerOf(streamFn)(post()))).toEqual([
      {
        id: 1,
        type: "error",
        reason: "error",
        errorMessage: FAILED.message,
        failure: FAILED.failure,
        usage: NONE,
      },
    ])
  })

  test("not without its hooks", () => {
    const options = { resolveModel: () => model, streamFn: hello(), authorize: () => "alice" }

    for (const hook of Object.keys(options)) {
      expect(() => createProxyHandler({ ...options, [hook]: undefined } as never)).toThrow(hook)
    }
  })
})

const FAILED = {
  failure: { code: "rate_limit", retryable: true, status: 429, retryAfterMs: 5 },
  message: "Slow down",
} as const

const NONE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

describe("the proxy calls the StreamFn", () => {
  /** What the StreamFn is called with when a client sends this. */
  async function callOf(body: unknown, options: Partial<ProxyHandlerOptions> = {}) {
    const { streamFn, requests } = { ...withRequests(), ...options }
    const response = await handlerOf(streamFn, options)(post(body))
    expect(await eventsOf(response)).toMatchObject([{ type: "start" }, {}, {}, {}, { type: "done" }])
    return requests[0]!
  }

  function withRequests() {
    const streamFn = faux([say("Hi")])
    return { streamFn, requests: streamFn.requests }
  }

  test("with the server's model, whatever else the client says about it", async () => {
    const claimed = {
      ...BODY.model,
      baseUrl: "https://evil.test",
      headers: { "x-key": "mine" },
      apiKey: "mine",
      cost: { input: 0 },
      compat: { odd: true },
    }

    expect((await callOf({ ...BODY, model: claimed })).model).toEqual(model)
  })

  test("with the model that resolveModel finds for this caller", async () => {
    const resolveModel = vi.fn(async () => model)

    await callOf(BODY, { resolveModel, authorize: () => ({ user: "alice" }) })

    expect(resolveModel).toHaveBeenCalledExactlyOnceWith(BODY.model, { user: "alice" })
  })

  test("with the options that a client may set, and no others", async () => {
    const allowed = {
      temperature: 1.5,
      maxTokens: 100,
      reasoning: "high",
      thinkingBudgets: { high: 5000 },
      toolChoice: { name: "read" },
      cacheRetention: "long",
      sessionId: "s-1",
      metadata: { user: "u" },
      maxRetryDelayMs: 1000,
    }
    const others = {
      apiKey: "mine",
      headers: { authorization: "mine" },
      transport: "websocket",
      timeoutMs: 1,
      maxRetries: 99,
      baseUrl: "https://evil.test",
      fetch: "x",
      signal: {},
    }

    const { options } = await callOf({ ...BODY, options: { ...allowed, ...others } })

    expect(options).toEqual({ ...allowed, signal: expect.any(AbortSignal) })
  })

  test.each<{ what: string; options: object; limits?: object; gives: object }>([
    { what: "tokens to the model's", options: { maxTokens: 1e9 }, gives: { maxTokens: model.maxTokens } },
    {
      what: "tokens to the limit",
      options: { maxTokens: 500 },
      limits: { maxTokens: 50 },
      gives: { maxTokens: 50 },
    },
    {
      what: "tokens that were not asked for",
      options: {},
      limits: { maxTokens: 50 },
      gives: { maxTokens: 50 },
    },
    { what: "waits to a minute", options: { maxRetryDelayMs: 1e9 }, gives: { maxRetryDelayMs: 60_000 } },
    { what: "waits without a cap", options: { maxRetryDelayMs: 0 }, gives: { maxRetryDelayMs: 60_000 } },
    {
      what: "waits to the limit",
      options: {},
      limits: { maxRetryDelayMs: 7 },
      gives: { maxRetryDelayMs: 7 },
    },
    {
      what: "budgets to levels",
      options: { thinkingBudgets: { low: 1, odd: 2 } },
      gives: { thinkingBudgets: { low: 1 } },
    },
    {
      what: "a choice to its name",
      options: { toolChoice: { name: "a", x: 1 } },
      gives: { toolChoice: { name: "a" } },
    },
  ])("with bounded options: $what", async ({ options, limits = {}, gives }) => {
    expect((await callOf({ ...BODY, options }, { limits })).options).toMatchObject(gives)
  })

  test("with metadata that can be copied without care", async () => {
    const body = JSON.stringify({ ...BODY, options: { metadata: { a: { b: 1 } } } })

    const { options } = await callOf(body.replace('"a":{', '"__proto__":{"x":1},"a":{"__proto__":{"x":1},'))

    expect(JSON.stringify(options.metadata)).toBe('{"a":{"b":1}}')
  })

  test("with the conversation, field by field", async () => {
    const usage = { ...NONE, input: 3, odd: 1, cost: { total: 1, odd: 2 } }
    const context = {
      systemPrompt: "Be kind.",
      odd: 1,
      messages: [
        {
          role: "user",
          content: [{ type: "image", data: "aGk=", mimeType: "image/png", odd: 1 }],
          timestamp: 1,
        },
        {
          role: "assistant",
          odd: 1,
          api: "a",
          provider: "p",
          model: "m",
          usage,
          stopReason: "toolUse",
          timestamp: 2,
          content: [
            { type: "thinking", thinking: "hm", thinkingSignature: "s", redacted: false },
            { type: "text", text: "Hi", textSignature: "t" },
            { type: "toolCall", id: "c", name: "read", arguments: { a: { odd: 1 } }, thoughtSignature: "u" },
            { type: "opaque", kind: "search", data: { odd: 1 } },
          ],
        },
        {
          role: "toolResult",
          toolCallId: "c",
          toolName: "read",
          content: [{ type: "text", text: "x" }],
          details: { secret: 1 },
          isError: true,
          timestamp: 3,
        },
      ],
      tools: [{ name: "read", description: "Reads.", parameters: { type: "object" }, label: "odd" }],
    }

    const { context: passed } = await callOf({ ...BODY, context })

    expect(passed).toEqual({
      systemPrompt: "Be kind.",
      messages: [
        { role: "user", content: [{ type: "image", data: "aGk=", mimeType: "image/png" }], timestamp: 1 },
        {
          role: "assistant",
          api: "a",
          provider: "p",
          model: "m",
          usage: { ...NONE, input: 3, cost: { ...NONE.cost, total: 1 } },
          stopReason: "toolUse",
          timestamp: 2,
          content: context.messages[1]?.content,
        },
        {
          role: "toolResult",
          toolCallId: "c",
          toolName: "read",
          content: [{ type: "text", text: "x" }],
          isError: true,
          timestamp: 3,
        },
      ],
      tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }],
    })
  })

  test("with whole messages, also when a client leaves out what it may", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 99 })
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "opaque", kind: "search" }] },
      { role: "toolResult", toolCallId: "c", toolName: "read", content: [] },
    ]

    const { context } = await callOf({ model: BODY.model, context: { messages } })
    vi.useRealTimers()

    expect(context.messages).toEqual([
      { role: "user", content: "Hi", timestamp: 99 },
      {
        role: "assistant",
        api: "unknown",
        provider: "unknown",
        model: "unknown",
        usage: NONE,
        stopReason: "stop",
        content: [{ type: "opaque", kind: "search", data: null }],
        timestamp: 99,
      },
      { role: "toolResult", toolCallId: "c", toolName: "read", content: [], isError: false, timestamp: 99 },
    ])
  })
})

describe("the proxy turns away", () => {
  /** Every byte of the body that is read is counted. */
  function countingBody(chunks: readonly string[]) {
    const encoder = new TextEncoder()
    let next = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const chunk = chunks[next++]
          if (chunk === undefined) controller.close()
          else controller.enqueue(encoder.encode(chunk))
        },
      },
      { highWaterMark: 0 },
    )
    return {
      body,
      get chunksRead() {
        return next
      },
    }
  }

  const refusal = async (request: Request, options: Partial<ProxyHandlerOptions> = {}) => {
    const streamFn = faux([say("never")])
    const response = await handlerOf(streamFn, options)(request)
    expect(streamFn.requests).toHaveLength(0)
    return { response, body: response.body ? await response.json() : undefined }
  }

  test.each([
    { method: "GET", path: "", allow: "POST" },
    { method: "PUT", path: "", allow: "POST" },
    { method: "HEAD", path: "", allow: "POST" },
    { method: "OPTIONS", path: "", allow: "POST" },
    { method: "POST", path: "/some-id", allow: "GET, DELETE" },
  ])("$method on $path with 405", async ({ method, path, allow }) => {
    const { response } = await refusal(new Request(URL_ + path, { method }))

    expect(response.status).toBe(405)
    expect(response.headers.get("allow")).toBe(allow)
  })

  test.each([
    { path: "/" },
    { path: "/api" },
    { path: "/api/streams" },
    { path: "/api/stream/" },
    { path: "/api/stream/a/b" },
    { path: "/api/stream/..%2f" },
    { path: `/api/stream/${"x".repeat(65)}` },
  ])("the path $path with 404", async ({ path }) => {
    const { response, body } = await refusal(new Request(new URL(path, URL_), { method: "POST" }))

    expect(response.status).toBe(404)
    expect(body).toEqual({ error: "There is nothing here", code: "not_found" })
  })

  test("nobody at the path it was given", async () => {
    const handler = handlerOf(hello(), { path: "/models" })

    expect((await handler(post())).status).toBe(404)
    expect(await (await handler(new Request("https://proxy.test/models", post()))).text()).toContain("done")
  })

  test.each<{ what: string; decision: unknown; status: number; error: string }>([
    { what: "nobody", decision: undefined, status: 401, error: "It is not known who is asking" },
    { what: "null", decision: null, status: 401, error: "It is not known who is asking" },
    { what: "false", decision: false, status: 401, error: "It is not known who is asking" },
    { what: "an empty name", decision: "", status: 401, error: "It is not known who is asking" },
    { what: "a refusal", decision: { status: 401, message: "Log in" }, status: 401, error: "Log in" },
    { what: "a number", decision: 7, status: 401, error: "It is not known who is asking" },
    { what: "the number of a ban", decision: 403, status: 403, error: "The caller may not do this" },
    {
      what: "a refusal of another kind",
      decision: { status: 429 },
      status: 429,
      error: "The caller may not do this",
    },
    { what: "a ban", decision: { status: 403 }, status: 403, error: "The caller may not do this" },
  ])("$what with $status, before the body is read", async ({ decision, status, error }) => {
    const counted = countingBody(["{", "}"])

    const { response, body } = await refusal(post(counted.body), { authorize: () => decision as never })

    expect(response.status).toBe(status)
    expect(response.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null)
    expect(body).toMatchObject({ error })
    expect(counted.chunksRead).toBe(0)
  })

  test("whomever authorize answers itself, as it is", async () => {
    const own = new Response('{"error":"Pay first"}', { status: 402, headers: { "x-own": "1" } })

    const { response, body } = await refusal(post(), { authorize: async () => own })

    expect(response.status).toBe(402)
    expect(response.headers.get("x-own")).toBe("1")
    expect(body).toEqual({ error: "Pay first" })
  })

  test("whomever authorize throws an answer at", async () => {
    const onError = vi.fn()

    const { response } = await refusal(post(), {
      onError,
      authorize: async () => {
        throw new Response(null, { status: 403 })
      },
    })

    expect(response.status).toBe(403)
    expect(onError).not.toHaveBeenCalled()
  })

  test.each([
    { type: "text/plain" },
    { type: "application/jsonp" },
    { type: "multipart/form-data; boundary=application/json" },
    { type: "" },
  ])("the content type $type with 415, unread", async ({ type }) => {
    const counted = countingBody(["{}"])

    const { response } = await refusal(post(counted.body, { headers: { "content-type": type } }))

    expect(response.status).toBe(415)
    expect(counted.chunksRead).toBe(0)
  })

  test("a compressed body with 415", async () => {
    const { response } = await refusal(post(BODY, { headers: { "content-encoding": "gzip" } }))

    expect(response.status).toBe(415)
  })

  test("not a content type with parameters, in any case", async () => {
    const request = post(BODY, { headers: { "content-type": "Application/JSON; charset=utf-8" } })

    expect((await handlerOf(hello())(request)).status).toBe(200)
  })

  test.each([
    { what: "nothing", body: "" },
    { what: "half of it", body: '{"model":' },
    { what: "a page", body: "<secret>" },
    { what: "a cut character", body: "\ud800" },
  ])("$what instead of JSON with 400, without quoting it", async ({ body: sent }) => {
    const { response, body } = await refusal(post(sent))

    expect(response.status).toBe(400)
    expect(body).toEqual({ error: "The body is not JSON", code: "invalid_request" })
  })

  test("bytes that are no UTF-8 with 400", async () => {
    const bytes = new Uint8Array([0x22, 0xff, 0x22])
    const body = new ReadableStream({ start: (c) => (c.enqueue(bytes), c.close()) })

    expect((await refusal(post(body))).body).toMatchObject({ error: "The body is not UTF-8" })
  })

  test("a body that breaks off with 400", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) })

    expect((await refusal(post(body))).body).toMatchObject({ error: "The body broke off" })
  })

  test("a body that says it is too large with 413, unread", async () => {
    const counted = countingBody(["{}"])
    const headers = { "content-length": String(32 * 1024 * 1024 + 1) }

    const { response, body } = await refusal(post(counted.body, { headers }))

    expect(response.status).toBe(413)
    expect(body).toMatchObject({ error: "The body is larger than 33554432 bytes", code: "body_too_large" })
    expect(counted.chunksRead).toBe(0)
  })

  test("a body that is too large with 413, no further than it has to read it", async () => {
    const counted = countingBody(Array.from({ length: 100 }, () => "x".repeat(10)))

    const { response } = await refusal(post(counted.body), { limits: { maxBodyBytes: 45 } })

    expect(response.status).toBe(413)
    expect(counted.chunksRead).toBe(5)
  })

  test("bodies that are too large together with 503, and takes them when there is room again", async () => {
    const handler = handlerOf(faux([say("Hi"), say("Hi")]), { limits: { maxPendingBodyBytes: 300 } })
    let end = (): void => {}
    const slow = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(" ".repeat(200)))
        end = () => controller.close()
      },
    })
    const first = handler(post(slow))
    await new Promise((resolve) => setTimeout(resolve))

    const busy = await handler(post())
    end()

    expect((await first).status).toBe(400)
    expect(busy.status).toBe(503)
    expect(busy.headers.get("retry-after")).toBe("1")
    expect((await handler(post())).status).toBe(200)
  })

  test("a body that does not arrive in time with 408", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    let isCancelled = false
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true
      },
    })
    const refused = refusal(post(body), { limits: { bodyTimeoutMs: 500 } })

    await vi.advanceTimersByTimeAsync(500)
    const { response } = await refused

    expect(response.status).toBe(408)
    expect(isCancelled).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  const message = (fields: object) => ({
    ...BODY,
    context: { messages: [{ role: "user", content: "x" }, fields] },
  })
  const block = (fields: object) => message({ role: "assistant", content: [fields] })
  test.each<{ body: unknown; error: string }>([
    { body: [], error: 'The body must be of type "object"' },
    { body: null, error: 'The body must be of type "object"' },
    { body: 7, error: 'The body must be of type "object"' },
    { body: {}, error: "model is missing" },
    { body: { model: "m", context: BODY.context }, error: 'model must be of type "object"' },
    { body: { model: { id: "m" }, context: BODY.context }, error: "model.provider is missing" },
    {
      body: { model: { provider: "", id: "m" }, context: BODY.context },
      error: "model.provider is not right",
    },
    { body: { ...BODY, model: { provider: "p", id: "x".repeat(300) } }, error: "model.id is not right" },
    { body: { model: BODY.model }, error: "context is missing" },
    { body: { ...BODY, context: {} }, error: "context.messages is missing" },
    { body: { ...BODY, context: { messages: {} } }, error: 'context.messages must be of type "array"' },
    {
      body: { ...BODY, context: { messages: [], systemPrompt: 1 } },
      error: "context.systemPrompt must be of type",
    },
    {
      body: { ...BODY, context: { messages: [], tools: [{ name: "a" }] } },
      error: "context.tools[0].parameters is missing",
    },
    { body: message([]), error: "context.messages[1] must be an object" },
    {
      body: message({ content: "x" }),
      error: "context.messages[1].role must be one of user, assistant, toolResult",
    },
    { body: message({ role: "system", content: "x" }), error: "context.messages[1].role must be one of" },
    { body: message({ role: "__proto__", content: "x" }), error: "context.messages[1].role must be one of" },
    { body: message({ role: "user" }), error: "context.messages[1].content is missing" },
    {
      body: message({ role: "user", content: 5 }),
      error: 'context.messages[1].content must be of type "string", "array"',
    },
    {
      body: message({ role: "user", content: "x", timestamp: "now" }),
      error: "context.messages[1].timestamp must be of type",
    },
    {
      body: message({ role: "assistant", content: "x" }),
      error: 'context.messages[1].content must be of type "array"',
    },
    {
      body: message({ role: "assistant", content: [], stopReason: "odd" }),
      error: "context.messages[1].stopReason must be one of",
    },
    {
      body: message({ role: "toolResult", content: [] }),
      error: "context.messages[1].toolCallId is missing",
    },
    { body: block([]), error: "context.messages[1].content[0] must be an object" },
    {
      body: block({ type: "image", data: "", mimeType: "" }),
      error: "context.messages[1].content[0].type must be one of text, thinking, toolCall, opaque",
    },
    { body: block({ type: "text" }), error: "context.messages[1].content[0].text is missing" },
    { body: block({ type: "text", text: {} }), error: "context.messages[1].content[0].text must be of type" },
    {
      body: block({ type: "toolCall", id: "c", name: "n", arguments: [] }),
      error: "context.messages[1].content[0].arguments must be of type",
    },
    { body: { ...BODY, options: [] }, error: 'options must be of type "object"' },
    {
      body: { ...BODY, options: { temperature: "hot" } },
      error: 'options.temperature must be of type "number"',
    },
    { body: { ...BODY, options: { temperature: 2.1 } }, error: "options.temperature is not right" },
    { body: { ...BODY, options: { temperature: -0.1 } }, error: "options.temperature is not right" },
    { body: { ...BODY, options: { maxTokens: 0 } }, error: "options.maxTokens is not right" },
    { body: { ...BODY, options: { maxTokens: 1.5 } }, error: 'options.maxTokens must be of type "integer"' },
    { body: { ...BODY, options: { reasoning: "off" } }, error: "options.reasoning must be one of" },
    {
      body: { ...BODY, options: { thinkingBudgets: { low: -1 } } },
      error: "options.thinkingBudgets.low is not right",
    },
    { body: { ...BODY, options: { toolChoice: "some" } }, error: "options.toolChoice must be one of" },
    { body: { ...BODY, options: { toolChoice: {} } }, error: "options.toolChoice.name is missing" },
    { body: { ...BODY, options: { toolChoice: 1 } }, error: "options.toolChoice must be of type" },
    {
      body: { ...BODY, options: { cacheRetention: "for ever" } },
      error: "options.cacheRetention must be one of",
    },
    { body: { ...BODY, options: { sessionId: "x".repeat(513) } }, error: "options.sessionId is not right" },
    { body: { ...BODY, options: { metadata: "x" } }, error: "options.metadata must be of type" },
    {
      body: { ...BODY, options: { metadata: { a: "x".repeat(20_000) } } },
      error: "options.metadata has more than",
    },
    { body: { ...BODY, options: { maxRetryDelayMs: -1 } }, error: "options.maxRetryDelayMs is not right" },
    {
      body: { ...BODY, context: { messages: [{ role: "user", content: Array(50_001).fill(0) }] } },
      error: "context.messages[0] has more than",
    },
    { body: `${"[".repeat(300)}${"]".repeat(300)}`, error: "The body is nested deeper than 256 levels" },
    {
      body: `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      error: "The body is nested deeper than 256 levels",
    },
  ])("with 422: $error", async ({ body: sent, error }) => {
    const { response, body } = await refusal(post(sent))

    expect(response.status).toBe(422)
    expect(body).toEqual({ error: expect.stringContaining(error), code: "invalid_request" })
    expect(body.error.length).toBeLessThanOrEqual(500)
  })

  test("a model that is not on the list with 404", async () => {
    const { response, body } = await refusal(post({ ...BODY, model: { provider: "p", id: "m" } }))

    expect(response.status).toBe(404)
    expect(body).toEqual({ error: "There is no model p/m", code: "model_not_found" })
  })

  test("more answers than may be made at once with 503, until one has ended", async () => {
    const first = upstreamDouble()
    const handler = handlerOf(first.streamFn, { limits: { maxStreams: 1 } })
    const response = await handler(post())

    const busy = await handler(post())
    await response.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const again = await handler(post())

    expect(busy.status).toBe(503)
    expect(busy.headers.get("retry-after")).toBe("1")
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  test("refused requests from the count of answers", async () => {
    const handler = handlerOf(hello(), { limits: { maxStreams: 1 } })

    for (let count = 0; count < 3; count++) expect((await handler(post("x"))).status).toBe(400)

    expect((await handler(post())).status).toBe(200)
  })

  test.each<{ hook: "authorize" | "resolveModel" }>([{ hook: "authorize" }, { hook: "resolveModel" }])(
    "with 500 when $hook throws, and tells only the operator why",
    async ({ hook }) => {
      const error = new Error("password=hunter2 at db.internal")
      const onError = vi.fn(() => {
        throw new Error("The log is full")
      })

      const { response, body } = await refusal(post(), {
        onError,
        [hook]: () => {
          throw error
        },
      })

      expect(response.status).toBe(500)
      expect(body).toEqual({ error: "The server failed", code: "internal" })
      expect(onError).toHaveBeenCalledExactlyOnceWith(error, expect.objectContaining({ where: hook }))
    },
  )
})

describe("pages of other origins", () => {
  const preflight = (origin: string) =>
    new Request(URL_, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    })
  const from = (origin: string) => post(BODY, { headers: { origin } })
  const allowed = (response: Response) => response.headers.get("access-control-allow-origin")

  test("may not, when nothing is said", async () => {
    const response = await handlerOf(hello())(from("https://app.test"))

    expect(allowed(response)).toBeNull()
    expect(response.headers.get("vary")).toBeNull()
  })

  test.each<{ what: string; origin: NonNullable<ProxyHandlerOptions["cors"]>["origin"] }>([
    { what: "an origin", origin: "https://app.test" },
    { what: "a list", origin: ["https://other.test", "https://app.test"] },
    { what: "a predicate", origin: (origin) => origin.endsWith("app.test") },
  ])("may, and others may not, as $what says", async ({ origin }) => {
    const handler = handlerOf(faux([say("a"), say("b")]), {
      cors: { origin, headers: ["x-tenant"], credentials: true },
    })

    const asked = await handler(preflight("https://app.test"))
    const response = await handler(from("https://app.test"))
    const stranger = await handler(preflight("https://evil.test"))

    expect(asked.status).toBe(204)
    expect(Object.fromEntries(asked.headers)).toEqual({
      "access-control-allow-origin": "https://app.test",
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "POST, GET, DELETE",
      "access-control-allow-headers": "authorization, content-type, heddle-protocol, last-event-id, x-tenant",
      "access-control-max-age": "600",
      "access-control-expose-headers": "heddle-stream-id, retry-after, retry-after-ms",
      vary: "origin",
    })
    expect(allowed(response)).toBe("https://app.test")
    expect(response.headers.get("access-control-expose-headers")).toContain("heddle-stream-id")
    expect(allowed(stranger)).toBeNull()
    expect(stranger.headers.get("access-control-allow-credentials")).toBeNull()
    expect(await response.text()).toContain("done")
  })

  test("may all with a star, and can read refusals too", async () => {
    const handler = handlerOf(hello(), { cors: { origin: "*" } })

    expect(allowed(await handler(from("https://any.test")))).toBe("*")
    expect(allowed(await handler(post("x", { headers: { origin: "https://any.test" } })))).toBe("*")
    expect(allowed(await handler(new Request(`${URL_}/id`, { method: "OPTIONS" })))).toBe("*")
  })

  test("get what authorize answers, whoever made that response", async () => {
    const immutable = Response.redirect("https://login.test")
    const handler = handlerOf(hello(), { cors: { origin: "*" }, authorize: () => immutable })

    const response = await handler(post())

    expect(response.status).toBe(302)
    expect(allowed(response)).toBe("*")
  })
})
