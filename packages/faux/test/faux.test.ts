import { assertWellFormed } from "@heddle/conformance"
import type { Context, SimpleStreamOptions } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { callTool, faux, fauxModel, malformed, ScriptNotExhaustedError, say, wait } from "../src/index.ts"
import { deepFreeze, read } from "./read.ts"

/** An error that throws when it is looked at. */
const unreadable = new Proxy(new Error(), {
  get: () => {
    throw new Error("not to be read")
  },
})

const model = fauxModel()
const nothing: Context = { messages: [] }

function ask(text: string): Context {
  return { messages: [{ role: "user", content: text, timestamp: 1 }] }
}

describe("faux", () => {
  test("gives each request the reply that stands at its place", async () => {
    const streamFn = faux([say("One"), [say("Two"), say("Three")]])

    const first = await read(streamFn(model, nothing))
    const second = await read(streamFn(model, nothing))

    expect(first.result.content).toEqual([{ type: "text", text: "One" }])
    expect(second.result.content).toEqual([
      { type: "text", text: "Two" },
      { type: "text", text: "Three" },
    ])
  })

  test("answers with a stream at once, and streams later", async () => {
    const stream = faux([say("Hello")])(model, nothing)
    let isHere = false
    void stream[Symbol.asyncIterator]()
      .next()
      .then(() => {
        isHere = true
      })

    expect(isHere).toBe(false)
    await stream.result()
    expect(isHere).toBe(true)
  })

  test("names the model that was asked", async () => {
    const asked = fauxModel({ api: "anthropic-messages", provider: "anthropic", id: "claude" })
    const { result } = await read(faux([say("Hello")], { now: () => 42 })(asked, nothing))

    expect(result).toMatchObject({
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude",
      timestamp: 42,
    })
  })

  test("asks a function what to answer, in the light of the request", async () => {
    const streamFn = faux((context, options, callIndex) =>
      say(`${callIndex}: ${context.messages[0]?.content} at ${options.temperature}`),
    )

    await streamFn(model, ask("a"), { temperature: 0 }).result()
    const { result } = await read(streamFn(model, ask("b"), { temperature: 1 }))

    expect(result.content).toEqual([{ type: "text", text: "1: b at 1" }])
  })

  test("takes functions within a list, and their promises", async () => {
    const streamFn = faux([
      say("fixed"),
      (_, __, callIndex) => say(`made ${callIndex}`),
      async () => [say("late")],
    ])

    const texts = []
    for (let count = 0; count < 3; count++) texts.push((await streamFn(model, nothing).result()).content)

    expect(texts).toEqual(["fixed", "made 1", "late"].map((text) => [{ type: "text", text }]))
  })

  test("plays concurrent requests apart", async () => {
    const streamFn = faux([say("a".repeat(50)), say("b".repeat(50))])

    const results = await Promise.all([streamFn(model, nothing).result(), streamFn(model, nothing).result()])

    expect(results.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "a".repeat(50) }],
      [{ type: "text", text: "b".repeat(50) }],
    ])
  })

  test("numbers tool calls through the whole script, around the ids that the script states", async () => {
    const streamFn = faux([
      [callTool("a"), callTool("b", {}, { id: "mine" })],
      [callTool("c"), callTool("d", {}, { id: "call_3" }), callTool("e")],
    ])

    const first = await streamFn(model, nothing).result()
    const second = await streamFn(model, nothing).result()

    const ids = [...first.content, ...second.content].map((block) => block.type === "toolCall" && block.id)
    expect(ids).toEqual(["call_1", "mine", "call_2", "call_3", "call_4"])
    expect(first.stopReason).toBe("toolUse")
  })

  test("is not changed by what happens to the list afterwards", async () => {
    const script = [say("One")]
    const streamFn = faux(script)
    script.push(say("Two"))

    expect(streamFn.remaining).toBe(1)
  })

  test("writes nothing of the caller's", async () => {
    const context: Context = {
      systemPrompt: "Be brief",
      messages: [
        { role: "user", content: [{ type: "image", data: "AA==", mimeType: "image/png" }], timestamp: 1 },
        { role: "toolResult", toolCallId: "1", toolName: "t", content: [], isError: false, timestamp: 2 },
      ],
      tools: [{ name: "t", description: "", parameters: { type: "object" } }],
    }
    const options: SimpleStreamOptions = { headers: { a: null }, metadata: { user: { id: 1 } } }
    const streamFn = faux([[say("Hello"), callTool("t")]])

    const { events } = await read(streamFn(deepFreeze(fauxModel()), deepFreeze(context), deepFreeze(options)))

    assertWellFormed(events)
  })
})

