import { assertWellFormed } from "@heddle/conformance"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { call, chunk, replayBytes, replayChunks, replayRounds, text, thought } from "./replay.ts"

describe("a chunk's parts", () => {
  test("continue one block while they are of one kind, over any number of chunks", async () => {
    const { events, message } = await replayChunks(
      chunk([thought("I "), thought("think")]),
      chunk([thought(".")]),
      chunk([text("So"), text(" it")]),
      chunk([text(" is.")], "STOP"),
    )

    assertWellFormed(events)
    expect(message.content).toEqual([
      { type: "thinking", thinking: "I think." },
      { type: "text", text: "So it is." },
    ])
  })

  test("open nothing when they are empty", async () => {
    const { message } = await replayChunks(
      chunk([text(""), {}, { thought: true }, { text: null }]),
      { candidates: [{ index: 0 }] },
      { candidates: [{ content: { role: "model" } }] },
      { candidates: [] },
      {},
      chunk([], "STOP"),
    )

    expect(message).toMatchObject({ content: [], stopReason: "stop" })
  })

  test("close their block when they are signed", async () => {
    const { message } = await replayChunks(
      chunk([text("A", { thoughtSignature: "sig-a" }), text("B")]),
      chunk([text("", { thoughtSignature: "sig-b" }), text("C")], "STOP"),
    )

    expect(message.content).toEqual([
      { type: "text", text: "A", textSignature: "sig-a" },
      { type: "text", text: "B", textSignature: "sig-b" },
      { type: "text", text: "C" },
    ])
  })

  test.each([
    { name: "empty text", part: text("", { thoughtSignature: "sig" }), type: "text" },
    { name: "no text", part: { thoughtSignature: "sig" }, type: "text" },
    { name: "empty thinking", part: thought("", { thoughtSignature: "sig" }), type: "thinking" },
  ])("with a signature and $name become an empty block when none of their kind is open", async (row) => {
    const { message } = await replayChunks(chunk([call("now", {}), row.part], "STOP"))

    expect(message.content[1]).toEqual(
      row.type === "text"
        ? { type: "text", text: "", textSignature: "sig" }
        : { type: "thinking", thinking: "", thinkingSignature: "sig" },
    )
  })

  test("never pass a signature of one kind to a block of another", async () => {
    const { message } = await replayChunks(
      chunk([thought("Hm."), text("", { thoughtSignature: "sig" })], "STOP"),
    )

    expect(message.content).toEqual([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "", textSignature: "sig" },
    ])
  })

  test.each([
    "executableCode",
    "codeExecutionResult",
    "inlineData",
    "fileData",
    "toolCall",
    "toolResponse",
    "aKindFromTheFuture",
  ])("of the kind %s are kept verbatim, in their place", async (kind) => {
    const part = { [kind]: { inner: [1] }, thoughtSignature: "sig", partMetadata: { a: 1 } }

    const { events, message } = await replayChunks(chunk([text("A"), part, text("B")], "STOP"))

    assertWellFormed(events)
    expect(message.content).toEqual([
      { type: "text", text: "A" },
      { type: "opaque", kind, data: part },
      { type: "text", text: "B" },
    ])
  })

  test("are what they say although something new stands beside it", async () => {
    const { message } = await replayChunks(
      chunk([text("A", { feelings: { joy: 1 } }), { ...call("now", {}), feelings: { joy: 2 } }], "STOP"),
    )

    expect(message.content.map(({ type }) => type)).toEqual(["text", "toolCall"])
  })

  test("of other candidates are not read", async () => {
    const other = { content: { parts: [text("no")] }, index: 1, finishReason: "SAFETY" }

    const { message } = await replayChunks(
      { candidates: [other, { content: { parts: [text("yes")] } }] },
      { candidates: [{ ...other, index: 2 }] },
      chunk([], "STOP"),
    )

    expect(message).toMatchObject({ content: [{ text: "yes" }], stopReason: "stop" })
  })
})

