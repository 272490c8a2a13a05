import type { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import {
  type AdapterCall,
  type AdapterConfig,
  type AdapterDefinition,
  type AdapterStreamFn,
  defineAdapter,
  protocolError,
  readSse,
  StreamFailureError,
} from "../src/index.ts"
import { frozen } from "./frozen.ts"
import { model, user } from "./transcript.ts"

interface Payload {
  readonly prompt: unknown
}

/** An adapter for a wire of its own: `{ text }` grows the answer, `{ done: true }` ends it. */
const definition: AdapterDefinition<typeof globalThis.fetch, Payload, Response> = {
  envKeys: () => ["KIT_TEST_KEY", "KIT_OTHER_KEY"],
  baseUrl: () => "http://default.test",
  load: async () => globalThis.fetch,
  toRequest: (_, context) => ({ prompt: [context.systemPrompt, context.messages] }),
  send: async (call) => {
    const headers = Object.entries(call.headers).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    const init = { method: "POST", body: JSON.stringify(call.payload), headers, signal: call.signal }
    const response = await call.fetch(call.baseUrl ?? "http://sdk.test", init)
    if (response.ok) return response
    const body: unknown = await response.json().catch(() => undefined)
    throw Object.assign(new Error("refused"), {
      status: response.status,
      headers: response.headers,
      error: body,
    })
  },
  receive: async (response, builder, { signal }) => {
    await readSse(response.body, { signal, onEvent: (event) => map(event, builder) })
    if (!builder.ended) throw protocolError("cut off")
  },
}

function map(event: Readonly<Record<string, unknown>>, builder: AssistantMessageBuilder): void {
  if (typeof event.text === "string") builder.text(0, event.text)
  if (event.failure) throw new StreamFailureError({ code: "overloaded", retryable: true }, "busy")
  if (event.done) builder.done("stop")
}

const context: Context = frozen({ messages: [user("Hi")] })

/** A fetch that answers its calls with these, one after the other. */
function fetchOf(...replies: (Response | Error | "hang" | "deaf")[]) {
  return vi.fn((_url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const reply = replies.shift()
    if (reply instanceof Response) return Promise.resolve(reply)
    if (reply instanceof Error) return Promise.reject(reply)
    return new Promise((_, reject) => {
      if (reply === "hang") init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
    })
  })
}

function events(...list: object[]): Response {
  return new Response(list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""))
}

function refusal(status: number, message = "no", headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ error: { message } }), { status, headers })
}

const hello = () => events({ text: "Hel" }, { text: "lo" }, { done: true })

/** A body that sends one piece of text and then nothing more. */
function stalled(): { response: Response; cancelled: ReturnType<typeof vi.fn> } {
  const cancelled = vi.fn()
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"text":"Hel"}\n\n')),
    cancel: cancelled,
  })
  return { response: new Response(body), cancelled }
}

async function collect(stream: ReturnType<AdapterStreamFn>): Promise<AssistantMessageEvent[]> {
  const collected: AssistantMessageEvent[] = []
  for await (const event of stream) collected.push(event)
  return collected
}

function ask(options: SimpleStreamOptions = {}, config: AdapterConfig = {}, asked: Model = model) {
  return defineAdapter(definition, { apiKey: "key-of-config", ...config })(frozen(asked), context, options)
}

