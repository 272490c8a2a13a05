import { createServer } from "node:net"
import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseStreamCommand,
  type ConverseStreamCommandOutput,
  ThrottlingException,
} from "@aws-sdk/client-bedrock-runtime"
import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type BedrockConverseConfig, bedrockConverse } from "../src/index.ts"
import { delta, exception, HELLO, START, stop } from "./event-stream.ts"
import { freeze } from "./freeze.ts"
import {
  answer,
  drop,
  raw,
  refuse,
  type ScriptedServer,
  signatureOf,
  silence,
  stall,
  startServer,
} from "./scripted-server.ts"

const KEY = "bedrock-api-key-4f9c2b7a"
const CREDENTIALS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-of-the-test" }

const context: Context = freeze({ messages: [{ role: "user", content: "Hi", timestamp: 0 }] })

function modelAt(baseUrl: string, fields: Partial<Model> = {}): Model {
  return freeze({
    id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    name: "Claude",
    api: "bedrock-converse-stream",
    provider: "amazon-bedrock",
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 8000,
    ...fields,
  })
}

function ask(server: ScriptedServer, options: SimpleStreamOptions = {}, config: BedrockConverseConfig = {}) {
  return bedrockConverse({ apiKey: KEY, ...config })(modelAt(server.baseUrl), context, options)
}

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** The first try fails, the second does not: without waiting long in between. */
const AT_ONCE = { "retry-after-ms": "5" }

/** Nothing of the machine the tests run on: no keys, no region, no files, no questions to a metadata service. */
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined)
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null")
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true")
})

afterEach(() => vi.unstubAllEnvs())