describe("a function call", () => {
  test.each([
    { name: "an object", args: { a: [1, { b: null }] }, expected: { a: [1, { b: null }] } },
    { name: "empty", args: {}, expected: {} },
    { name: "absent", args: undefined, expected: {} },
    { name: "null", args: null, expected: {} },
    { name: "the text of an object", args: '{"a":1}', expected: { a: 1 } },
  ])("has its arguments when they are $name", async ({ args, expected }) => {
    const { message } = await replayChunks(chunk([call("f", args)], "STOP"))

    expect(message).toMatchObject({ stopReason: "toolUse", rawStopReason: "STOP" })
    expect(message.content).toEqual([{ type: "toolCall", id: "local_1", name: "f", arguments: expected }])
  })

  test("whose arguments are no object is marked as broken", async () => {
    const { message } = await replayChunks(chunk([call("f", [1, 2])], "STOP"))

    expect(message.content).toMatchObject([{ name: "f", arguments: {}, argumentsError: expect.any(String) }])
  })

  test("keeps the host's id, made unique where the host repeats itself", async () => {
    const same = { functionCall: { id: "call_0", name: "f", args: {} } }

    expect((await replayChunks(chunk([same, same], "STOP"))).message.content).toMatchObject([
      { id: "call_0" },
      { id: "call_0_2" },
    ])
  })

  test("takes keys that mean something to JavaScript for keys", async () => {
    const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')

    const { message } = await replayChunks(chunk([call("f", args)], "STOP"))

    expect(message.content).toMatchObject([{ arguments: args }])
    expect(Object.keys((message.content[0] as { arguments: object }).arguments)).toEqual([
      "__proto__",
      "constructor",
    ])
    expect({}).not.toHaveProperty("polluted")
  })

  test("is complete although the answer was cut by its limit", async () => {
    const { message } = await replayChunks(chunk([call("f", { a: 1 })], "MAX_TOKENS"))

    expect(message.stopReason).toBe("length")
    expect(message.content[0]).not.toHaveProperty("argumentsError")
  })
})

