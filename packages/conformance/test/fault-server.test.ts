import { type ClientHttp2Session, connect, constants } from "node:http2"
import { afterEach, describe, expect, test } from "vitest"
import { cut, type Reply, type Scenario, say, stall, stop, streams } from "../src/index.ts"
import { type FaultServer, openAiChatWire, proxyWire, startFaultServer, type Wire } from "../src/node.ts"

const open: FaultServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function serve(scenario: Scenario | Reply, options = {}): Promise<FaultServer> {
  const whole: Scenario = "replies" in scenario ? scenario : { replies: [scenario] }
  const server = await startFaultServer(proxyWire, whole, options)
  open.push(server)
  return server
}

function post(server: FaultServer, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/v1/anything?x=1`, { method: "POST", body: "{}", ...init })
}

describe("startFaultServer", () => {
  test("serves a reply in the wire's events and content type", async () => {
    const response = await post(await serve(streams(say("hi"), stop())))

    expect(response.headers.get("content-type")).toBe("text/event-stream")
    expect(await response.text()).toContain('data: {"type":"text_delta","contentIndex":0,"delta":"hi"}\n\n')
  })

  test("answers each request with the next reply, and further ones with the last", async () => {
    const server = await serve({
      replies: [
        { type: "refuse", status: 503 },
        { type: "refuse", status: 400 },
      ],
    })

    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await post(server)).status)
    expect(statuses).toEqual([503, 400, 400])
  })

  test("tells what it received", async () => {
    const server = await serve(streams(say("hi"), stop()))
    await (await post(server, { body: "héllo", headers: { "X-Test": "1" } })).text()

    expect(server.requests).toMatchObject([
      { method: "POST", path: "/v1/anything?x=1", body: "héllo", hungUp: false, headers: { "x-test": "1" } },
    ])
  })

  test.each(["HEAD", "OPTIONS"])("answers %s without counting it as a request", async (method) => {
    const server = await serve({ type: "refuse", status: 500 })
    const response = await fetch(server.url, { method })

    expect(response.ok).toBe(true)
    expect(response.headers.get("allow")).toContain("POST")
    expect(server.requests).toEqual([])
  })

  test.each([400, 401, 403, 404, 413, 429, 500, 503, 529])("refuses with %i", async (status) => {
    const response = await post(await serve({ type: "refuse", status, says: "No." }))

    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error: { message: "No." } })
  })

  test("asks to wait in seconds and in milliseconds", async () => {
    const response = await post(await serve({ type: "refuse", status: 429, retryAfterMs: 1_500 }))

    expect(response.headers.get("retry-after")).toBe("2")
    expect(response.headers.get("retry-after-ms")).toBe("1500")
  })

  test("quotes the key where a refusal says {key}", async () => {
    const server = await serve({ type: "refuse", status: 401, says: "Bad key {key}" }, { key: "sk-1" })

    expect(await (await post(server)).text()).toContain("Bad key sk-1")
  })

  test("lets what was said arrive before it cuts the connection", async () => {
    const response = await post(await serve(streams(say("hi", { open: true }), cut())))
    let text = ""
    const read = async () => {
      for await (const bytes of response.body ?? []) text += new TextDecoder().decode(bytes)
    }

    await expect(read()).rejects.toThrow()
    expect(text).toContain('"delta":"hi"')
  })

  test("cuts the connection before the response", async () => {
    await expect(post(await serve({ type: "cut" }))).rejects.toThrow("fetch failed")
  })

  test("has nobody listening where a scenario is unreachable", async () => {
    const failure = await post(await serve({ type: "unreachable" })).catch((error: Error) => error.cause)

    expect(failure).toMatchObject({ code: "ECONNREFUSED" })
  })

  test("stalls before the response until the client hangs up, and sees it", async () => {
    const server = await serve({ type: "stall" })
    await expect(post(server, { signal: AbortSignal.timeout(50) })).rejects.toThrow()

    await expect.poll(() => server.requests[0]?.hungUp).toBe(true)
  })

  test("stalls in the middle until the client hangs up, and sees it", async () => {
    const server = await serve(streams(say("hi", { open: true }), stall()))
    const response = await post(server)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(first?.done).toBe(false)
    await reader?.cancel()

    await expect.poll(() => server.requests[0]?.hungUp).toBe(true)
  })

  test("does not take a connection that it cut itself for a client that hung up", async () => {
    const server = await serve({ type: "cut" })
    await post(server).catch(() => {})

    expect(server.requests[0]?.hungUp).toBe(false)
  })

  test("sends bytes one by one", async () => {
    const server = await serve({ type: "stream", steps: [say("👋"), stop()], bytesPerWrite: 1 })
    const response = await post(server)
    const sizes = new Set<number>()
    for await (const bytes of response.body ?? []) sizes.add(bytes.length)

    expect([...sizes]).toEqual([1])
  })

  test.each<{ events: "duplicated" | "reordered"; types: string[] }>([
    {
      events: "duplicated",
      types: [
        "start",
        "start",
        "text_start",
        "text_start",
        "text_delta",
        "text_delta",
        "text_end",
        "text_end",
      ],
    },
    { events: "reordered", types: ["text_start", "start", "text_end", "text_delta"] },
  ])("sends events $events", async ({ events, types }) => {
    const response = await post(await serve({ type: "stream", steps: [say("hi")], events }))
    const text = await response.text()

    expect([...text.matchAll(/"type":"(\w+)"/g)].map(([, type]) => type)).toEqual(types)
  })

  test("sends a body of something else", async () => {
    const response = await post(
      await serve({ type: "body", status: 200, contentType: "text/html", body: "<p>" }),
    )

    expect(response.headers.get("content-type")).toBe("text/html")
    expect(await response.text()).toBe("<p>")
  })

  test("says so when a wire cannot send what it was asked to", async () => {
    const wire: Wire = {
      ...proxyWire,
      encode: () => {
        throw new Error("no such block")
      },
    }
    const server = await startFaultServer(wire, streams(say("hi"), stop()))
    open.push(server)
    const response = await post(server)

    expect(response.status).toBe(500)
    expect(await response.text()).toBe("The wire Heddle proxy cannot send this reply: no such block")
  })

  test("ends open connections when it is closed", async () => {
    const server = await startFaultServer(openAiChatWire, streams(say("hi", { open: true }), stall()))
    const response = await post(server)
    await server.close()

    await expect(response.text()).rejects.toThrow()
    await expect(post(server)).rejects.toThrow("fetch failed")
  })

  describe("over HTTP/2", () => {
    test("serves a reply, counts the request and sees a client that hangs up", async () => {
      const server = await serve({
        replies: [{ type: "stream", steps: [say("hi"), stop()] }, { type: "stall" }],
      })
      const session = connect(server.url)

      expect(await request(session)).toContain('"delta":"hi"')
      const stalled = session.request({ ":method": "POST", ":path": "/x" })
      stalled.on("error", () => {})
      stalled.end("{}")
      await expect.poll(() => server.requests.length).toBe(2)
      stalled.close(constants.NGHTTP2_CANCEL)

      await expect.poll(() => server.requests[1]?.hungUp).toBe(true)
      expect(server.requests[0]).toMatchObject({ method: "POST", path: "/x", body: "{}", hungUp: false })
      session.destroy()
    })

    test("lets what was said arrive before it cuts the connection", async () => {
      const server = await serve(streams(say("hi", { open: true }), cut()))
      const session = connect(server.url)
      session.on("error", () => {})

      let text = ""
      const stream = session.request({ ":method": "POST", ":path": "/x" })
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      stream.end("{}")
      await new Promise((resolve) => stream.on("error", resolve).on("close", resolve))

      expect(text).toContain('"delta":"hi"')
      expect(text).not.toContain("done")
      expect(session.closed || session.destroyed).toBe(true)
    })
  })
})

async function request(session: ClientHttp2Session): Promise<string> {
  const stream = session.request({ ":method": "POST", ":path": "/x" })
  stream.setEncoding("utf8").end("{}")
  let text = ""
  for await (const part of stream) text += part
  return text
}
