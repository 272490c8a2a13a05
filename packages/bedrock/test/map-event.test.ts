import { assertWellFormed } from "@heddle/conformance"
import { describe, expect, test } from "vitest"
import { delta, event, exception, frame, HELLO, START, stop, stringHeader } from "./event-stream.ts"
import { replayBytes, replayEvents } from "./replay.ts"

const START_EVENT = ["messageStart", { role: "assistant" }] as const
const STOP = ["messageStop", { stopReason: "end_turn" }] as const
const CUT = ["messageStop", { stopReason: "max_tokens" }] as const

const start = (index: number, fields: object) =>
  ["contentBlockStart", { contentBlockIndex: index, start: fields }] as const
const piece = (index: number, fields: object) =>
  ["contentBlockDelta", { contentBlockIndex: index, delta: fields }] as const
const end = (index: number) => ["contentBlockStop", { contentBlockIndex: index }] as const
const call = (index: number, toolUseId: string, name = "read") =>
  start(index, { toolUse: { toolUseId, name } })
const input = (index: number, text: unknown) => piece(index, { toolUse: { input: text } })

describe("the events of a ConverseStream", () => {
  test("build text, thinking and calls, closed by the vendor's stops", async () => {
    const { events, message } = await replayEvents(
      START_EVENT,
      piece(0, { reasoningContent: { text: "Hm" } }),
      piece(0, { reasoningContent: { signature: "c2ln" } }),
      end(0),
      piece(1, { text: "Look:" }),
      end(1),
      call(2, "a"),
      input(2, '{"path":'),
      input(2, '"a.ts"}'),
      end(2),
      ["messageStop", { stopReason: "tool_use" }],
      ["metadata", { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } }],
    )

    assertWellFormed(events)
    expect(message).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm", thinkingSignature: "c2ln" },
        { type: "text", text: "Look:" },
        { type: "toolCall", id: "a", name: "read", arguments: { path: "a.ts" } },
      ],
      stopReason: "toolUse",
      rawStopReason: "tool_use",
      responseId: "request-1",
      usage: { input: 3, output: 4, totalTokens: 7 },
    })
  })

  test("keep parallel calls apart when their deltas interleave", async () => {
    const { message } = await replayEvents(
      call(0, "a"),
      call(1, "b"),
      input(0, '{"path":'),
      input(1, '{"path":"b"}'),
      input(0, '"a"}'),
      STOP,
    )

    expect(message).toMatchObject({
      stopReason: "toolUse",
      content: [
        { id: "a", arguments: { path: "a" } },
        { id: "b", arguments: { path: "b" } },
      ],
    })
  })

  test("give a call its id and name late, or make an id up", async () => {
    const { message } = await replayEvents(
      input(0, "{}"),
      call(0, "late"),
      end(0),
      start(1, { toolUse: { name: "nameless" } }),
      end(1),
      STOP,
    )

    expect(message.content).toMatchObject([
      { id: "late", name: "read", arguments: {} },
      { id: "made-up-1", name: "nameless", arguments: {} },
    ])
  })

  test("take arguments that come as an object", async () => {
    const { message } = await replayEvents(call(0, "a"), input(0, { path: "a" }), end(0), STOP)

    expect(message.content).toMatchObject([{ arguments: { path: "a" } }])
  })

  test.each([
    { text: '{"path":"a', of: "cut off in its middle" },
    { text: "", of: "cut off before it began" },
    { text: undefined, of: "of which nothing came" },
  ])("mark the input of a call that was $of, also when the block has stopped", async ({ text }) => {
    const { message } = await replayEvents(
      call(0, "whole"),
      end(0),
      call(1, "cut"),
      ...(text === undefined ? [] : [input(1, text)]),
      end(1),
      CUT,
    )

    expect(message.stopReason).toBe("length")
    expect(message.content).toMatchObject([
      { id: "whole", arguments: {} },
      { id: "cut", argumentsError: expect.any(String) },
    ])
    expect(message.content[0]).not.toHaveProperty("argumentsError")
  })

  test("end a call without arguments as soon as the model goes on", async () => {
    const { events } = await replayEvents(call(0, "a"), end(0), piece(1, { text: "Next" }), STOP)

    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "toolcall_start",
      "toolcall_end",
      "text_start",
      "text_delta",
      "text_end",
      "done",
    ])
  })

  test("keep the signature of reasoning whose text is not shown", async () => {
    const { message } = await replayEvents(
      piece(0, { reasoningContent: { signature: "c2ln" } }),
      end(0),
      piece(1, { reasoningContent: { text: "plain", signature: "" } }),
      STOP,
    )

    expect(message.content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: "c2ln" },
      { type: "thinking", thinking: "plain" },
    ])
  })

  test("keep encrypted reasoning in base64, in one piece, from the wire and from the SDK", async () => {
    const { message } = await replayEvents(
      piece(0, { reasoningContent: { redactedContent: btoa("one") } }),
      piece(0, { reasoningContent: { redactedContent: btoa("two") } }),
      end(0),
      piece(1, { reasoningContent: { redactedContent: new TextEncoder().encode("three") } }),
      end(1),
      STOP,
    )

    expect(message.content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: btoa("onetwo"), redacted: true },
      { type: "thinking", thinking: "", thinkingSignature: btoa("three"), redacted: true },
    ])
  })

  test("collect the citations of a text beside it", async () => {
    const { message } = await replayEvents(
      piece(0, { citation: { title: "A" } }),
      piece(0, { text: "So it is." }),
      piece(0, { citation: { title: "B" } }),
      end(0),
      STOP,
    )

    expect(message.content).toEqual([
      { type: "text", text: "So it is.", textSignature: '{"citations":[{"title":"A"},{"title":"B"}]}' },
    ])
  })

  test("keep what the service runs itself as blocks of its own kind", async () => {
    const { events, message } = await replayEvents(
      start(0, { toolUse: { toolUseId: "s1", name: "nova_grounding", type: "server_tool_use" } }),
      input(0, '{"query":'),
      input(0, '"heddle"}'),
      end(0),
      start(1, { toolResult: { toolUseId: "s1", type: "nova_grounding_result", status: "success" } }),
      piece(1, { toolResult: [{ text: "Loom " }, { text: "part" }] }),
      piece(1, { toolResult: [{ json: { url: "https://example.com" } }] }),
      end(1),
      start(2, { image: { format: "png" } }),
      piece(2, { image: { source: { bytes: btoa("one") } } }),
      piece(2, { image: { source: { bytes: btoa("two") } } }),
      end(2),
      piece(3, { text: "A heddle is a part of a loom." }),
      STOP,
    )

    assertWellFormed(events)
    expect(message.content).toEqual([
      {
        type: "opaque",
        kind: "server_tool_use",
        data: {
          toolUse: {
            toolUseId: "s1",
            name: "nova_grounding",
            type: "server_tool_use",
            input: { query: "heddle" },
          },
        },
      },
      {
        type: "opaque",
        kind: "nova_grounding_result",
        data: {
          toolResult: {
            toolUseId: "s1",
            type: "nova_grounding_result",
            status: "success",
            content: [{ text: "Loom part" }, { json: { url: "https://example.com" } }],
          },
        },
      },
      {
        type: "opaque",
        kind: "image",
        data: { image: { format: "png", source: { bytes: btoa("onetwo") } } },
      },
      { type: "text", text: "A heddle is a part of a loom." },
    ])
    expect(message.stopReason).toBe("stop")
  })

  test("say which model a prompt router chose", async () => {
    const trace = { promptRouter: { invokedModelId: "arn:aws:bedrock:us-east-1::foundation-model/m" } }

    const { message } = await replayEvents(piece(0, { text: "Hi" }), STOP, ["metadata", { trace }])

    expect(message.responseModel).toBe("arn:aws:bedrock:us-east-1::foundation-model/m")
  })

  test("are passed over where they make no sense", async () => {
    const { events, message } = await replayEvents(
      ["futureEvent", { future: [1] }],
      ["messageStart", null],
      ["contentBlockStart", { contentBlockIndex: 9 }],
      ["contentBlockStart", { contentBlockIndex: 9, start: { hologram: {} } }],
      ["contentBlockDelta", { contentBlockIndex: 9, delta: { hologram: {}, text: 7, toolUse: null } }],
      ["contentBlockDelta", { contentBlockIndex: 9, delta: { reasoningContent: { text: null } } }],
      ["contentBlockStop", { contentBlockIndex: 8 }],
      ["contentBlockDelta", { delta: { text: "no index" } }],
      ["messageStop", { stopReason: null }],
      ["metadata", { usage: { inputTokens: -1, outputTokens: "many", totalTokens: Number.NaN } }],
      STOP,
      STOP,
    )

    assertWellFormed(events)
    expect(message).toMatchObject({
      stopReason: "stop",
      content: [{ type: "text", text: "no index" }],
      usage: { totalTokens: 0 },
    })
  })

  test("that come twice are no reason to break the grammar", async () => {
    const twice = HELLO.flatMap((each) => [each, each])

    const { events, message } = await replayBytes(twice)

    assertWellFormed(events)
    expect(message.stopReason).toBe("stop")
  })

  test.each([
    { word: "guardrail_intervened", code: "content_filter", retryable: false },
    { word: "content_filtered", code: "content_filter", retryable: false },
    { word: "malformed_tool_use", code: "protocol", retryable: true },
  ])("that end in $word are a failure that keeps the text", async ({ word, code, retryable }) => {
    const { message } = await replayEvents(piece(0, { text: "Well," }), ["messageStop", { stopReason: word }])

    expect(message).toMatchObject({
      stopReason: "error",
      rawStopReason: word,
      errorMessage: expect.stringContaining(`(stopReason: ${word}).`),
      failure: { code, retryable },
      content: [{ type: "text", text: "Well," }],
    })
  })

  test("that end without a stop are a failure that keeps the text", async () => {
    const { message } = await replayEvents(START_EVENT, piece(0, { text: "Once" }), end(0))

    expect(message).toMatchObject({
      stopReason: "error",
      failure: { code: "protocol", retryable: true },
      content: [{ type: "text", text: "Once" }],
    })
  })
})