describe("a script that is wrong", () => {
  test.each([
    { what: "a single reply", script: say("Hello"), says: "A script is a list of replies or a function" },
    { what: "nothing", script: undefined, says: "A script is a list of replies or a function" },
    { what: "a text", script: ["Hello"], says: "Reply 1 of the script is none: a reply is made of say()" },
    { what: "a hole", script: [say("a"), [undefined]], says: "Reply 2 of the script is none" },
  ])("as $what is refused when it is made", ({ script, says }) => {
    expect(() => faux(script as never)).toThrow(says)
  })

  test.each([
    {
      what: "ends too early",
      script: [],
      says: "The script has no reply for request 1: it has 0",
    },
    {
      what: "throws",
      script: () => {
        throw new Error("boom")
      },
      says: "The script failed at request 1: boom",
    },
    {
      what: "throws what cannot be read",
      script: () => {
        throw unreadable
      },
      says: "The script failed at request 1: an error without a message",
    },
    {
      what: "rejects with what cannot be read",
      script: () => Promise.reject(unreadable),
      says: "The script failed at request 1: an error without a message",
    },
    {
      what: "rejects",
      script: () => Promise.reject(new Error("boom")),
      says: "The script failed at request 1: boom",
    },
    {
      what: "gives no reply",
      script: () => undefined,
      says: "The script failed at request 1: a reply is made of say(), think(), callTool() and their like",
    },
    {
      what: "gives no reply later",
      script: async () => "Hello",
      says: "The script failed at request 1: a reply is made of say(), think(), callTool() and their like",
    },
    {
      what: "promises to be malformed",
      script: async () => [say("Hello"), malformed("throw")],
      says: "The script failed at request 1: a reply with malformed() has to be returned at once",
    },
    {
      what: "writes to its request",
      script: (context: Context) => {
        ;(context.messages as unknown[]).push("more")
        return say("Hello")
      },
      says: "The script failed at request 1: Cannot add property 0, object is not extensible",
    },
    {
      what: "waits for what rejects",
      script: () => wait(Promise.reject(new Error("boom"))),
      says: "The script failed at request 1: boom",
    },
  ])("and $what ends in a lone error event", async ({ script, says }) => {
    const { events, result } = await read(faux(script as never)(model, nothing))

    assertWellFormed(events)
    expect(events).toHaveLength(1)
    expect(result).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining(says),
      failure: { code: "invalid_request", retryable: false },
    })
  })

  test.each([
    { options: { chunkSize: 0 }, says: "chunkSize is a whole number of characters, at least 1, not 0" },
    { options: { chunkSize: 1.5 }, says: "not 1.5" },
    { options: { chunkSize: Number.NaN }, says: "not NaN" },
    { options: { tokensPerSecond: 0 }, says: "tokensPerSecond is above 0, not 0" },
    { options: { tokensPerSecond: -1 }, says: "not -1" },
  ])("in its options $options is refused when it is made", ({ options, says }) => {
    expect(() => faux([], options)).toThrow(says)
  })

  test("that is exhausted says how many replies it had, at every further request", async () => {
    const streamFn = faux([say("One")])
    await streamFn(model, nothing).result()

    expect((await streamFn(model, nothing).result()).errorMessage).toBe(
      "The script has no reply for request 2: it has 1",
    )
    expect((await streamFn(model, nothing).result()).errorMessage).toBe(
      "The script has no reply for request 3: it has 1",
    )
  })
})

describe("what faux remembers", () => {
  test("is every request, with its options as they were", async () => {
    const { signal } = new AbortController()
    const fetch = globalThis.fetch
    const streamFn = faux([say("a"), say("b")])

    await streamFn(model, ask("first"), { signal, fetch, apiKey: "k", reasoning: "high" }).result()
    await streamFn(model, ask("second")).result()

    expect(streamFn.requests).toHaveLength(2)
    expect(streamFn.requests[0]).toEqual({
      model,
      context: ask("first"),
      options: { signal, fetch, apiKey: "k", reasoning: "high" },
    })
    expect(streamFn.requests[0]?.options.signal).toBe(signal)
    expect(streamFn.requests[1]?.options).toEqual({})
  })

  test("does not change with the caller's objects", async () => {
    const messages = [{ role: "user" as const, content: "first", timestamp: 1 }]
    const streamFn = faux([say("a"), say("b")])

    await streamFn(model, { messages }).result()
    messages[0]!.content = "changed"
    messages.push({ role: "user", content: "second", timestamp: 2 })
    await streamFn(model, { messages }).result()

    expect(streamFn.requests.map(({ context }) => context.messages.map(({ content }) => content))).toEqual([
      ["first"],
      ["changed", "second"],
    ])
  })

  test("counts requests that were aborted before they began, and gives them their reply", async () => {
    const streamFn = faux([say("a"), say("b")])

    await streamFn(model, nothing, { signal: AbortSignal.abort() }).result()
    const { content } = await streamFn(model, nothing).result()

    expect(content).toEqual([{ type: "text", text: "b" }])
    expect(streamFn.requests).toHaveLength(2)
  })

  test("says how many replies remain, and insists that none do", async () => {
    const streamFn = faux([say("a"), say("b")])
    expect(streamFn.remaining).toBe(2)

    await streamFn(model, nothing).result()

    expect(streamFn.remaining).toBe(1)
    expect(() => streamFn.assertExhausted()).toThrow(ScriptNotExhaustedError)
    expect(() => streamFn.assertExhausted()).toThrow(
      "The script has 2 replies and was asked for 1: reply 2 was never played",
    )

    await streamFn(model, nothing).result()
    await streamFn(model, nothing).result()

    expect(streamFn.remaining).toBe(0)
    expect(() => streamFn.assertExhausted()).not.toThrow()
  })

  test("of a script that is a function, never remains", () => {
    const streamFn = faux(() => say("a"))

    expect(streamFn.remaining).toBe(0)
    expect(() => streamFn.assertExhausted()).not.toThrow()
  })
})
