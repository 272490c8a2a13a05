/** The two halves of the proxy, each with an other half that speaks the original wire, over real HTTP. */
import { callTool, fail, faux, fauxModel, opaque, say, think, wait } from "@heddle/faux"
import { createProxyStreamFn } from "@heddle/proxy-client"
import type { Context } from "@heddle/types"
import { afterEach, describe, expect, test } from "vitest"
import { askOriginally } from "./original-client.ts"
import { type Listening, listen, pairUp, TOKEN } from "./pair.ts"

const model = fauxModel({ baseUrl: "https://vendor.test", headers: { "x-own": "1" } })
const context: Context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }

let listening: Listening | undefined

afterEach(async () => {
  await listening?.close()
  listening = undefined
})

describe("a client of the original wire", () => {
  test("gets its answer from our server, whatever it sends along", async () => {
    const streamFn = faux([
      [
        think("Hm.", { signature: "sealed" }),
        opaque("search", { query: 1 }),
        say("Hello, wörld"),
        opaque("search", { query: 2 }),
        callTool("read", { path: "a.ts" }, { id: "call_1" }),
      ],
    ])
    listening = await pairUp(model, streamFn)

    const message = await askOriginally(listening.url, TOKEN, model, context, {
      temperature: 0.5,
      headers: { authorization: "mine" },
      transport: "sse",
      samplingParams: { topK: 1 },
      disableContinuation: true,
    })

    expect(message).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "sealed" },
        { type: "text", text: "Hello, wörld" },
        { type: "toolcall", id: "call_1", name: "read", json: '{"path":"a.ts"}' },
      ],
      unknown: [],
    })
    expect(message.content).toHaveLength(3)
    expect(message.usage?.totalTokens).toBeGreaterThan(0)
    expect(streamFn.requests[0]?.options).toMatchObject({ temperature: 0.5 })
  })

  test("is not disturbed by heartbeats", async () => {
    listening = await pairUp(model, faux([[say("Hel"), wait(60), say("lo")]]), {
      server: { heartbeatMs: 10 },
    })

    const message = await askOriginally(listening.url, TOKEN, model, context)

    expect(message.content.map(({ text }) => text)).toEqual(["Hel", "lo"])
  })

  test("hears of failures, before and after the first byte", async () => {
    listening = await pairUp(
      model,
      faux([
        fail({ code: "server", message: "Down" }),
        [say("Hel"), fail({ code: "server", message: "Gone" })],
      ]),
    )

    expect(await askOriginally(listening.url, TOKEN, model, context)).toMatchObject({
      stopReason: "error",
      errorMessage: "Down",
    })
    expect(await askOriginally(listening.url, TOKEN, model, context)).toMatchObject({
      stopReason: "error",
      errorMessage: "Gone",
      content: [{ text: "Hel" }],
    })
    await expect(askOriginally(listening.url, "wrong", model, context)).rejects.toThrow(
      "Proxy error: The token is not valid",
    )
  })
})

describe("our client", () => {
  test("gets its answer from a server of the original wire", async () => {
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 4 } }
    const said = [
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Hello" },
      { type: "text_end", contentIndex: 0 },
      { type: "toolcall_start", contentIndex: 1, id: "call_1", toolName: "read" },
      { type: "toolcall_delta", contentIndex: 1, delta: '{"path":"a.ts"}' },
      { type: "toolcall_end", contentIndex: 1 },
      { type: "done", reason: "toolUse", usage },
    ]
    const bodies: { model: { id: string } }[] = []
    listening = await listen((request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        bodies.push(JSON.parse(body))
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (const event of said) response.write(`data: ${JSON.stringify(event)}\n\n`)
        response.end()
      })
    })

    const message = await createProxyStreamFn({ proxyUrl: listening.url, authToken: TOKEN })(
      model,
      context,
    ).result()

    expect(message).toMatchObject({
      stopReason: "toolUse",
      usage: { totalTokens: 3, cost: { total: 4 } },
      content: [
        { type: "text", text: "Hello" },
        { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a.ts" } },
      ],
    })
    const { headers: _, ...sent } = model
    expect(bodies).toEqual([{ model: sent, context, options: {} }])
  })
})