describe("an exception in the stream", () => {
  test.each([
    { type: "internalServerException", code: "server", retryable: true },
    { type: "modelStreamErrorException", code: "server", retryable: true },
    { type: "serviceUnavailableException", code: "overloaded", retryable: true },
    { type: "throttlingException", code: "rate_limit", retryable: true },
    { type: "modelTimeoutException", code: "timeout", retryable: true },
    { type: "validationException", code: "invalid_request", retryable: false },
    { type: "exceptionOfTheFuture", code: "unknown", retryable: false },
  ])("named $type is $code and keeps what came before", async ({ type, code, retryable }) => {
    const { message, events } = await replayBytes([
      START,
      delta(0, { text: "Once" }),
      exception(type, { message: "The service explains." }),
    ])

    assertWellFormed(events)
    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: "The service explains.",
      failure: { code, retryable },
      content: [{ type: "text", text: "Once" }],
    })
    expect(message.failure).not.toHaveProperty("status")
  })

  test("is a context overflow where it says that the prompt is too long", async () => {
    const { message } = await replayBytes([
      exception("validationException", { message: "Input is too long for requested model." }),
    ])

    expect(message.failure).toEqual({ code: "context_overflow", retryable: false })
  })

  test.each([
    { payload: "not JSON but words", says: "not JSON but words" },
    { payload: {}, says: "Bedrock reported throttlingException." },
    { payload: "", says: "Bedrock reported throttlingException." },
  ])("says $says", async ({ payload, says }) => {
    const { message } = await replayBytes([exception("throttlingException", payload)])

    expect(message).toMatchObject({ errorMessage: says, failure: { code: "rate_limit" } })
  })

  test("may also be an error that no model of the service describes", async () => {
    const { message } = await replayBytes([
      frame(
        [
          stringHeader(":message-type", "error"),
          stringHeader(":error-code", "InternalServerException"),
          stringHeader(":error-message", "Something broke."),
        ],
        "",
      ),
    ])

    expect(message).toMatchObject({ errorMessage: "Something broke.", failure: { code: "server" } })
  })

  test("after the stop still is one", async () => {
    const { message } = await replayBytes([
      delta(0, { text: "Hi" }),
      stop(),
      exception("internalServerException"),
    ])

    expect(message.stopReason).toBe("error")
  })
})

describe("a frame", () => {
  test("of JSON that is none breaks the protocol", async () => {
    const { message } = await replayBytes([START, delta(0, { text: "Hi" }), event("contentBlockDelta", "{")])

    expect(message).toMatchObject({
      failure: { code: "protocol", retryable: true },
      content: [{ type: "text", text: "Hi" }],
    })
  })

  test("of another type of content is passed over", async () => {
    const binary = frame(
      [stringHeader(":event-type", "futureBytes"), stringHeader(":message-type", "event")],
      "\0",
    )

    expect((await replayBytes([binary, ...HELLO])).message.stopReason).toBe("stop")
  })
})
