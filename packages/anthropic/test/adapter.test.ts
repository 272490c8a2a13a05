import { createServer } from "node:net"
import { Anthropic } from "@anthropic-ai/sdk"
import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { afterEach, describe, expect, test, vi } from "vitest"
import { type AnthropicMessagesConfig, anthropicMessages } from "../src/index.ts"
import { freeze } from "./freeze.ts"
import { modelOf } from "./replay.ts"
import {
  answer,
  drop,
  raw,
  refuse,
  type ScriptedServer,
  silence,
  stall,
  startServer,
  trickle,
} from "./scripted-server.ts"
import { begin, bytesOf, call, end, HEL, HELLO, open, text } from "./wire-events.ts"

const KEY = "sk-ant-api-4f9c2b7a"

const context: Context = freeze({ messages: [{ role: "user", content: "Hi", timestamp: 0 }] })

function modelAt(baseUrl: string, fields: Partial<Model<"anthropic-messages">> = {}): Model {
  return freeze(modelOf({ baseUrl, reasoning: false, ...fields }))
}

function ask(
  server: ScriptedServer,
  options: SimpleStreamOptions = {},
  config: AnthropicMessagesConfig = {},
) {
  return anthropicMessages({ apiKey: KEY, ...config })(modelAt(server.baseUrl), context, options)
}

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** The first try fails, the second does not: without waiting long in between. */
const AT_ONCE = { "retry-after-ms": "5" }

function error(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_1" }
}

afterEach(() => vi.unstubAllEnvs())