describe("a function call in pieces", () => {
  const begin = (name: string, more: object = {}): object => ({
    functionCall: { name, willContinue: true },
    ...more,
  })
  const piece = (...partialArgs: readonly object[]): object => ({
    functionCall: { partialArgs, willContinue: true },
  })
  const last = { functionCall: {} }

  test("puts values where their paths say, and pieces of a text together", async () => {
    const { events, message } = await replayChunks(
      chunk([begin("f", { thoughtSignature: "sig" })]),
      chunk([piece({ jsonPath: "$.text", stringValue: "Hel", willContinue: true })]),
      chunk([piece({ jsonPath: "$.text", stringValue: "lo", willContinue: true })]),
      chunk([piece({ jsonPath: "$.text", stringValue: "" })]),
      chunk([
        piece(
          { jsonPath: "$.list[0].n", numberValue: -1.5 },
          { jsonPath: "$.list[1]", boolValue: false },
          { jsonPath: "$.none", nullValue: "NULL_VALUE" },
          { jsonPath: "$['odd key'].x", stringValue: "a" },
          { jsonPath: '$["quo\\"te"]', stringValue: "b" },
          { jsonPath: "$['it\\'s\\u0021']", stringValue: "c" },
          { jsonPath: "$.text" },
        ),
      ]),
      chunk([last], "STOP"),
    )

    assertWellFormed(events)
    expect(message.content).toEqual([
      {
        type: "toolCall",
        id: "local_1",
        name: "f",
        arguments: {
          text: "Hello",
          list: [{ n: -1.5 }, false],
          none: null,
          "odd key": { x: "a" },
          'quo"te': "b",
          "it's!": "c",
        },
        thoughtSignature: "sig",
      },
    ])
    expect(events.filter(({ type }) => type === "toolcall_delta")).toHaveLength(1)
  })

  test.each([
    { name: "an empty part", next: [last], finish: "STOP" },
    { name: "a piece that does not continue", next: [{ functionCall: { partialArgs: [] } }], finish: "STOP" },
    { name: "the next call", next: [call("g", {})], finish: "STOP" },
    { name: "the next call in pieces", next: [begin("g"), last], finish: "STOP" },
    { name: "text", next: [text("Done.")], finish: "STOP" },
    { name: "another part", next: [{ executableCode: { code: "1" } }], finish: "STOP" },
    { name: "the end", next: [], finish: "STOP" },
  ])("ends with $name", async ({ next, finish }) => {
    const { events, message } = await replayChunks(
      chunk([begin("f"), piece({ jsonPath: "$.a", stringValue: "x", willContinue: true })]),
      chunk(next, finish),
    )

    assertWellFormed(events)
    expect(message.content[0]).toEqual({
      type: "toolCall",
      id: "local_1",
      name: "f",
      arguments: { a: "x" },
    })
    expect(message.stopReason).toBe("toolUse")
  })

  test("without arguments has none", async () => {
    expect((await replayChunks(chunk([begin("f"), last], "STOP"))).message.content).toMatchObject([
      { name: "f", arguments: {} },
    ])
  })

  test("may begin with its first arguments, repeat its name and id, and end with whole arguments", async () => {
    const { message } = await replayChunks(
      chunk([
        {
          functionCall: {
            id: "c1",
            name: "f",
            partialArgs: [{ jsonPath: "$.a", numberValue: 1 }],
            willContinue: true,
          },
        },
        { functionCall: { id: "c1", name: "f", args: { b: 2 } }, thoughtSignature: "late" },
        last,
      ]),
      chunk([], "STOP"),
    )

    expect(message.content).toEqual([
      { type: "toolCall", id: "c1", name: "f", arguments: { a: 1, b: 2 }, thoughtSignature: "late" },
    ])
  })

  test("says that it was cut off by the limit, and shows what there is", async () => {
    const { message } = await replayChunks(
      chunk([begin("f"), piece({ jsonPath: "$.a", numberValue: 1 }, { jsonPath: "$.b", stringValue: "x" })]),
      chunk([], "MAX_TOKENS"),
    )

    expect(message).toMatchObject({
      stopReason: "length",
      content: [{ arguments: { a: 1, b: "x" }, argumentsError: "The arguments were cut off" }],
    })
  })

  test("says that it was cut off when the body breaks off", async () => {
    const { message } = await replayChunks(chunk([begin("f"), piece({ jsonPath: "$.a", numberValue: 1 })]))

    expect(message).toMatchObject({
      stopReason: "error",
      failure: { code: "protocol" },
      content: [{ arguments: { a: 1 }, argumentsError: "The arguments were cut off" }],
    })
  })

  test.each([
    { path: "a" },
    { path: "$" },
    { path: "$[0]" },
    { path: "$.a..b" },
    { path: "$.a[*]" },
    { path: "$.a[99999999]" },
    { path: "$.text.deeper" },
    { path: "$.list.name" },
    { path: "$.list" },
    { path: undefined },
  ])("says so when a value has the place $path, which cannot be followed", async ({ path }) => {
    const { message } = await replayChunks(
      chunk([
        begin("f"),
        piece(
          { jsonPath: "$.text", stringValue: "kept" },
          { jsonPath: "$.list[0]", numberValue: 1 },
          { jsonPath: path, numberValue: 2 },
        ),
        last,
      ]),
      chunk([], "STOP"),
    )

    expect(message.content).toMatchObject([
      {
        arguments: { text: "kept", list: [1] },
        argumentsError: expect.stringContaining("cannot be followed"),
      },
    ])
  })

  test("takes keys that mean something to JavaScript for keys", async () => {
    const { message } = await replayChunks(
      chunk([begin("f"), piece({ jsonPath: "$.__proto__.polluted", boolValue: true }), last], "STOP"),
    )

    expect(JSON.stringify(message.content[0])).toContain('{"__proto__":{"polluted":true}}')
    expect({}).not.toHaveProperty("polluted")
  })

  test("gives back any arguments, however their texts are cut", async () => {
    const names = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    const scalars = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
    const filled = fc.oneof(
      scalars,
      fc.constant(null),
      fc.dictionary(names, scalars, { minKeys: 1, maxKeys: 3 }),
      fc.array(scalars, { minLength: 1, maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, filled, { maxKeys: 4 }), fc.nat(5), async (args, size) => {
        const pieces = Object.entries(args).flatMap(([name, value]) =>
          fragments(keyed("$", name), value, size),
        )
        const { message } = await replayChunks(chunk([begin("f"), piece(...pieces), last], "STOP"))

        const [made] = message.content
        expect(made).not.toHaveProperty("argumentsError")
        expect(made).toHaveProperty("arguments", JSON.parse(JSON.stringify(args)))
      }),
      { numRuns: 60 },
    )
  })

  function keyed(path: string, name: string): string {
    return `${path}[${JSON.stringify(name)}]`
  }

  function fragments(path: string, value: unknown, size: number): object[] {
    if (typeof value === "string") {
      const cut = [value.slice(0, size), value.slice(size)]
      return cut.map((stringValue, index) => ({ jsonPath: path, stringValue, willContinue: index === 0 }))
    }
    if (typeof value === "number") return [{ jsonPath: path, numberValue: value }]
    if (typeof value === "boolean") return [{ jsonPath: path, boolValue: value }]
    if (value === null) return [{ jsonPath: path, nullValue: "NULL_VALUE" }]
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => fragments(`${path}[${index}]`, item, size))
    }
    return Object.entries(value as object).flatMap(([name, item]) => fragments(keyed(path, name), item, size))
  }

  test("ignores an end without a beginning", async () => {
    expect((await replayChunks(chunk([last, last], "STOP"))).message).toMatchObject({
      content: [],
      stopReason: "stop",
    })
  })
})

