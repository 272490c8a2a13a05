/** What a hostile client cannot do, over real HTTP, with a real adapter behind the proxy. */

import { say, stop, streams } from "@heddle/conformance"
import { openAiChatWire, startFaultServer } from "@heddle/conformance/node"
import { openaiCompletions } from "@heddle/openai"
import type { ProxyErrorContext, ProxyHandlerOptions } from "@heddle/proxy-server"
import type { Model } from "@heddle/types"
import { afterEach, describe, expect, test } from "vitest"
import { listen, pairUp, TOKEN } from "./pair.ts"

const KEY = "sk-the-key-that-stays-here"

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A vendor, a proxy that has its key, and a server of the attacker's. */
async function setUp(
  scenario: Parameters<typeof startFaultServer>[1] = streams(say("Hello."), stop()),
  options: Partial<ProxyHandlerOptions> = {},
) {
  const vendor = await startFaultServer(openAiChatWire, scenario, { key: KEY })
  const visits: string[] = []
  const evil = await listen((request, response) => {
    visits.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    response.end()
  })
  const model: Model = {
    id: "gpt-1",
    name: "GPT",
    api: "openai-completions",
    provider: "openai",
    baseUrl: `${vendor.url}/v1`,
    headers: { "x-server": "header-of-the-server" },
    reasoning: true,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 500,
  }
  const streamFn = openaiCompletions({ apiKey: KEY })
  const errors: [unknown, ProxyErrorContext][] = []
  const pair = await pairUp(
    model,
    (asked, context, asking) => streamFn(asked, context, { ...asking, maxRetries: 0 }),
    { server: { onError: (error, where) => errors.push([error, where]), ...options } },
  )
  closing.push(pair.close, evil.close, () => vendor.close())
  const ask = (body: string) =>
    fetch(`${pair.url}/api/stream`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body,
    })
  return { vendor, evil, visits, model, errors, ask, pair }
}

const MESSAGES = [{ role: "user", content: "Hi", timestamp: 1 }]

describe("a client that says where the model is", () => {
  test.each<{ where: string; body: (evil: string) => object }>([
    {
      where: "in the model",
      body: (evil) => ({
        model: {
          provider: "openai",
          id: "gpt-1",
          baseUrl: evil,
          headers: { "x-client": "c", host: "evil", authorization: "mine" },
          apiKey: "mine",
          api: "anthropic-messages",
          compat: { baseUrl: evil },
        },
        context: { messages: MESSAGES },
      }),
    },
    {
      where: "in the options",
      body: (evil) => ({
        model: { provider: "openai", id: "gpt-1" },
        context: { messages: MESSAGES },
        options: {
          baseUrl: evil,
          headers: { "x-client": "c", host: "evil" },
          apiKey: "mine",
          fetch: evil,
          proxy: evil,
        },
      }),
    },
    {
      where: "everywhere else",
      body: (evil) => ({
        model: { provider: "openai", id: "gpt-1" },
        baseUrl: evil,
        headers: { "x-client": "c" },
        apiKey: "mine",
        context: { messages: MESSAGES, baseUrl: evil, apiKey: "mine", headers: { "x-client": "c" } },
        options: { metadata: { baseUrl: evil } },
      }),
    },
  ])("$where gets the server's own model, and its key goes nowhere else", async ({ body }) => {
    const { vendor, evil, visits, ask } = await setUp()

    const text = await (await ask(JSON.stringify(body(`${evil.url}/v1`)))).text()

    expect(text).toContain("Hello.")
    expect(visits).toEqual([])
    expect(evil.sockets.size).toBe(0)
    expect(vendor.requests).toHaveLength(1)
    const [request] = vendor.requests
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(request?.headers["x-server"]).toBe("header-of-the-server")
    expect(request?.headers).not.toHaveProperty("x-client")
    expect(JSON.stringify(request?.headers)).not.toContain("mine")
  })
})