describe("defineAdapter", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  })

  test("returns the stream at once and streams the answer", async () => {
    const stream = ask({ fetch: fetchOf(hello()) })

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
      stopReason: "stop",
      api: "test-api",
      provider: "test",
      model: "m-1",
    })
  })

  test("asks nothing of the caller but a model and a context", async () => {
    vi.stubGlobal("fetch", fetchOf(hello()))
    vi.stubEnv("KIT_TEST_KEY", "k")

    expect(await defineAdapter(definition)(model, context).result()).toMatchObject({ stopReason: "stop" })
  })

  describe("finds the key", () => {
    const keyOf = async (
      options: SimpleStreamOptions,
      config: AdapterConfig,
    ): Promise<string | undefined> => {
      let key: string | undefined
      const send = async (call: AdapterCall<Payload>): Promise<Response> => {
        key = call.apiKey
        return hello()
      }
      await defineAdapter({ ...definition, send }, config)(model, context, options).result()
      return key
    }

    test.each([
      { where: "in the options first", options: { apiKey: "o" }, config: { apiKey: "c" }, key: "o" },
      { where: "in the configuration then", options: {}, config: { apiKey: "c" }, key: "c" },
      {
        where: "in the configuration when the options are blank",
        options: { apiKey: " " },
        config: { apiKey: "c" },
        key: "c",
      },
      { where: "in the environment at last", options: {}, config: {}, key: "e" },
      {
        where: "in the first variable that is set",
        options: { apiKey: "" },
        config: { apiKey: "" },
        key: "e",
      },
      { where: "nowhere when there is a ready client", options: {}, config: { client: {} }, key: undefined },
      {
        where: "in the options beside a ready client",
        options: { apiKey: "o" },
        config: { client: {} },
        key: "o",
      },
      { where: "without the line break that came with it", options: { apiKey: "o\n" }, config: {}, key: "o" },
    ])("$where", async ({ options, config, key }) => {
      vi.stubEnv("KIT_TEST_KEY", "")
      vi.stubEnv("KIT_OTHER_KEY", "e")

      expect(await keyOf(options, config)).toBe(key)
    })

    test("or says what to set, without asking the vendor", async () => {
      const fetch = fetchOf()
      const stream = defineAdapter(definition)(model, context, { fetch })

      const [error, ...rest] = await collect(stream)

      expect(rest).toEqual([])
      expect(error).toMatchObject({
        type: "error",
        error: {
          stopReason: "error",
          errorMessage:
            "No API key for test: set KIT_TEST_KEY or KIT_OTHER_KEY, or pass apiKey in the options or to the adapter.",
          failure: { code: "auth", retryable: false },
        },
      })
      expect(fetch).not.toHaveBeenCalled()
    })

    test("or does without where the server needs none or headers bring credentials", async () => {
      const local = defineAdapter({ ...definition, needsKey: () => false })

      expect(await local(model, context, { fetch: fetchOf(hello()) }).result()).toMatchObject({
        stopReason: "stop",
      })
      const headers = { Authorization: "Bearer own" }
      expect(
        await defineAdapter(definition)(model, context, { fetch: fetchOf(hello()), headers }).result(),
      ).toMatchObject({ stopReason: "stop" })
    })
  })

  describe("addresses the request", () => {
    test.each([
      {
        root: "the configuration's root",
        config: { baseUrl: "http://config.test" },
        baseUrl: "http://model.test",
        url: "http://config.test",
      },
      { root: "the model's root", config: {}, baseUrl: "http://model.test", url: "http://model.test" },
      { root: "the vendor's root", config: {}, baseUrl: "", url: "http://default.test" },
    ])("to $root", async ({ config, baseUrl, url }) => {
      const fetch = fetchOf(hello())

      await ask({ fetch }, config, { ...model, baseUrl }).result()

      expect(fetch.mock.calls[0]?.[0]).toBe(url)
    })

    test("or says what to set where neither has one", async () => {
      const fetch = fetchOf(hello())
      const homeless = { ...definition, baseUrl: () => "" }
      const asked = { ...model, baseUrl: "" }

      expect(
        await defineAdapter(homeless, { apiKey: "kkkk" })(asked, context, { fetch }).result(),
      ).toMatchObject({
        errorMessage: "No address for test: set baseUrl on the model, or pass it to the adapter.",
        failure: { code: "invalid_request", retryable: false },
      })
      expect(fetch).not.toHaveBeenCalled()
    })

    test("or says so where it is no address", async () => {
      const fetch = fetchOf(hello())

      expect(await ask({ fetch }, {}, { ...model, baseUrl: "api.test/v1" }).result()).toMatchObject({
        errorMessage: "This is no address: api.test/v1",
        failure: { code: "invalid_request", retryable: false },
      })
      expect(fetch).not.toHaveBeenCalled()
    })

    test("to the root that the SDK knows where the adapter names none", async () => {
      const fetch = fetchOf(hello())
      const { baseUrl: _, ...rootless } = definition

      await defineAdapter(rootless, { apiKey: "kkkk" })({ ...model, baseUrl: "" }, context, {
        fetch,
      }).result()

      expect(fetch.mock.calls[0]?.[0]).toBe("http://sdk.test")
    })

    test("with the headers of configuration, model and options, in this order, less those that are null", async () => {
      const fetch = fetchOf(hello())
      const headers = { "X-A": "config", "X-B": "config", "X-C": "config" }
      const asked = { ...model, headers: { "x-b": "model", "x-c": "model", "x-d": "model" } }

      await ask({ fetch, headers: { "x-C": "options", "X-D": null } }, { headers }, asked).result()

      const sent = new Headers(fetch.mock.calls[0]?.[1]?.headers)
      expect(Object.fromEntries(sent)).toMatchObject({ "x-a": "config", "x-b": "model", "x-c": "options" })
      expect(sent.has("x-d")).toBe(false)
    })

    test("through the options' fetch before the configuration's", async () => {
      const [own, other] = [fetchOf(hello()), fetchOf(hello())]

      await ask({ fetch: own }, { fetch: other }).result()
      await ask({}, { fetch: other }).result()

      expect(own).toHaveBeenCalledOnce()
      expect(other).toHaveBeenCalledOnce()
    })
  })

  test("cleans all outgoing text and adapts the history", async () => {
    const fetch = fetchOf(hello())
    const failed = { ...(await ask({ fetch: fetchOf(refusal(400)) }).result()) }
    const dirty: Context = frozen({ systemPrompt: "s\uD83D", messages: [user("u\uDE00"), failed] })

    await defineAdapter(definition, { apiKey: "kkkk" })(model, dirty, { fetch }).result()

    expect(JSON.parse(String(fetch.mock.calls[0]?.[1]?.body))).toEqual({ prompt: ["s", [user("u")]] })
  })

  test("reports a request that cannot be built", async () => {
    const toRequest = (): never => {
      throw new TypeError("The tool read has no JSON Schema")
    }

    const stream = defineAdapter({ ...definition, toRequest }, { apiKey: "kkkk" })(model, context)

    expect(await stream.result()).toMatchObject({
      errorMessage: "The tool read has no JSON Schema",
      failure: { code: "invalid_request", retryable: false },
    })
  })

  test("reports an SDK that is not there, without retrying", async () => {
    const load = vi.fn(async (): Promise<never> => {
      throw new Error("Cannot find package 'vendor'\nRequire stack:\n- /secret/path")
    })

    const stream = defineAdapter({ ...definition, load }, { apiKey: "kkkk" })(model, context)

    expect(await stream.result()).toMatchObject({
      errorMessage: "The vendor's SDK could not be loaded: Cannot find package 'vendor'",
      failure: { code: "unknown", retryable: false },
    })
    expect(load).toHaveBeenCalledOnce()
  })

  describe("shows the payload", () => {
    test("and sends what comes back instead", async () => {
      const fetch = fetchOf(hello())
      const onPayload = vi.fn(async (payload: unknown) => ({ ...(payload as object), more: true }))

      await ask({ fetch, onPayload }).result()

      expect(onPayload).toHaveBeenCalledWith(
        { prompt: [null, [user("Hi")]].map((part) => part ?? undefined) },
        model,
      )
      expect(JSON.parse(String(fetch.mock.calls[0]?.[1]?.body))).toMatchObject({ more: true })
    })

    test("and sends it as it is where nothing comes back", async () => {
      const fetch = fetchOf(hello())

      expect(await ask({ fetch, onPayload: () => null }).result()).toMatchObject({ stopReason: "stop" })
      expect(JSON.parse(String(fetch.mock.calls[0]?.[1]?.body))).toHaveProperty("prompt")
    })

    test("once, however often it is sent", async () => {
      const onPayload = vi.fn()

      const result = ask({ fetch: fetchOf(refusal(500), hello()), onPayload }).result()
      await vi.runAllTimersAsync()

      expect(await result).toMatchObject({ stopReason: "stop" })
      expect(onPayload).toHaveBeenCalledOnce()
    })

    test("and stops when that throws", async () => {
      const fetch = fetchOf(hello())
      const onPayload = () => Promise.reject(new Error("not allowed"))

      expect(await ask({ fetch, onPayload }).result()).toMatchObject({
        errorMessage: "not allowed",
        failure: { code: "unknown", retryable: false },
      })
      expect(fetch).not.toHaveBeenCalled()
    })
  })

  describe("shows the response", () => {
    test("of every try, refused or not, with header names in lower case", async () => {
      const onResponse = vi.fn()
      const good = new Response(hello().body, { headers: { "X-Request-Id": "2" } })

      const result = ask({
        fetch: fetchOf(refusal(503, "busy", { "X-Request-Id": "1" }), good),
        onResponse,
      }).result()
      await vi.runAllTimersAsync()
      await result

      expect(onResponse.mock.calls).toMatchObject([
        [{ status: 503, headers: { "x-request-id": "1" } }, model],
        [{ status: 200, headers: { "x-request-id": "2" } }, model],
      ])
    })

    test("before the body is read, and closes it when that throws", async () => {
      const { response, cancelled } = stalled()
      const onResponse = () => {
        throw new Error("not this one")
      }

      const collected = await collect(ask({ fetch: fetchOf(response), onResponse }))

      expect(collected).toMatchObject([{ type: "error", error: { errorMessage: "not this one" } }])
      expect(cancelled).toHaveBeenCalledOnce()
    })
  })

  describe("tries again", () => {
    test.each([
      { failing: "a refusal", replies: () => [refusal(500), refusal(429), hello()], calls: 3 },
      { failing: "a dead connection", replies: () => [new TypeError("fetch failed"), hello()], calls: 2 },
      {
        failing: "an error event before the first event",
        replies: () => [events({ failure: 1 }), hello()],
        calls: 2,
      },
      { failing: "an empty body", replies: () => [new Response(""), hello()], calls: 2 },
    ])("after $failing, with nothing to be seen of it", async ({ replies, calls }) => {
      const fetch = fetchOf(...replies())

      const collected = collect(ask({ fetch }))
      await vi.runAllTimersAsync()

      expect((await collected).map(({ type }) => type)).toEqual([
        "start",
        "text_start",
        "text_delta",
        "text_delta",
        "text_end",
        "done",
      ])
      expect(fetch).toHaveBeenCalledTimes(calls)
    })

    test("twice by default, then reports the last failure", async () => {
      const fetch = fetchOf(refusal(500, "one"), refusal(500, "two"), refusal(503, "three"), hello())

      const result = ask({ fetch }).result()
      await vi.runAllTimersAsync()

      expect(await result).toMatchObject({
        errorMessage: "three",
        failure: { code: "overloaded", retryable: true, status: 503 },
      })
      expect(fetch).toHaveBeenCalledTimes(3)
    })

    test.each([
      { what: "never when told so", options: { maxRetries: 0 }, reply: refusal(500) },
      { what: "never what no retry mends", options: {}, reply: refusal(400) },
      { what: "never after the first event", options: {}, reply: events({ text: "Hel" }, { failure: 1 }) },
    ])("$what", async ({ options, reply }) => {
      const fetch = fetchOf(reply, hello())

      expect(await ask({ fetch, ...options }).result()).toMatchObject({ stopReason: "error" })
      expect(fetch).toHaveBeenCalledOnce()
    })

    test("exactly when the server asks for it", async () => {
      const fetch = fetchOf(refusal(429, "slow down", { "retry-after": "20" }), hello())

      const result = ask({ fetch }).result()
      await vi.advanceTimersByTimeAsync(19_999)
      expect(fetch).toHaveBeenCalledOnce()
      await vi.advanceTimersByTimeAsync(1)

      expect(await result).toMatchObject({ stopReason: "stop" })
    })

    test("not when the server asks for more than is allowed", async () => {
      const fetch = fetchOf(refusal(429, "slow down", { "retry-after": "20" }), hello())

      expect(await ask({ fetch, maxRetryDelayMs: 19_000 }).result()).toMatchObject({
        errorMessage: "slow down",
        failure: { code: "rate_limit", retryable: true, status: 429, retryAfterMs: 20_000 },
      })
      expect(fetch).toHaveBeenCalledOnce()
    })

    test("after any wait when the cap is lifted", async () => {
      const fetch = fetchOf(refusal(429, "slow down", { "retry-after": "3600" }), hello())

      const result = ask({ fetch, maxRetryDelayMs: 0 }).result()
      await vi.advanceTimersByTimeAsync(3_600_000)

      expect(await result).toMatchObject({ stopReason: "stop" })
    })
  })

  test("gives a response so long to begin, each time, and then reports a timeout", async () => {
    const fetch = fetchOf("hang", "deaf", "hang")

    const result = ask({ fetch, timeoutMs: 1000 }).result()
    await vi.advanceTimersByTimeAsync(4500)

    expect(await result).toMatchObject({
      errorMessage: "The response did not begin within 1000 ms.",
      failure: { code: "timeout", retryable: true },
    })
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  test("lets a response take its time once it has begun", async () => {
    const controller = new AbortController()
    const { response } = stalled()

    const stream = ask({ fetch: fetchOf(response), timeoutMs: 1000, signal: controller.signal })
    await vi.advanceTimersByTimeAsync(60_000)
    controller.abort()

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
  })

  test("tells why fetch gave up when the SDK does not", async () => {
    const cause = Object.assign(new Error("Headers Timeout Error"), { code: "UND_ERR_HEADERS_TIMEOUT" })
    const send: typeof definition.send = async (call) => {
      const response = await call.fetch("http://sdk.test").catch(() => undefined)
      if (!response) throw new Error("Request timed out.")
      return response
    }
    const streamFn = defineAdapter({ ...definition, send }, { apiKey: "k" })
    const fetch = fetchOf(new TypeError("fetch failed", { cause }))

    expect(await streamFn(model, context, { fetch, maxRetries: 0 }).result()).toMatchObject({
      errorMessage: expect.stringContaining("pass a fetch with longer timeouts"),
      failure: { code: "timeout", retryable: true },
    })
  })

  test("forgets a fetch that failed once another has not", async () => {
    const send: typeof definition.send = async (call) => {
      await call.fetch("http://credentials.test").catch(() => undefined)
      await call.fetch("http://sdk.test")
      throw new Error("no such region")
    }
    const streamFn = defineAdapter({ ...definition, send }, { apiKey: "k" })
    const fetch = fetchOf(new TypeError("fetch failed"), hello())

    expect(await streamFn(model, context, { fetch }).result()).toMatchObject({
      errorMessage: "no such region",
      failure: { code: "unknown" },
    })
  })

  test("keeps what arrived before a connection dropped", async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: {"text":"Hel"}\n\n'))
      },
      pull: (controller) => controller.error(new TypeError("terminated")),
    })

    expect(await ask({ fetch: fetchOf(new Response(body)) }).result()).toMatchObject({
      stopReason: "error",
      content: [{ text: "Hel" }],
      failure: { code: "network", retryable: true },
    })
  })

  test("reports a mapping that forgot the end", async () => {
    const receive = async (_: Response, builder: AssistantMessageBuilder): Promise<void> =>
      builder.text(0, "Hel")

    const stream = defineAdapter({ ...definition, receive }, { apiKey: "kkkk" })(model, context, {
      fetch: fetchOf(hello()),
    })

    expect(await stream.result()).toMatchObject({
      content: [{ text: "Hel" }],
      failure: { code: "protocol", retryable: true },
    })
  })

  test("goes on with the body a mapping asks for, as the same answer", async () => {
    const fetch = fetchOf(events({ text: "Hel" }), events({ text: "lo" }, { done: true }))
    const onPayload = vi.fn()
    const receive: typeof definition.receive = async (response, builder, { signal, round }) => {
      await readSse(response.body, { signal, onEvent: (event) => map(event, builder) })
      return builder.ended ? undefined : { prompt: `round ${round + 1}` }
    }

    const stream = defineAdapter({ ...definition, receive }, { apiKey: "kkkk" })(model, context, {
      fetch,
      onPayload,
    })

    expect(await stream.result()).toMatchObject({ content: [{ text: "Hello" }], stopReason: "stop" })
    expect(fetch.mock.calls.map(([, init]) => init?.body)).toMatchObject([
      expect.anything(),
      '{"prompt":"round 1"}',
    ])
    expect(onPayload).toHaveBeenCalledTimes(2)
  })

  test("tries again when the rest of an answer does not begin, and never once it has", async () => {
    const receive: typeof definition.receive = async (response, builder, { signal, round }) => {
      await readSse(response.body, { signal, onEvent: (event) => map(event, builder) })
      return builder.ended ? undefined : { prompt: `round ${round + 1}` }
    }
    const streamFn = defineAdapter({ ...definition, receive }, { apiKey: "kkkk" })
    const mended = fetchOf(events({ text: "Hel" }), refusal(529), events({ text: "lo" }, { done: true }))
    const broken = fetchOf(events({ text: "Hel" }), events({ text: "lo" }, { failure: true }), hello())

    const first = streamFn(model, context, { fetch: mended }).result()
    const second = streamFn(model, context, { fetch: broken }).result()
    await vi.runAllTimersAsync()

    expect(await first).toMatchObject({ content: [{ text: "Hello" }], stopReason: "stop" })
    expect(mended).toHaveBeenCalledTimes(3)
    expect(await second).toMatchObject({ content: [{ text: "Hello" }], failure: { code: "overloaded" } })
    expect(broken).toHaveBeenCalledTimes(2)
  })

  test("reports an error that cannot be read", async () => {
    const hostile = Object.defineProperty(new Error(), "message", {
      get: () => {
        throw new Error("no")
      },
    })

    expect(await ask({ fetch: fetchOf(hostile) }).result()).toMatchObject({
      errorMessage: "The request failed for an unknown reason",
      failure: { code: "unknown", retryable: false },
    })
  })

  describe("keeps secrets out of messages", () => {
    test.each([
      { secret: "the key", options: { apiKey: "sk-secret-1" }, config: {} },
      { secret: "a bearer token", options: { headers: { Authorization: "Bearer sk-secret-1" } }, config: {} },
      {
        secret: "the password of an address",
        options: {},
        config: { baseUrl: "http://me:sk-secret-1@x.test" },
      },
      { secret: "the key of a ready client", options: {}, config: { client: { apiKey: "sk-secret-1" } } },
    ])("$secret", async ({ options, config }) => {
      const fetch = fetchOf(refusal(401, "Wrong key sk-secret-1, I said sk-secret-1!"))

      const { errorMessage } = await ask({ fetch, ...options }, config).result()

      expect(errorMessage).toBe("Wrong key [redacted], I said [redacted]!")
    })
  })

  describe("when the signal fires", () => {
    const gone = new Error("enough")

    test("before the call, ends without a request", async () => {
      const fetch = fetchOf(hello())

      const collected = await collect(ask({ fetch, signal: AbortSignal.abort(gone) }))

      expect(collected).toMatchObject([
        {
          type: "error",
          reason: "aborted",
          error: {
            stopReason: "aborted",
            errorMessage: "enough",
            failure: { code: "aborted", retryable: false },
          },
        },
      ])
      expect(fetch).not.toHaveBeenCalled()
    })

    const never = () => new Promise<never>(() => {})

    test.each([
      { where: "while onPayload thinks", stuck: { onPayload: never } },
      { where: "while an obedient fetch connects", stuck: { fetch: fetchOf("hang") } },
      { where: "while a deaf fetch connects", stuck: { fetch: fetchOf("deaf") } },
      { where: "while onResponse thinks", stuck: { fetch: fetchOf(hello()), onResponse: never } },
      { where: "while waiting to try again", stuck: { fetch: fetchOf(refusal(500)) } },
      { where: "in the middle of the body", stuck: { fetch: fetchOf(stalled().response) } },
    ])("$where, ends at once and leaves nothing behind", async ({ stuck }) => {
      const controller = new AbortController()
      const add = vi.spyOn(controller.signal, "addEventListener")
      const remove = vi.spyOn(controller.signal, "removeEventListener")
      const stream = ask({ ...stuck, signal: controller.signal })
      await vi.advanceTimersByTimeAsync(10)

      controller.abort(gone)

      expect(stream.ended).toBe(true)
      expect(await stream.result()).toMatchObject({ stopReason: "aborted", errorMessage: "enough" })
      await vi.advanceTimersByTimeAsync(0)
      expect(vi.getTimerCount()).toBe(0)
      expect(add.mock.calls.every(([, , options]) => (options as { once?: boolean }).once)).toBe(true)
      expect(remove.mock.calls.length).toBeLessThanOrEqual(add.mock.calls.length)
    })

    test("while the SDK loads, sends nothing", async () => {
      const controller = new AbortController()
      const fetch = fetchOf(hello())
      let loaded = (_: typeof globalThis.fetch): void => {}
      const load = () =>
        new Promise<typeof globalThis.fetch>((resolve) => {
          loaded = resolve
        })
      const run = defineAdapter({ ...definition, load }, { apiKey: "kkkk" })
      const stream = run(model, context, { fetch, signal: controller.signal })
      await vi.advanceTimersByTimeAsync(0)

      controller.abort()
      expect(await stream.result()).toMatchObject({ stopReason: "aborted" })
      loaded(globalThis.fetch)
      await vi.advanceTimersByTimeAsync(0)

      expect(fetch).not.toHaveBeenCalled()
    })

    test("in the middle of the body, keeps what arrived and closes the connection", async () => {
      const controller = new AbortController()
      const { response, cancelled } = stalled()
      const stream = ask({ fetch: fetchOf(response), signal: controller.signal })
      await vi.advanceTimersByTimeAsync(0)

      controller.abort()

      expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
      await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
    })

    test("before a deaf fetch answers, has its answer closed unread", async () => {
      const controller = new AbortController()
      const { response, cancelled } = stalled()
      let respond = (_: Response): void => {}
      const fetch = () =>
        new Promise<Response>((resolve) => {
          respond = resolve
        })
      const stream = ask({ fetch, signal: controller.signal })
      await vi.advanceTimersByTimeAsync(0)

      controller.abort()
      await stream.result()
      respond(response)

      await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
    })

    test("has the adapter close a response of its own kind", async () => {
      const controller = new AbortController()
      const discard = vi.fn()
      let respond = (_: Response): void => {}
      const send = () =>
        new Promise<Response>((resolve) => {
          respond = resolve
        })
      const run = defineAdapter({ ...definition, send, discard }, { apiKey: "kkkk" })
      const stream = run(model, context, { signal: controller.signal })
      await vi.advanceTimersByTimeAsync(0)

      controller.abort()
      await stream.result()
      const late = hello()
      respond(late)
      await vi.advanceTimersByTimeAsync(0)

      expect(discard).toHaveBeenCalledWith(late)
    })

    test("after the end, changes nothing", async () => {
      const controller = new AbortController()
      const remove = vi.spyOn(controller.signal, "removeEventListener")
      const stream = ask({ fetch: fetchOf(hello()), signal: controller.signal })
      const message = await stream.result()
      await vi.advanceTimersByTimeAsync(0)

      controller.abort()

      expect(await stream.result()).toBe(message)
      expect(remove).toHaveBeenCalledOnce()
    })
  })

  test("stops the request when the reader leaves", async () => {
    const { signal } = new AbortController()
    const remove = vi.spyOn(signal, "removeEventListener")
    const { response, cancelled } = stalled()
    const stream = ask({ fetch: fetchOf(response), signal })

    for await (const event of stream) if (event.type === "text_delta") break

    expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Hel" }] })
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
    expect(remove).toHaveBeenCalled()
  })

  test("stops trying again when the reader leaves", async () => {
    const fetch = fetchOf(refusal(500), hello())
    const stream = ask({ fetch })
    await vi.advanceTimersByTimeAsync(0)

    await stream[Symbol.asyncIterator]().return()
    await vi.runAllTimersAsync()

    expect(fetch).toHaveBeenCalledOnce()
    expect(await stream.result()).toMatchObject({ stopReason: "aborted" })
  })
})