describe("the end of an answer", () => {
  test("is the last finish reason", async () => {
    const { message } = await replayChunks(chunk([text("A")], "STOP"), chunk([text("B")], "MAX_TOKENS"))

    expect(message).toMatchObject({
      stopReason: "length",
      rawStopReason: "MAX_TOKENS",
      content: [{ text: "AB" }],
    })
  })

  test("is a failure when one of its finish reasons is", async () => {
    const { message } = await replayChunks(chunk([text("A")], "SAFETY"), chunk([text("B")], "STOP"))

    expect(message).toMatchObject({ stopReason: "error", rawStopReason: "SAFETY", content: [{ text: "AB" }] })
  })

  test("is not said by a finish reason that is not set", async () => {
    expect((await replayChunks(chunk([text("A")], "FINISH_REASON_UNSPECIFIED"))).message).toMatchObject({
      stopReason: "error",
      failure: { code: "protocol", retryable: true },
      content: [{ text: "A" }],
    })
  })

  test("carries the vendor's own explanation of a failure", async () => {
    const malformed = {
      finishReason: "MALFORMED_FUNCTION_CALL",
      finishMessage: "Malformed function call: f(",
    }

    expect((await replayChunks({ candidates: [malformed] })).message).toMatchObject({
      errorMessage: "Malformed function call: f(",
      failure: { code: "protocol", retryable: true },
    })
  })

  test("keeps the usage of a prompt that was blocked", async () => {
    const { message } = await replayChunks({
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 7 },
    })

    expect(message).toMatchObject({ failure: { code: "content_filter" }, usage: { input: 7 } })
  })

  test("is an error of the vendor's when a chunk is one, and keeps what came before", async () => {
    const { message } = await replayChunks(chunk([text("Once")]), {
      error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
    })

    expect(message).toMatchObject({
      content: [{ text: "Once" }],
      errorMessage: "The model is overloaded.",
      failure: { code: "overloaded", retryable: true, status: 503 },
    })
  })

  test.each([
    { name: "an object", form: (json: string) => json },
    { name: "a list of one", form: (json: string) => `[${json}]` },
    { name: "cut off", form: (json: string) => json.slice(0, -5) },
  ])("is the error that stands bare behind the events, as $name", async ({ name, form }) => {
    const error = { error: { code: 499, message: "The operation was cancelled.", status: "CANCELLED" } }
    const body = `data: ${JSON.stringify(chunk([text("Once")]))}\r\n\r\n${form(JSON.stringify(error, null, 2))}\n`

    const { message } = await replayBytes(new TextEncoder().encode(body))

    expect(message).toMatchObject({
      content: [{ text: "Once" }],
      stopReason: "error",
      failure:
        name === "cut off"
          ? { code: "protocol", retryable: true }
          : { code: "server", retryable: true, status: 499 },
    })
    if (name !== "cut off") expect(message.errorMessage).toBe("The operation was cancelled.")
  })

  test("is never looked for in what the model says", async () => {
    const said = '\n{"error": {"code": 500, "message": "no"}}'

    const body = `data: ${JSON.stringify(chunk([text(said)], "STOP"))}\n\n`

    expect((await replayBytes(new TextEncoder().encode(body))).message).toMatchObject({
      content: [{ text: said }],
      stopReason: "stop",
    })
  })

  test.each([null, 1, "text", [], { candidates: 3 }, { candidates: [null] }, { promptFeedback: {} }])(
    "does not come from %j",
    async (strange) => {
      const { message } = await replayChunks(strange, chunk([text("A")], "STOP"))

      expect(message).toMatchObject({ content: [{ text: "A" }], stopReason: "stop" })
    },
  )
})