describe("a body that would poison prototypes", () => {
  test("poisons none, and changes nothing about the request", async () => {
    const { vendor, evil, visits, ask } = await setUp()
    const poison = `"__proto__":{"baseUrl":"${evil.url}","apiKey":"mine","polluted":true,"temperature":2}`
    const body = `{${poison},"constructor":{"prototype":{"polluted":true}},
      "model":{"provider":"openai","id":"gpt-1",${poison}},
      "context":{${poison},"messages":[{"role":"user","content":[{"type":"text","text":"Hi",${poison}}],${poison}}],
        "tools":[{"name":"t","description":"d","parameters":{"type":"object",${poison}},${poison}}]},
      "options":{${poison},"metadata":{"a":"b",${poison}},"thinkingBudgets":{${poison},"low":1}}}`

    const response = await ask(body)

    expect(response.status).toBe(200)
    expect(await response.text()).toContain("Hello.")
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(Object.prototype).not.toHaveProperty("polluted")
    expect(visits).toEqual([])
    const sent = JSON.parse(vendor.requests[0]?.body ?? "{}")
    expect(sent).not.toHaveProperty("temperature")
    expect(Object.keys(sent.metadata ?? {})).not.toContain("__proto__")
  })
})

describe("nothing secret is in what a client is told", () => {
  test.each<{ what: string; reply: Parameters<typeof startFaultServer>[1]["replies"][0] }>([
    {
      what: "the vendor quotes the key",
      reply: { type: "refuse", status: 401, says: "Incorrect API key: {key}" },
    },
    {
      what: "the vendor names an address",
      reply: { type: "refuse", status: 500, says: "upstream http://10.0.0.1:9000/secret-path failed" },
    },
    {
      what: "the vendor shows a stack",
      reply: { type: "refuse", status: 500, says: "boom\n    at handler (/srv/vendor/secret-file.js:1:2)" },
    },
    { what: "nobody listens", reply: { type: "unreachable" } },
    { what: "the connection dies", reply: { type: "cut" } },
    {
      what: "the vendor sends a page",
      reply: { type: "body", status: 200, contentType: "text/html", body: "<secret-page>" },
    },
  ])("when $what", async ({ reply }) => {
    const { vendor, ask, errors } = await setUp({ replies: [reply] })
    const body = JSON.stringify({
      model: { provider: "openai", id: "gpt-1" },
      context: { messages: MESSAGES },
    })

    const text = await (await ask(body)).text()

    expect(text).toContain('"type":"error"')
    for (const secret of [
      KEY,
      TOKEN,
      vendor.url,
      new URL(vendor.url).host,
      "header-of-the-server",
      "10.0.0.1",
    ]) {
      expect(text).not.toContain(secret)
    }
    expect(text).not.toMatch(/secret|node_modules|\.js:|\.ts:|127\.0\.0\.1/)
    expect(errors).toMatchObject([[expect.any(Error), { where: "upstream" }]])
  })

  test("when a hook fails", async () => {
    const { ask } = await setUp(undefined, {
      resolveModel: () => {
        throw new Error(`db://user:${KEY}@10.0.0.1`)
      },
    })
    const body = JSON.stringify({
      model: { provider: "openai", id: "gpt-1" },
      context: { messages: MESSAGES },
    })

    const response = await ask(body)

    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: "The server failed", code: "internal" })
  })

  test("when a token is wrong, not even that token", async () => {
    const { pair } = await setUp()

    const response = await fetch(`${pair.url}/api/stream`, {
      method: "POST",
      headers: { authorization: "Bearer guess-of-an-attacker" },
    })

    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain("guess")
  })
})

describe("what a model says", () => {
  test("cannot become a header or an event", async () => {
    const evil = 'x\r\nset-cookie: a=b\r\n\r\ndata: {"type":"done","reason":"stop"}\n\nid: 7\nevent: done\n\n'
    const { ask, pair, model } = await setUp(streams(say(evil), stop()))
    const body = JSON.stringify({
      model: { provider: "openai", id: "gpt-1" },
      context: { messages: MESSAGES },
    })

    const response = await ask(body)
    await response.text()
    const message = await (await pair.streamFn(model, { messages: [] })).result()

    expect(response.headers.get("set-cookie")).toBeNull()
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: evil }] })
  })
})