describe("bedrockConverse", () => {
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
      api: "bedrock-converse-stream",
      provider: "amazon-bedrock",
      responseId: "req-1",
      stopReason: "stop",
      rawStopReason: "end_turn",
      usage: { input: 5, output: 2, totalTokens: 7, cost: { total: 9e-6 } },
    })
  })

  test("sends one request over HTTP/1.1 with the key and nothing that is not needed", async () => {
    const server = await startServer(answer())

    await ask(server, { temperature: 0.5, maxTokens: 100, cacheRetention: "none" }).result()

    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request?.httpVersion).toBe("1.1")
    expect(request?.url).toBe("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream")
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      host: new URL(server.baseUrl).host,
    })
    expect(request?.body).toEqual({
      messages: [{ role: "user", content: [{ text: "Hi" }] }],
      inferenceConfig: { maxTokens: 100, temperature: 0.5 },
    })
  })

  test("keeps the path of an address, with or without a slash at its end", async () => {
    const server = await startServer(answer())
    for (const path of ["/bedrock", "/bedrock/"]) {
      const model = modelAt(`${server.baseUrl}${path}`, { id: "amazon.nova-lite-v1:0" })

      await bedrockConverse({ apiKey: KEY })(model, context).result()

      expect(server.requests.at(-1)?.url).toBe("/bedrock/model/amazon.nova-lite-v1%3A0/converse-stream")
    }
  })

  test("uses connections again", async () => {
    const server = await startServer(answer())
    const streamFn = bedrockConverse({ apiKey: KEY })

    for (let turn = 0; turn < 6; turn++) await streamFn(modelAt(server.baseUrl), context).result()

    // The end of a body may still be on its way when the next request leaves.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test("tells of each event when it arrives", async () => {
    const server = await startServer(stall([START, delta(0, { text: "Hel" })]))

    for await (const event of ask(server)) if (event.type === "text_delta") break

    await server.requests[0]?.hungUp
  })

  test("takes an answer for whole whose connection drops behind the stop", async () => {
    const server = await startServer(drop(HELLO.slice(0, 5)))

    expect(await ask(server).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
  })

  describe("identifies itself", () => {
    test("with the key of the request before that of the configuration, and that before the environment's", async () => {
      vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "from-env")
      const server = await startServer(answer())
      const model = modelAt(server.baseUrl)

      await bedrockConverse({ apiKey: "from-config" })(model, context, { apiKey: "from-options" }).result()
      await bedrockConverse({ apiKey: "from-config" })(model, context).result()
      await bedrockConverse()(model, context).result()

      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer from-options",
        "Bearer from-config",
        "Bearer from-env",
      ])
    })

    test("with the credentials of the configuration, which sign body, headers and region", async () => {
      vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "from-env")
      const server = await startServer(answer())
      const config = { credentials: CREDENTIALS, region: "eu-west-3", headers: { "x-tenant": "t" } }

      await bedrockConverse(config)(modelAt(server.baseUrl), context).result()

      expect(server.requests[0] && signatureOf(server.requests[0], CREDENTIALS.secretAccessKey)).toBe(
        /Signature=(\w+)/.exec(server.requests[0]?.headers.authorization ?? "")?.[1],
      )
      expect(server.requests[0]?.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-3\/bedrock\/aws4_request, SignedHeaders=[^,]*\bhost;[^,]*\bx-tenant\b/,
      )
    })

    test("with what the SDK finds in the environment", async () => {
      vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDENV")
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret-of-the-env")
      vi.stubEnv("AWS_SESSION_TOKEN", "session-of-the-env")
      vi.stubEnv("AWS_REGION", "ap-south-1")
      const server = await startServer(answer())

      await bedrockConverse()(modelAt(server.baseUrl), context).result()

      expect(server.requests[0]?.headers).toMatchObject({
        authorization: expect.stringContaining("Credential=AKIDENV/"),
        "x-amz-security-token": "session-of-the-env",
      })
      expect(server.requests[0]?.headers.authorization).toContain("/ap-south-1/bedrock/")
    })

    test("finds credentials once for many requests", async () => {
      const server = await startServer(answer())
      const credentials = vi.fn(async () => CREDENTIALS)
      const streamFn = bedrockConverse({ credentials, region: "us-east-1" })

      for (let turn = 0; turn < 3; turn++) await streamFn(modelAt(server.baseUrl), context).result()

      expect(credentials).toHaveBeenCalledOnce()
    })

    test("or fails as auth when nobody knows any", async () => {
      const server = await startServer(answer())

      const message = await bedrockConverse()(modelAt(server.baseUrl), context).result()

      expect(message).toMatchObject({
        errorMessage: expect.stringMatching(/credentials/i),
        failure: { code: "auth", retryable: false },
      })
      expect(server.requests).toHaveLength(0)
    })

    test.each([
      { headers: { Authorization: "Token of-gateway" }, sent: "Token of-gateway" },
      { headers: { "X-Api-Key": "of-gateway" }, sent: undefined },
      { headers: { authorization: null }, sent: undefined },
    ])("by the caller's headers alone: $headers", async ({ headers, sent }) => {
      const server = await startServer(answer())

      const message = await bedrockConverse()(modelAt(server.baseUrl), context, { headers }).result()

      expect(message.stopReason).toBe("stop")
      expect(server.requests[0]?.headers.authorization).toBe(sent)
    })
  })

  describe("finds the region", () => {
    const signed = (server: ScriptedServer): string | undefined =>
      /AKIDEXAMPLE\/\d+\/([^/]+)\//.exec(server.requests.at(-1)?.headers.authorization ?? "")?.[1]

    /** Answers in place of AWS, and keeps where it was asked. */
    function aws() {
      const hosts: string[] = []
      const fetch = async (input: unknown) => {
        hosts.push(new URL(String(input)).host)
        return new Response(Buffer.concat(HELLO))
      }
      return { hosts, fetch: fetch as typeof globalThis.fetch }
    }

    test.each([
      { region: undefined, env: undefined, url: "", at: "bedrock-runtime.us-west-2.amazonaws.com" },
      { region: "eu-west-1", env: "us-west-1", url: "", at: "bedrock-runtime.eu-west-1.amazonaws.com" },
      { region: undefined, env: "us-west-1", url: "", at: "bedrock-runtime.us-west-1.amazonaws.com" },
      {
        region: undefined,
        env: "us-west-1",
        url: "https://bedrock-runtime.eu-central-1.amazonaws.com",
        at: "bedrock-runtime.eu-central-1.amazonaws.com",
      },
      {
        region: "eu-west-1",
        env: undefined,
        url: "https://bedrock-runtime.us-east-1.amazonaws.com",
        at: "bedrock-runtime.eu-west-1.amazonaws.com",
      },
    ])("in $region, else $url, else $env, else an ARN", async ({ region, env, url, at }) => {
      vi.stubEnv("AWS_REGION", env)
      const { hosts, fetch } = aws()
      const id =
        env === undefined
          ? "arn:aws:bedrock:us-west-2:123456789012:inference-profile/us.m"
          : "amazon.nova-lite-v1:0"

      const message = await bedrockConverse({ apiKey: KEY, region, fetch })(
        modelAt(url, { id }),
        context,
      ).result()

      expect(message.stopReason).toBe("stop")
      expect(hosts).toEqual([at])
    })

    test.each([
      { region: undefined, signed: "eu-north-1" },
      { region: "eu-west-1", signed: "eu-west-1" },
    ])("and stays at a private endpoint, which $region signs for $signed", async ({ region, signed }) => {
      const fetch = vi.fn(async (_: unknown, __?: RequestInit) => new Response(Buffer.concat(HELLO)))
      const url = "https://vpce-1.bedrock-runtime.eu-north-1.vpce.amazonaws.com"
      const config = { credentials: CREDENTIALS, region, fetch: fetch as typeof globalThis.fetch }

      await bedrockConverse(config)(modelAt(url), context).result()

      const [input, init] = fetch.mock.calls[0] ?? []
      expect(String(input)).toMatch(url)
      expect(new Headers(init?.headers).get("authorization")).toContain(`/${signed}/bedrock/`)
    })

    test("or does without where the address says where to go", async () => {
      const server = await startServer(answer())

      await bedrockConverse({ credentials: CREDENTIALS })(modelAt(server.baseUrl), context).result()

      expect(signed(server)).toBe("us-east-1")
    })

    test("again when it is known at last", async () => {
      const { hosts, fetch } = aws()
      const streamFn = bedrockConverse({ apiKey: KEY, fetch })
      const model = modelAt("", { id: "amazon.nova-lite-v1:0" })

      expect((await streamFn(model, context).result()).stopReason).toBe("error")
      vi.stubEnv("AWS_REGION", "us-west-1")
      expect((await streamFn(model, context).result()).stopReason).toBe("stop")

      expect(hosts).toEqual(["bedrock-runtime.us-west-1.amazonaws.com"])
    })

    test("or says what to set", async () => {
      const message = await bedrockConverse({ apiKey: KEY })(modelAt(""), context).result()

      expect(message).toMatchObject({
        errorMessage: expect.stringContaining("set AWS_REGION"),
        failure: { code: "invalid_request", retryable: false },
      })
    })

    test("and lets the configuration's address win over the model's", async () => {
      const server = await startServer(answer())
      const config = { apiKey: KEY, baseUrl: server.baseUrl }

      await bedrockConverse(config)(modelAt("http://127.0.0.1:1"), context).result()

      expect(server.requests).toHaveLength(1)
    })
  })

  test("merges headers, and a null removes even the SDK's own", async () => {
    const server = await startServer(answer())
    const model = modelAt(server.baseUrl, { headers: { "X-Model": "m", "X-Both": "m" } })
    const headers = { "x-both": "o", "X-Amz-User-Agent": null, "amz-sdk-request": null, "x-config": null }

    await bedrockConverse({ apiKey: KEY, headers: { "X-Config": "c" } })(model, context, { headers }).result()

    const sent = server.requests[0]?.headers
    expect(sent).toMatchObject({ "x-model": "m", "x-both": "o" })
    for (const name of ["x-config", "x-amz-user-agent", "amz-sdk-request"])
      expect(sent).not.toHaveProperty(name)
  })

  test("shows and replaces the payload, and shows the response before its first event", async () => {
    const server = await startServer(stall())
    const onPayload = vi.fn((payload: unknown) => ({
      ...(payload as object),
      performanceConfig: { latency: "optimized" },
      fieldOfTheFuture: { bytes: Buffer.from("hi"), none: undefined },
    }))
    const controller = new AbortController()
    const onResponse = vi.fn(() => controller.abort())

    await ask(server, { onPayload, onResponse, signal: controller.signal }).result()

    expect(onPayload.mock.calls[0]?.[0]).toMatchObject({
      modelId: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      messages: [{ role: "user" }],
    })
    expect(server.requests[0]?.body).toMatchObject({
      performanceConfig: { latency: "optimized" },
      fieldOfTheFuture: { bytes: "aGk=" },
    })
    expect(onResponse).toHaveBeenCalledExactlyOnceWith(
      { status: 200, headers: expect.objectContaining({ "x-amzn-requestid": "req-1" }) },
      expect.anything(),
    )
  })

  test("shows a refusal as a response, too", async () => {
    const server = await startServer(refuse(400))
    const onResponse = vi.fn()

    await ask(server, { onResponse }).result()

    expect(onResponse.mock.calls[0]?.[0]).toMatchObject({
      status: 400,
      headers: { "x-amzn-requestid": "req-1" },
    })
  })

  test("uses the fetch of the request, else of the configuration", async () => {
    const server = await startServer(answer())
    const counting = () => vi.fn((...parameters: Parameters<typeof fetch>) => fetch(...parameters))
    const [ofConfig, ofOptions] = [counting(), counting()]

    await ask(server, {}, { fetch: ofConfig }).result()
    await ask(server, { fetch: ofOptions }, { fetch: ofConfig }).result()

    expect(ofConfig).toHaveBeenCalledOnce()
    expect(ofOptions).toHaveBeenCalledOnce()
  })

  test("applies the guardrail of its configuration", async () => {
    const server = await startServer(answer())
    const guardrail = { guardrailIdentifier: "gr-1", guardrailVersion: "DRAFT", trace: "enabled" } as const

    await ask(server, {}, { guardrail }).result()

    expect(server.requests[0]?.body.guardrailConfig).toEqual(guardrail)
  })

  test("lets the compat of the model win over the configuration's, and that over the family's", async () => {
    const server = await startServer(answer())
    const streamFn = bedrockConverse({
      apiKey: KEY,
      compat: { cachePoints: ["messages"], supportsTemperature: false },
    })
    const prompt = { ...context, systemPrompt: "Be brief." }

    await streamFn(modelAt(server.baseUrl), prompt, { temperature: 1 }).result()
    await streamFn(modelAt(server.baseUrl, { compat: { cachePoints: ["system"] } }), prompt).result()

    expect(server.requests.map(({ body }) => JSON.stringify(body.system).includes("cachePoint"))).toEqual([
      false,
      true,
    ])
    expect(server.requests[0]?.body).not.toHaveProperty("inferenceConfig")
  })

  describe("with a ready client", () => {
    const clientAt = (endpoint: string) =>
      new BedrockRuntimeClient({
        region: "us-east-2",
        endpoint,
        credentials: CREDENTIALS,
        maxAttempts: 5,
        // Its own handler speaks HTTP/2, which the server does not.
        requestHandler: http1(),
      })

    test("uses its credentials and address, and none of its retries", async () => {
      const server = await startServer(refuse(500, "InternalServerException", "no", AT_ONCE))
      const client = clientAt(server.baseUrl)

      const stream = bedrockConverse({ client })(modelAt(""), context, { maxRetries: 1 })

      expect(await stream.result()).toMatchObject({
        errorMessage: "no",
        failure: { code: "server", status: 500 },
      })
      expect(server.requests).toHaveLength(2)
      expect(server.requests[0]?.headers.authorization).toContain("AKIDEXAMPLE")
      expect(server.requests[0]?.headers.authorization).toContain("/us-east-2/")
    })

    test("streams, and closes the connection on abort", async () => {
      const server = await startServer(answer(), stall([START, delta(0, { text: "Once" })]))
      const streamFn = bedrockConverse({ client: clientAt(server.baseUrl) })
      const controller = new AbortController()

      expect((await streamFn(modelAt(""), context).result()).content).toEqual([
        { type: "text", text: "Hello" },
      ])
      const stream = streamFn(modelAt(""), context, { signal: controller.signal })
      for await (const event of stream) if (event.type === "text_delta") controller.abort()

      expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Once" }] })
      await server.requests[1]?.hungUp
    })

    test("is not tried again by it when nobody listens", async () => {
      const { baseUrl } = await startServer(answer())
      const client = clientAt(baseUrl.replace(/:\d+$/, ":1"))

      const message = await bedrockConverse({ client })(modelAt(""), context, { maxRetries: 0 }).result()

      expect(message.failure).toMatchObject({ code: "network", retryable: true })
    })

    test("lets the key of a request win", async () => {
      const server = await startServer(answer())

      await bedrockConverse({ client: clientAt(server.baseUrl) })(modelAt(""), context, {
        apiKey: KEY,
      }).result()

      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    })

    test("that is a double may answer with the SDK's own events", async () => {
      const send = vi.fn(async (_: unknown) => double())
      const client = { send }

      const message = await bedrockConverse({ client })(modelAt(""), context).result()

      expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "Hi" }] })
      expect(send.mock.calls[0]?.[0]).toBeInstanceOf(ConverseStreamCommand)
      expect(send.mock.calls[0]?.[0]).toMatchObject({
        input: { messages: [{ content: [{ text: "Hi" }, {}] }] },
      })
    })

    test("that is a double may fail before and in the middle", async () => {
      const error = new ThrottlingException({ message: "slow down", $metadata: { httpStatusCode: 429 } })
      const send = vi.fn(async () => double(error)).mockRejectedValueOnce(error)
      const client = { send }

      const before = await bedrockConverse({ client })(modelAt(""), context, { maxRetries: 0 }).result()
      const within = await bedrockConverse({ client })(modelAt(""), context, { maxRetries: 0 }).result()

      expect(before).toMatchObject({
        errorMessage: "slow down",
        failure: { code: "rate_limit", status: 429 },
      })
      expect(within).toMatchObject({
        failure: { code: "rate_limit" },
        content: [{ type: "text", text: "Hi" }],
      })
    })

    function double(error?: Error): ConverseStreamCommandOutput {
      async function* stream() {
        yield { messageStart: { role: "assistant" as const } }
        yield { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hi" } } }
        if (error) throw error
        yield { messageStop: { stopReason: "end_turn" as const } }
      }
      return { stream: stream(), $metadata: {} }
    }
  })

  describe("tries again", () => {
    test.each([
      { status: 408, type: "ModelTimeoutException", code: "timeout" },
      { status: 424, type: "ModelErrorException", code: "server" },
      { status: 429, type: "ThrottlingException", code: "rate_limit" },
      { status: 429, type: "ModelNotReadyException", code: "overloaded" },
      { status: 500, type: "InternalServerException", code: "server" },
      { status: 503, type: "ServiceUnavailableException", code: "overloaded" },
    ])("after a $status $type, and reports $code when it does not end", async ({ status, type, code }) => {
      const refusal = refuse(status, type, "not now", AT_ONCE)

      const mended = await startServer(refusal, answer())
      expect(await ask(mended).result()).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] })
      expect(mended.requests).toHaveLength(2)

      const lasting = await startServer(refusal)
      expect(await ask(lasting, { maxRetries: 1 }).result()).toMatchObject({
        errorMessage: "not now",
        failure: { code, retryable: true, status, retryAfterMs: 5 },
      })
      expect(lasting.requests).toHaveLength(2)
    })

    test("after an exception that opens the stream", async () => {
      const server = await startServer(
        answer([exception("throttlingException", { message: "wait" })]),
        answer(),
      )

      expect(await ask(server).result()).toMatchObject({ stopReason: "stop" })
      expect(server.requests).toHaveLength(2)
    })

    test.each([
      { status: 400, type: "ValidationException", code: "invalid_request" },
      { status: 400, type: "ServiceQuotaExceededException", code: "quota" },
      { status: 401, type: "UnrecognizedClientException", code: "auth" },
      { status: 403, type: "AccessDeniedException", code: "auth" },
      { status: 403, type: "ExpiredTokenException", code: "auth" },
      { status: 403, type: "InvalidSignatureException", code: "auth" },
      { status: 404, type: "ResourceNotFoundException", code: "invalid_request" },
    ])("never after a $status $type, which is $code", async ({ status, type, code }) => {
      const server = await startServer(refuse(status, type, "no"))

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        errorMessage: "no",
        failure: { code, retryable: false, status },
      })
      expect(server.requests).toHaveLength(1)
    })

    test.each([
      "Input is too long for requested model.",
      "The model returned the following errors: prompt is too long: 204839 tokens > 200000 maximum",
      "Too many input tokens. Max input tokens: 128000, request input token count: 130000",
      "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
    ])("never for a prompt that is too long: %s", async (says) => {
      const server = await startServer(refuse(400, "ValidationException", says))

      expect((await ask(server).result()).failure).toEqual({
        code: "context_overflow",
        retryable: false,
        status: 400,
      })
    })

    test("never when something has been delivered", async () => {
      const server = await startServer(drop([START, delta(0, { text: "Once" })]), answer())

      expect(await ask(server).result()).toMatchObject({
        stopReason: "error",
        content: [{ text: "Once" }],
        failure: { code: "network", retryable: true },
      })
      expect(server.requests).toHaveLength(1)
    })
  })

  describe("fails without repeating", () => {
    test.each([
      {
        body: '{"__type":"com.amazon.coral.service#ExpiredTokenException","Message":"old"}',
        status: 400,
        code: "auth",
        says: "old",
      },
      {
        body: '{"code":"ThrottlingException","message":"slow"}',
        status: 400,
        code: "rate_limit",
        says: "slow",
      },
      { body: "<html>Bad day</html>", status: 502, code: "server", says: "502 Bad Gateway" },
      { body: "", status: 404, code: "invalid_request", says: "404 Not Found" },
    ])(
      "the page, and knows the class that stands in the body: $body",
      async ({ body, status, code, says }) => {
        const server = await startServer(raw(status, body))

        expect(await ask(server, { maxRetries: 0 }).result()).toMatchObject({
          errorMessage: says,
          failure: { code, status },
        })
      },
    )

    test("the key", async () => {
      const server = await startServer(refuse(403, "AccessDeniedException", `Bad token ${KEY}.`))

      expect((await ask(server).result()).errorMessage).toBe("Bad token [redacted].")
    })

    test("the session token, where AWS quotes the request that it would have signed", async () => {
      const sessionToken = "session/of+the=test"
      const says = `The Canonical String should have been 'POST\nx-amz-security-token:${sessionToken}\n'`
      const server = await startServer(refuse(403, "InvalidSignatureException", says))
      const credentials = { ...CREDENTIALS, sessionToken }

      const message = await bedrockConverse({ credentials })(modelAt(server.baseUrl), context).result()

      expect(server.requests[0]?.headers["x-amz-security-token"]).toBe(sessionToken)
      expect(message).toMatchObject({
        errorMessage: expect.stringContaining("x-amz-security-token:[redacted]"),
        failure: { code: "auth" },
      })
    })
  })

  describe("ends", () => {
    test("before the first request when the signal has fired", async () => {
      const server = await startServer(answer())

      const events = await collect(ask(server, { signal: AbortSignal.abort() }))

      expect(events).toMatchObject([{ type: "error", reason: "aborted" }])
      expect(server.requests).toHaveLength(0)
    })

    test("while the server is silent, and hangs up", async () => {
      const server = await startServer(silence)
      const controller = new AbortController()

      const stream = ask(server, { signal: controller.signal })
      await server.received(1)
      controller.abort()

      expect(await stream.result()).toMatchObject({ stopReason: "aborted", failure: { code: "aborted" } })
      await server.requests[0]?.hungUp
    })

    test("in the middle of a block, keeps what came, and hangs up", async () => {
      const server = await startServer(stall([START, delta(0, { text: "Once upon" })]))
      const controller = new AbortController()

      const stream = ask(server, { signal: controller.signal })
      for await (const event of stream) if (event.type === "text_delta") controller.abort()

      expect(await stream.result()).toMatchObject({
        stopReason: "aborted",
        content: [{ type: "text", text: "Once upon" }],
      })
      await server.requests[0]?.hungUp
    })

    test("in the middle of a frame, and hangs up", async () => {
      const half = delta(0, { text: "never whole" }).subarray(0, 60)
      const server = await startServer(stall([START, delta(0, { text: "Once" }), half]))
      const controller = new AbortController()

      const stream = ask(server, { signal: controller.signal })
      for await (const event of stream) if (event.type === "text_delta") controller.abort()

      expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "Once" }] })
      await server.requests[0]?.hungUp
    })

    test("when the response does not begin in time", async () => {
      const server = await startServer(silence)

      expect(await ask(server, { timeoutMs: 30, maxRetries: 0 }).result()).toMatchObject({
        failure: { code: "timeout", retryable: true },
      })
      await server.requests[0]?.hungUp
    })

    test("not for a response that has begun in time and takes longer", async () => {
      const slow = (response: Parameters<ReturnType<typeof answer>>[0]): void => {
        response.writeHead(200)
        response.flushHeaders()
        setTimeout(() => response.end(Buffer.concat([START, delta(0, { text: "Hi" }), stop()])), 120)
      }
      const server = await startServer(slow)

      expect(await ask(server, { timeoutMs: 60, maxRetries: 0 }).result()).toMatchObject({
        stopReason: "stop",
      })
    })

    test("when the server speaks something else than HTTP", async () => {
      const server = createServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n"))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as { port: number }

      const message = await bedrockConverse({ apiKey: KEY })(modelAt(`http://127.0.0.1:${port}`), context, {
        maxRetries: 0,
      }).result()
      server.close()

      expect(message).toMatchObject({ failure: { code: "network", retryable: true } })
    })

    test.each([
      { baseUrl: "not an address", says: "This is no address: not an address" },
      { baseUrl: "", region: "u s", says: /region="u s"/ },
    ])("when $baseUrl in $region is no place to go to", async ({ baseUrl, region, says }) => {
      const message = await bedrockConverse({ apiKey: KEY, region })(modelAt(baseUrl), context).result()

      expect(message).toMatchObject({
        errorMessage: expect.stringMatching(says),
        failure: { code: "invalid_request", retryable: false },
      })
    })
  })
})

/** A handler like the SDK's own for HTTP/1.1: its bodies are streams of Node.js. */
function http1(): NonNullable<BedrockRuntimeClientConfig["requestHandler"]> {
  const handler = {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(
      request: {
        hostname: string
        port: number
        path: string
        method: string
        headers: object
        body: string
      },
      { abortSignal }: { abortSignal?: AbortSignal },
    ) {
      const { request: send } = await import("node:http")
      return new Promise((resolve, reject) => {
        const sent = send(
          { ...request, host: request.hostname, headers: { ...request.headers } },
          (response) =>
            resolve({
              response: { statusCode: response.statusCode, headers: response.headers, body: response },
            }),
        )
        sent.on("error", reject)
        abortSignal?.addEventListener("abort", () => sent.destroy(), { once: true })
        sent.end(request.body)
      })
    },
  }
  return handler as never
}