describe("an answer in a list", () => {
  test("is read like a stream of its items", async () => {
    const body = JSON.stringify([chunk([text("Hel")]), chunk([text("lo")], "STOP")], null, 1)

    expect((await replayBytes(new TextEncoder().encode(body))).message).toMatchObject({
      content: [{ text: "Hello" }],
      stopReason: "stop",
    })
  })
})

describe("an answer that takes several requests", () => {
  const goesOn = (token: string): object => ({ finishReason: "CONTINUATION", continuationToken: token })

  test("goes on in the block it stopped in, and is billed for all of them", async () => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2 }
    const first = {
      candidates: [{ content: { parts: [text("Once upon")] }, ...goesOn("t1") }],
      usageMetadata,
    }

    const { events, message } = await replayRounds(
      [first],
      [
        chunk([text(" a time")], "STOP", {
          usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 7 },
        }),
      ],
    )

    assertWellFormed(events)
    expect(message).toMatchObject({
      content: [{ type: "text", text: "Once upon a time" }],
      stopReason: "stop",
      rawStopReason: "STOP",
      usage: { input: 30, output: 14, reasoning: 2, totalTokens: 44 },
    })
  })

  test("asks for the next one with the token it was given", async () => {
    const { continuation, message } = await replayRounds([{ candidates: [goesOn("t1")] }])

    expect(continuation).toBe("t1")
    expect(message.rawStopReason).toBeUndefined()
  })

  test("ends with length where it was given no token", async () => {
    const { continuation, message } = await replayChunks(chunk([text("A")], "CONTINUATION"))

    expect(continuation).toBeUndefined()
    expect(message).toMatchObject({ stopReason: "length", rawStopReason: "CONTINUATION" })
  })
})

describe("an answer's citations", () => {
  test("are put together of what the chunks tell, and stand at the end", async () => {
    const cites = (uri: string): object => ({ citationMetadata: { citations: [{ uri }] } })
    const withCitation = (said: string, uri: string, finishReason?: string): object => ({
      candidates: [
        { content: { parts: [text(said)] }, ...cites(uri), ...(finishReason && { finishReason }) },
      ],
    })

    const { message } = await replayChunks(withCitation("A", "u:1"), withCitation("B", "u:2", "STOP"))

    expect(message.content).toEqual([
      { type: "text", text: "AB" },
      { type: "opaque", kind: "citationMetadata", data: { citations: [{ uri: "u:1" }, { uri: "u:2" }] } },
    ])
  })
})