describe("anthropicMessages", () => {
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
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-test",
      responseId: "msg_1",
      responseModel: "claude-x-2026",
      stopReason: "stop",
      usage: { input: 5, output: 2, totalTokens: 7, cost: { total: 9e-6 } },
    })
  })

  test("reads four-byte characters that are cut into pieces of any size", async () => {
    const words = "héllo 👋🏽 世界 𝒳 \u{10FFFF}"
    for (const size of [1, 4, 7]) {
      const server = await startServer(trickle(bytesOf([begin(), ...text(0, words), ...end()]), size))

      expect((await ask(server).result()).content).toEqual([{ type: "text", text: words }])
    }
  })

  test("uses connections again", async () => {
    const server = await startServer(answer())

    for (let turn = 0; turn < 6; turn++) await ask(server).result()

    // The end of a body may still be on its way when the next request leaves.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test("does not wait for a body that stays open behind its last event", async () => {
    const server = await startServer(stall(HELLO))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop" })
    await server.requests[0]?.hungUp
  })

  test.each([{ added: "" }, { added: "/" }, { added: "/v1" }, { added: "/v1/" }])(
    "reaches the server whose address ends in '$added'",
    async ({ added }) => {
      const server = await startServer(answer())

      await anthropicMessages({ apiKey: KEY })(modelAt(server.baseUrl + added), context).result()

      expect(server.requests[0]?.url).toBe("/v1/messages")
    },
  )

  describe("sends credentials", () => {
    test("as a key, with the version of the API that takes all models' requests", async () => {
      const server = await startServer(answer())

      await ask(server).result()

      const sent = server.requests[0]?.headers
      expect(sent).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" })
      const unwanted = /^(authorization|anthropic-beta|x-stainless-timeout|anthropic-dangerous.*)$/
      expect(Object.keys(sent ?? {}).filter((name) => unwanted.test(name))).toEqual([])
    })

    test("as a token where they are one", async () => {
      const server = await startServer(answer())

      await ask(server, {}, { apiKey: undefined, authToken: "token-1" }).result()
      await ask(server, { apiKey: "sk-ant-oat01-x" }).result()

      const [first, second] = server.requests
      expect(first?.headers).toMatchObject({ authorization: "Bearer token-1" })
      expect(second?.headers).toMatchObject({
        authorization: "Bearer sk-ant-oat01-x",
        "anthropic-beta": "oauth-2025-04-20",
      })
      for (const request of server.requests) expect(request.headers).not.toHaveProperty("x-api-key")
    })

    test("as the server wants them", async () => {
      const server = await startServer(answer())

      await anthropicMessages({ apiKey: KEY })(modelAt(server.baseUrl, { provider: "zai" }), context).result()

      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
      expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key")
    })

    test("from the environment", async () => {
      vi.stubEnv("ANTHROPIC_API_KEY", "sk-from-env")
      const server = await startServer(answer())

      await anthropicMessages()(modelAt(server.baseUrl), context).result()

      expect(server.requests[0]?.headers["x-api-key"]).toBe("sk-from-env")
    })

    test("from the environment not on top of the caller's own", async () => {
      vi.stubEnv("ANTHROPIC_API_KEY", "sk-from-env")
      const server = await startServer(answer())
      const headers = { Authorization: "Bearer mine" }

      await anthropicMessages()(modelAt(server.baseUrl), context, { headers }).result()

      expect(server.requests[0]?.headers.authorization).toBe("Bearer mine")
      expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key")
    })

    test("of no other vendor to a server on one's own machine", async () => {
      vi.stubEnv("ANTHROPIC_API_KEY", "sk-of-anthropic")
      vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-of-anthropic")
      const server = await startServer(answer())

      const message = await anthropicMessages()(
        modelAt(server.baseUrl, { provider: "ollama" }),
        context,
      ).result()

      expect(message.stopReason).toBe("stop")
      expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/of-anthropic|Bearer/)
      expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key")
    })

    test("or says what to set", async () => {
      vi.stubEnv("ANTHROPIC_API_KEY", "")
      const server = await startServer(answer())

      const events = await collect(anthropicMessages()(modelAt(server.baseUrl), context))

      expect(events).toMatchObject([
        {
          type: "error",
          error: {
            failure: { code: "auth", retryable: false },
            errorMessage: expect.stringContaining("set ANTHROPIC_API_KEY"),
          },
        },
      ])
      expect(server.requests).toHaveLength(0)
    })
  })

  test("asks for the address of a vendor that has none", async () => {
    const model = modelAt("", { provider: "azure" })

    expect(await anthropicMessages({ apiKey: KEY })(model, context).result()).toMatchObject({
      errorMessage: expect.stringContaining("baseUrl"),
      failure: { code: "invalid_request" },
    })
  })

  test("lets the configuration's address win, with what is known about it", async () => {
    const server = await startServer(answer())
    const config = {
      apiKey: KEY,
      baseUrl: server.baseUrl,
      compat: { apiKeyHeader: "authorization" },
    } as const

    await anthropicMessages(config)(modelAt("http://127.0.0.1:1"), context).result()

    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  test("merges headers, and a null removes even the SDK's own", async () => {
    const server = await startServer(answer())
    const model = modelAt(server.baseUrl, { headers: { "X-Model": "m", "X-Both": "m" } })
    const headers = { "x-both": "o", "User-Agent": null, "x-config": null, "Anthropic-Version": "2026-10-21" }

    await anthropicMessages({ apiKey: KEY, headers: { "X-Config": "c" } })(model, context, {
      headers,
    }).result()

    const sent = server.requests[0]?.headers
    expect(sent).toMatchObject({ "x-model": "m", "x-both": "o", "anthropic-version": "2026-10-21" })
    expect(sent?.["user-agent"]).not.toContain("Anthropic")
    expect(sent).not.toHaveProperty("x-config")
  })

  test("adds up the betas that configuration, model and caller ask for, or sends none", async () => {
    const server = await startServer(answer())
    const model = modelAt(server.baseUrl, { compat: { betas: ["of-model"] } })
    const streamFn = anthropicMessages({ apiKey: KEY, betas: ["of-config", "of-model"] })

    await streamFn(model, context, { headers: { "anthropic-beta": "of-call, of-config" } }).result()
    await streamFn(model, context, { headers: { "anthropic-beta": null } }).result()

    expect(server.requests[0]?.headers["anthropic-beta"]).toBe("of-model,of-config,of-call")
    expect(server.requests[1]?.headers).not.toHaveProperty("anthropic-beta")
  })

  test("shows and replaces the payload, and shows the response", async () => {
    const server = await startServer(answer())
    const onPayload = vi.fn((payload: unknown) => ({ ...(payload as object), top_k: 7 }))
    const onResponse = vi.fn()

    await ask(server, { onPayload, onResponse }).result()

    expect(onPayload.mock.calls[0]?.[0]).toMatchObject({ model: "claude-test", stream: true })
    expect(server.requests[0]?.body.top_k).toBe(7)
    expect(onResponse).toHaveBeenCalledOnce()
    expect(onResponse.mock.calls[0]?.[0]).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream" },
    })
  })

  describe("with a ready client", () => {
    test("uses its key and address, and none of its retries", async () => {
      const server = await startServer(refuse(500, {}, AT_ONCE))
      const client = new Anthropic({ apiKey: "sk-of-client", baseURL: server.baseUrl, maxRetries: 5 })

      const stream = anthropicMessages({ client })(modelAt(""), context, { maxRetries: 1 })

      expect(await stream.result()).toMatchObject({ failure: { code: "server" } })
      expect(server.requests).toHaveLength(2)
      expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-of-client")
    })

    test("keeps its own time", async () => {
      const server = await startServer(silence)
      const client = new Anthropic({ apiKey: "sk-of-client", baseURL: server.baseUrl })

      const stream = anthropicMessages({ client })(modelAt(""), context, { maxRetries: 0, timeoutMs: 30 })

      expect(await stream.result()).toMatchObject({ failure: { code: "timeout", retryable: true } })
    })

    test("lets the key of a request win", async () => {
      const server = await startServer(answer())
      const client = new Anthropic({ apiKey: "sk-of-client", baseURL: server.baseUrl })

      await anthropicMessages({ client })(modelAt(""), context, { apiKey: KEY }).result()

      expect(server.requests[0]?.headers["x-api-key"]).toBe(KEY)
      expect(server.requests[0]?.headers).not.toHaveProperty("authorization")
    })
  })

  describe("goes on with a turn that was paused", () => {
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }
    const paused = [
      begin({ usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 3 } }),
      ...text(0, "Looking. "),
      open(1, use),
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: '{"query":"x"}' },
      },
      { type: "content_block_stop", index: 1 },
      ...end("pause_turn", { output_tokens: 20 }),
    ]
    const rest = [
      begin({ id: "msg_2", usage: { input_tokens: 100, output_tokens: 1 } }),
      open(0, found),
      { type: "content_block_stop", index: 0 },
      ...text(1, "Found."),
      ...end("end_turn", { output_tokens: 30 }),
    ]

    test("as one answer, with its usage added up", async () => {
      const server = await startServer(answer(paused), answer(rest))

      const stream = ask(server)

      const events = await collect(stream)
      expect(events.filter(({ type }) => type === "start" || type === "done")).toHaveLength(2)
      expect(await stream.result()).toMatchObject({
        content: [
          { type: "text", text: "Looking. " },
          { type: "opaque", data: { ...use, input: { query: "x" } } },
          { type: "opaque", data: found },
          { type: "text", text: "Found." },
        ],
        stopReason: "stop",
        responseId: "msg_2",
        usage: { input: 110, output: 50, cacheRead: 3, totalTokens: 163 },
      })
    })

    test("by sending back what was said, with nothing behind it", async () => {
      const server = await startServer(answer(paused), answer(paused), answer(rest))

      await ask(server, { temperature: 0 }).result()

      const [first, second, third] = server.requests
      const said = [
        { type: "text", text: "Looking. " },
        { ...use, input: { query: "x" } },
      ]
      const asked = { role: "user", content: [expect.objectContaining({ type: "text", text: "Hi" })] }
      expect(second?.body).toEqual({
        ...first?.body,
        messages: [asked, { role: "assistant", content: said }],
      })
      expect(third?.body.messages).toEqual([asked, { role: "assistant", content: [...said, ...said] }])
    })

    test("in the same container, which is named once", async () => {
      const container = { id: "container_1", expires_at: "2026-01-01T00:00:00Z" }
      const sandboxed = [...paused.slice(0, -2), ...end("pause_turn", {}, { container })]
      const server = await startServer(answer(sandboxed), answer(rest))

      const message = await ask(server).result()

      expect(server.requests[1]?.body.container).toBe("container_1")
      expect(
        message.content.filter((block) => block.type === "opaque" && block.kind === "container"),
      ).toHaveLength(1)
    })

    test("shown to the caller, who may change it", async () => {
      const server = await startServer(answer(paused), answer(rest))
      const onPayload = vi.fn((payload: unknown) => ({
        ...(payload as object),
        top_k: onPayload.mock.calls.length,
      }))

      await ask(server, { onPayload }).result()

      expect(server.requests.map(({ body }) => body.top_k)).toEqual([1, 2])
    })

    test("a bounded number of times", async () => {
      const server = await startServer(answer(paused))

      const message = await ask(server).result()

      expect(message).toMatchObject({ stopReason: "length", rawStopReason: "pause_turn" })
      expect(message.content).toHaveLength(22)
      expect(server.requests).toHaveLength(11)
    })

    test("again when the server is busy in between", async () => {
      const busy = refuse(529, error("overloaded_error", "Overloaded"), AT_ONCE)
      const server = await startServer(answer(paused), busy, answer(rest))

      expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: { length: 4 } })
      expect(server.requests).toHaveLength(3)
    })

    test("and keeps what came when it cannot", async () => {
      const server = await startServer(answer(paused), refuse(400, error("invalid_request_error", "no")))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        errorMessage: "no",
        content: [{ text: "Looking. " }, { kind: "server_tool_use" }],
        usage: { input: 10, output: 20 },
      })
    })

    test("until the signal fires", async () => {
      const server = await startServer(answer(paused), silence)
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal })
      await server.received(2)

      controller.abort()

      expect(await stream.result()).toMatchObject({
        stopReason: "aborted",
        content: [{ text: "Looking. " }, { kind: "server_tool_use" }],
        usage: { output: 20 },
      })
      await server.requests[1]?.hungUp
    })
  })

  describe("tries again", () => {
    test.each([
      { status: 408, type: "timeout_error", code: "timeout" },
      { status: 409, type: "conflict_error", code: "server" },
      { status: 429, type: "rate_limit_error", code: "rate_limit" },
      { status: 500, type: "api_error", code: "server" },
      { status: 502, type: "api_error", code: "server" },
      { status: 503, type: "api_error", code: "overloaded" },
      { status: 504, type: "timeout_error", code: "timeout" },
      { status: 529, type: "overloaded_error", code: "overloaded" },
    ])("after a $status, and reports $code when it does not end", async ({ status, type, code }) => {
      const refusal = refuse(status, error(type, "not now"), AT_ONCE)

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
      const server = await startServer(answer([error("overloaded_error", "Overloaded")]), answer())

      expect(await ask(server).result()).toMatchObject({ stopReason: "stop" })
      expect(server.requests).toHaveLength(2)
    })

    test.each([
      { status: 400, type: "invalid_request_error", says: "messages: bad", code: "invalid_request" },
      {
        status: 400,
        type: "invalid_request_error",
        says: "prompt is too long: 9 tokens > 8 maximum",
        code: "context_overflow",
      },
      { status: 400, type: "invalid_request_error", says: "Your credit balance is too low", code: "quota" },
      { status: 401, type: "authentication_error", says: "invalid x-api-key", code: "auth" },
      { status: 402, type: "billing_error", says: "pay", code: "quota" },
      { status: 403, type: "permission_error", says: "not yours", code: "auth" },
      { status: 404, type: "not_found_error", says: "model: claude-nine", code: "invalid_request" },
      {
        status: 413,
        type: "request_too_large",
        says: "Request exceeds the maximum size",
        code: "context_overflow",
      },
    ])("never after a $status with $type, which is $code", async ({ status, type, says, code }) => {
      const server = await startServer(refuse(status, error(type, says)))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        errorMessage: says,
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
      const server = await startServer(refuse(401, error("authentication_error", `Wrong key ${KEY}.`)))

      const message = await ask(server).result()

      expect(message.errorMessage).toBe("Wrong key [redacted].")
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

    test.each([
      { what: "nothing", body: "" },
      { what: "a page", body: "<html>Sign in</html>" },
      { what: "broken JSON", body: '{"type":"message","content":[{"ty' },
      { what: "JSON of another shape", body: '{"ok":true}' },
      { what: "pings alone", body: 'event: ping\ndata: {"type":"ping"}\n\n' },
      { what: "an event that is not JSON", body: 'data: {"type":}\n\n' },
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
      const server = await startServer(answer(HEL))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        content: [{ text: "Hel" }],
        failure: { code: "protocol", retryable: true },
        usage: { input: 5 },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("an error in the middle of the stream, and keeps what came before", async () => {
      const server = await startServer(answer([...HEL, error("overloaded_error", "Overloaded")]))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hel" }],
        errorMessage: "Overloaded",
        failure: { code: "overloaded", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("a connection that drops in the middle, and keeps what came before", async () => {
      const server = await startServer(drop(HEL))

      expect(await ask(server).result()).toMatchObject({
        content: [{ text: "Hel" }],
        failure: { code: "network", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("a refused connection, with its address", async () => {
      const port = await unusedPort()
      const model = modelAt(`http://127.0.0.1:${port}`)

      const message = await anthropicMessages({ apiKey: KEY })(model, context, { maxRetries: 0 }).result()

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

    test("a refusal by the model, with what it is billed", async () => {
      const details = { stop_details: { type: "refusal", category: "cyber", explanation: "Not this." } }
      const server = await startServer(answer([begin(), ...end("refusal", { output_tokens: 3 }, details)]))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        rawStopReason: "refusal",
        errorMessage: "Not this.",
        failure: { code: "content_filter", retryable: false },
        usage: { input: 5, output: 3 },
      })
      expect(server.requests).toHaveLength(1)
    })

    test("an address that is none", async () => {
      const message = await anthropicMessages({ apiKey: KEY })(modelAt("no address"), context).result()

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
      const begun = deferred()
      const stream = ask(server, { signal: controller.signal, onResponse: begun.resolve })
      await begun.promise

      controller.abort()

      expect(await stream.result()).toMatchObject(aborted)
      await server.requests[0]?.hungUp
    })

    test.each([
      { where: "text", events: HEL, at: "text_delta", kept: { text: "Hel" } },
      {
        where: "thinking",
        events: [begin(), open(0, { type: "thinking", thinking: "Hm", signature: "" })],
        at: "thinking_delta",
        kept: { thinking: "Hm" },
      },
      {
        where: "a call",
        events: [begin(), ...call(0, "a", "read", '{"path":"a')].slice(0, -1),
        at: "toolcall_delta",
        kept: { arguments: { path: "a" }, argumentsError: expect.any(String) },
      },
    ])("in the middle of $where, keeps what came and hangs up", async ({ events, at, kept }) => {
      const server = await startServer(stall(events))
      const controller = new AbortController()
      const stream = ask(server, { signal: controller.signal })

      for await (const event of stream) if (event.type === at) controller.abort()

      expect(await stream.result()).toMatchObject({ ...aborted, content: [kept], usage: { input: 5 } })
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

    test("in the middle of a body that does not listen, does not wait for it", async () => {
      const controller = new AbortController()
      const body = new ReadableStream({
        start: (sink) => sink.enqueue(bytesOf(HEL)),
        cancel: () => new Promise(() => {}),
      })
      const server = await startServer(answer())
      const stream = ask(server, { signal: controller.signal, fetch: async () => new Response(body) })

      for await (const event of stream) if (event.type === "text_delta") controller.abort()

      expect(await stream.result()).toMatchObject({ ...aborted, content: [{ text: "Hel" }] })
    })
  })

  test("hangs up when the reader leaves", async () => {
    const server = await startServer(stall(HEL))
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
