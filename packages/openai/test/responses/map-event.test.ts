import { assertWellFormed } from "@heddle/conformance"
import type { AssistantMessage } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { freeze } from "../freeze.ts"
import { replayEvents } from "./replay.ts"
import {
  added,
  CREATED,
  completed,
  done,
  event,
  functionCall,
  HELLO,
  incomplete,
  message,
  reasoning,
  textDelta,
} from "./wire-events.ts"

async function read(...events: readonly unknown[]): Promise<AssistantMessage> {
  const replay = await replayEvents("openai", freeze(events))
  assertWellFormed(replay.events)
  return replay.message
}

async function contentOf(...events: readonly unknown[]): Promise<AssistantMessage["content"]> {
  return (await read(CREATED, ...events, completed())).content
}

function summaryDelta(delta: string, part = 0, index = 0): unknown {
  return event("reasoning_summary_text.delta", { output_index: index, summary_index: part, delta })
}

function summaryPart(part: number, index = 0): unknown {
  return event("reasoning_summary_part.added", {
    output_index: index,
    summary_index: part,
    part: { type: "summary_text", text: "" },
  })
}

function inputDelta(index: number, delta: string): unknown {
  return event("function_call_arguments.delta", { output_index: index, delta })
}

describe("A response", () => {
  test("says its id, the model that answered, what it cost and how it ended", async () => {
    expect(await read(...HELLO)).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      responseId: "resp_1",
      responseModel: "gpt-x-2026",
      stopReason: "stop",
      rawStopReason: "completed",
      usage: { input: 5, output: 2, totalTokens: 7, cost: { total: 9e-6 } },
    })
  })

  test("emits each piece once, and nothing for what repeats it", async () => {
    const { events } = await replayEvents("openai", HELLO)

    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_delta",
      "text_end",
      "done",
    ])
  })

  test.each([{ response: { id: "", model: "" } }, { response: { id: null, model: null } }, { response: {} }])(
    "keeps its names when $response says nothing",
    async ({ response }) => {
      expect(await read(CREATED, textDelta(0, "Hi"), event("completed", { response }))).toMatchObject({
        responseId: "resp_1",
        responseModel: "gpt-x",
        stopReason: "stop",
      })
    },
  )

  test.each([
    { end: completed(), reason: "stop", word: "completed" },
    { end: completed({ status: "in_progress" }), reason: "stop", word: "completed" },
    { end: event("completed", {}), reason: "stop", word: "completed" },
    { end: event("done", { response: { status: "completed" } }), reason: "stop", word: "completed" },
    { end: incomplete("max_output_tokens"), reason: "length", word: "max_output_tokens" },
    { end: incomplete(), reason: "length", word: "incomplete" },
    {
      end: completed({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
      reason: "length",
      word: "max_output_tokens",
    },
    { end: incomplete("max_messages"), reason: "stop", word: "max_messages" },
    { end: incomplete("a_reason_from_the_future"), reason: "stop", word: "a_reason_from_the_future" },
  ])("that ends with $word is a $reason", async ({ end, reason, word }) => {
    expect(await read(CREATED, textDelta(0, "Hi"), end)).toMatchObject({
      content: [{ text: "Hi" }],
      stopReason: reason,
      rawStopReason: word,
    })
  })

  test("that the vendor's filter stopped is a failure that keeps the text", async () => {
    expect(await read(CREATED, textDelta(0, "Well,"), incomplete("content_filter"))).toMatchObject({
      content: [{ text: "Well," }],
      stopReason: "error",
      rawStopReason: "content_filter",
      failure: { code: "content_filter", retryable: false },
    })
  })

  test("that ends without saying so breaks the protocol", async () => {
    expect(await read(...HELLO.slice(0, -1))).toMatchObject({
      content: [{ text: "Hello" }],
      stopReason: "error",
      failure: { code: "protocol", retryable: true },
    })
  })

  test("is never rebuilt from the output that its end repeats", async () => {
    expect(
      (await read(...HELLO.slice(0, -1), completed({ output: [message("msg_9", "Other")] }))).content,
    ).toEqual([{ type: "text", text: "Hello" }])
  })

  test("that came whole, from a server that does not stream, is read item by item", async () => {
    const output = [reasoning(["Hm."]), message("msg_1", "Hi"), functionCall("call_a", "now", "{}")]
    const usage = { input_tokens: 5, output_tokens: 2 }
    const body = {
      id: "resp_1",
      object: "response",
      model: "m",
      status: "completed",
      error: null,
      output,
      usage,
    }

    expect(await read(body)).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Hi" },
        { type: "toolCall", id: "call_a", arguments: {} },
      ],
      stopReason: "toolUse",
      responseId: "resp_1",
      usage: { totalTokens: 7 },
    })
  })

  test.each([
    undefined,
    null,
    7,
    "text",
    [],
    {},
    { type: "" },
    { type: "response.future_event", future: [1] },
    { type: "keepalive", sequence_number: 3 },
    { type: "__proto__" },
    { type: "constructor", output_index: 0 },
    { type: "response.output_text.delta" },
    { type: "response.output_text.delta", output_index: 1, delta: 7 },
    { type: "response.output_item.added", output_index: 1, item: null },
    { type: "response.output_item.done", output_index: 1, item: {} },
    { type: "response.content_part.added", output_index: 0, part: { type: "output_audio" } },
    { type: "response.content_part.added", output_index: 0, part: { type: "reasoning_text", text: "" } },
    { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
    { type: "response.image_generation_call.partial_image", output_index: 0, partial_image_b64: "AAAA" },
    { type: "response.in_progress", response: "?" },
  ])("passes over what it does not understand: %j", async (strange) => {
    expect(await read(CREATED, strange, ...HELLO.slice(2))).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      stopReason: "stop",
    })
  })

  test("ends at its end", async () => {
    expect((await read(...HELLO, textDelta(0, "!"), added(1, message("msg_2", "")))).content).toHaveLength(1)
  })
})

describe("A failure", () => {
  const failed = (error: object, fields: object = {}): unknown =>
    event("failed", { response: { id: "resp_1", status: "failed", error, ...fields } })

  test.each([
    { error: { code: "server_error", message: "Sorry." }, code: "server", retryable: true },
    { error: { code: "rate_limit_exceeded", message: "Slow." }, code: "rate_limit", retryable: true },
    { error: { code: "insufficient_quota", message: "Pay." }, code: "quota", retryable: false },
    { error: { code: "invalid_prompt", message: "No." }, code: "invalid_request", retryable: false },
    {
      error: { code: "context_length_exceeded", message: "Long." },
      code: "context_overflow",
      retryable: false,
    },
    { error: { code: "image_too_large", message: "Big." }, code: "invalid_request", retryable: false },
    { error: { code: "bio_policy", message: "No." }, code: "content_filter", retryable: false },
    { error: { code: "vector_store_timeout", message: "Late." }, code: "timeout", retryable: true },
    { error: { code: "a_code_from_the_future", message: "?" }, code: "unknown", retryable: false },
  ])("with $error.code is $code", async ({ error, code, retryable }) => {
    expect(await read(CREATED, textDelta(0, "Once"), failed(error))).toMatchObject({
      content: [{ text: "Once" }],
      stopReason: "error",
      rawStopReason: "failed",
      errorMessage: error.message,
      failure: { code, retryable },
    })
  })

  test("is told in more detail by OpenRouter than by its code", async () => {
    const end = failed({ code: "server_error", message: "Busy." }, { error_type: "rate_limit_exceeded" })

    expect((await read(CREATED, textDelta(0, "Once"), end)).failure?.code).toBe("rate_limit")
  })

  test.each([
    { what: "nested", error: { type: "error", error: { code: "server_error", message: "Sorry." } } },
    { what: "flat", error: { type: "error", code: "server_error", message: "Sorry.", param: null } },
    { what: "without a type", error: { error: { type: "server_error", message: "Sorry." } } },
  ])("event, $what, is told once, with what the failed response cost", async ({ error }) => {
    const usage = { input_tokens: 9, output_tokens: 1 }
    const end = failed({ code: "server_error", message: "Sorry." }, { usage })

    expect(await read(CREATED, textDelta(0, "Once"), error, end)).toMatchObject({
      content: [{ text: "Once" }],
      errorMessage: "Sorry.",
      failure: { code: "server", retryable: true },
      usage: { totalTokens: 10 },
    })
    expect(await read(CREATED, textDelta(0, "Once"), error)).toMatchObject({
      content: [{ text: "Once" }],
      errorMessage: "Sorry.",
      failure: { code: "server" },
      usage: { totalTokens: 0 },
    })
  })

  test("that says nothing is the server's", async () => {
    expect(
      await read(CREATED, textDelta(0, "Once"), event("failed", { response: { error: null } })),
    ).toMatchObject({
      errorMessage: expect.stringContaining("did not say why"),
      failure: { code: "server", retryable: true },
    })
  })

  test("at the very beginning leaves nothing behind that would forbid another try", async () => {
    const { events } = await replayEvents("openai", [
      CREATED,
      failed({ code: "server_error", message: "No." }),
    ])

    expect(events.map(({ type }) => type)).toEqual(["error"])
  })

  test("that no other try would mend says which response failed", async () => {
    expect(await read(CREATED, failed({ code: "invalid_prompt", message: "No." }))).toMatchObject({
      responseId: "resp_1",
      responseModel: "gpt-x",
      rawStopReason: "failed",
    })
  })
})

describe("A message", () => {
  test("is a block per part of its content", async () => {
    const content = [
      { type: "output_text", text: "One", annotations: [] },
      { type: "refusal", refusal: "Not two." },
    ]

    expect(
      await contentOf(
        added(0, message("msg_1", "")),
        textDelta(0, "One"),
        event("refusal.delta", { output_index: 0, content_index: 1, delta: "Not " }),
        event("refusal.done", { output_index: 0, content_index: 1, refusal: "Not two." }),
        done(0, { ...message("msg_1", ""), content }),
      ),
    ).toEqual([
      { type: "text", text: "One" },
      { type: "text", text: "Not two." },
    ])
  })

  test.each([
    {
      where: "output_text.done",
      whole: event("output_text.done", { output_index: 0, content_index: 0, text: "Hello" }),
    },
    {
      where: "content_part.done",
      whole: event("content_part.done", {
        output_index: 0,
        content_index: 0,
        part: { type: "output_text", text: "Hello" },
      }),
    },
    { where: "output_item.done", whole: done(0, message("msg_1", "Hello")) },
  ])("gets what the pieces lacked from $where", async ({ whole }) => {
    const announced = added(0, message("msg_1", ""))

    expect(await contentOf(announced, textDelta(0, "Hel"), whole)).toEqual([{ type: "text", text: "Hello" }])
    expect(await contentOf(announced, whole)).toEqual([{ type: "text", text: "Hello" }])
    expect(await contentOf(whole)).toEqual([{ type: "text", text: "Hello" }])
  })

  test("that is repeated with other words stays as it was streamed", async () => {
    expect(
      await contentOf(added(0, message("msg_1", "")), textDelta(0, "Hi"), done(0, message("msg_1", "Hello"))),
    ).toEqual([{ type: "text", text: "Hi" }])
  })

  test.each([{ at: "added" }, { at: "done" }])(
    "keeps the phase that it has when it is $at",
    async ({ at }) => {
      const early = at === "added" ? { phase: "commentary" } : {}
      const late = at === "done" ? { phase: "commentary" } : {}
      const [text] = await contentOf(
        added(0, message("msg_1", "", early)),
        textDelta(0, "Hm"),
        done(0, message("msg_1", "Hm", late)),
      )

      expect(text).toEqual({ type: "text", text: "Hm", textSignature: '{"phase":"commentary"}' })
    },
  )

  test("that is never done still has its phase", async () => {
    expect(
      await contentOf(added(0, message("msg_1", "", { phase: "final_answer" })), textDelta(0, "Hm")),
    ).toEqual([{ type: "text", text: "Hm", textSignature: '{"phase":"final_answer"}' }])
  })

  test("keeps its citations", async () => {
    const annotation = { type: "url_citation", url: "https://example.org", title: "Example" }
    const cited = event("output_text.annotation.added", { output_index: 0, content_index: 0, annotation })

    expect(await contentOf(added(0, message("msg_1", "")), textDelta(0, "Look"), cited)).toEqual([
      { type: "text", text: "Look", textSignature: JSON.stringify({ annotations: [annotation] }) },
    ])
  })

  test("without any text is an empty block once a part was announced, and none before", async () => {
    const part = event("content_part.added", {
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "" },
    })

    expect(await contentOf(added(0, message("msg_1", "")), part)).toEqual([{ type: "text", text: "" }])
    expect(await contentOf(added(0, message("msg_1", "")))).toEqual([])
  })

  test("keeps characters whole that deltas cut in half", async () => {
    expect(await contentOf(textDelta(0, "\ud83d"), textDelta(0, "\udc4b"))).toEqual([
      { type: "text", text: "👋" },
    ])
  })
})

describe("Items", () => {
  test("may overlap, skip numbers, and never be announced", async () => {
    const { events, message: whole } = await replayEvents("openai", [
      added(0, message("msg_1", "")),
      added(4, functionCall("call_a", "read", "", { status: "in_progress" })),
      textDelta(0, "On"),
      inputDelta(4, '{"path":'),
      textDelta(0, "e"),
      inputDelta(4, '"a"}'),
      textDelta(7, "Two"),
      done(4, functionCall("call_a", "read", '{"path":"a"}')),
      done(0, message("msg_1", "One")),
      completed(),
    ])

    assertWellFormed(events)
    expect(whole.content).toEqual([
      { type: "toolCall", id: "call_a", name: "read", arguments: { path: "a" } },
      { type: "text", text: "One" },
      { type: "text", text: "Two" },
    ])
  })

  test("are told apart by their ids where they are not numbered", async () => {
    const unnumbered = (each: unknown): unknown => {
      const { output_index: _, ...rest } = each as { output_index?: number }
      return rest
    }
    expect(
      await contentOf(
        unnumbered(added(0, functionCall("call_a", "read", ""))),
        unnumbered(added(1, functionCall("call_b", "list", ""))),
        { type: "response.function_call_arguments.delta", item_id: "fc_call_a", delta: '{"a":1}' },
        { type: "response.function_call_arguments.delta", item_id: "fc_call_b", delta: "{}" },
        unnumbered(done(0, functionCall("call_a", "read", '{"a":1}'))),
      ),
    ).toMatchObject([
      { id: "call_a", arguments: { a: 1 } },
      { id: "call_b", arguments: {} },
    ])
  })

  test("are found by their ids where one event is not numbered", async () => {
    const annotation = { type: "url_citation", url: "https://example.org" }
    const content = await contentOf(
      added(0, message("msg_1", "")),
      textDelta(0, "One"),
      added(1, message("msg_2", "")),
      textDelta(1, "Two"),
      { type: "response.output_text.annotation.added", item_id: "msg_1", annotation },
    )

    expect(content).toMatchObject([{ text: "One", textSignature: expect.any(String) }, { text: "Two" }])
    expect(content[1]).not.toHaveProperty("textSignature")
  })

  test("are the last one where they are neither numbered nor named", async () => {
    expect(
      await contentOf(
        { type: "response.output_text.delta", delta: "Hel" },
        { type: "response.output_text.delta", delta: "lo" },
      ),
    ).toEqual([{ type: "text", text: "Hello" }])
  })

  test("may all have number 0, one after the other", async () => {
    expect(
      await contentOf(
        added(0, reasoning([])),
        summaryDelta("Hm."),
        done(0, reasoning(["Hm."])),
        added(0, message("msg_1", "")),
        textDelta(0, "One"),
        added(0, message("msg_2", "")),
        textDelta(0, "Two"),
        done(0, message("msg_2", "Two")),
      ),
    ).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "One" },
      { type: "text", text: "Two" },
    ])
  })

  test("say nothing more once they are done", async () => {
    expect(
      await contentOf(
        ...HELLO.slice(2, -1),
        textDelta(0, "!"),
        event("output_text.done", { output_index: 0, content_index: 0, text: "Hello!" }),
        done(0, message("msg_1", "Hello!")),
      ),
    ).toEqual([{ type: "text", text: "Hello" }])
  })

  test("may be announced twice", async () => {
    expect(
      await contentOf(
        added(0, message("msg_1", "")),
        textDelta(0, "One"),
        added(0, message("msg_1", "", { phase: "commentary" })),
        textDelta(0, " two"),
      ),
    ).toMatchObject([{ text: "One two", textSignature: '{"phase":"commentary"}' }])
  })
})

describe("Reasoning", () => {
  test("is one block of paragraphs, and goes into its signature whole", async () => {
    const whole = reasoning(["One.", "Two."], { encrypted_content: "gAAA" })

    expect(
      await contentOf(
        added(0, reasoning([], { encrypted_content: "unfinished" })),
        summaryPart(0),
        summaryDelta("One."),
        summaryPart(1),
        summaryDelta("Tw", 1),
        summaryDelta("o.", 1),
        done(0, whole),
      ),
    ).toEqual([{ type: "thinking", thinking: "One.\n\nTwo.", thinkingSignature: JSON.stringify(whole) }])
  })

  test.each([
    { what: "its end", events: [done(0, reasoning(["One.", "Two."]))] },
    {
      what: "the ends of its parts",
      events: [
        event("reasoning_summary_text.done", { output_index: 0, summary_index: 0, text: "One." }),
        event("reasoning_summary_text.done", { output_index: 0, summary_index: 1, text: "Two." }),
      ],
    },
    { what: "deltas without announcements", events: [summaryDelta("One."), summaryDelta("Two.", 1)] },
    {
      what: "a part and its end",
      events: [summaryPart(0), summaryDelta("One."), done(0, reasoning(["One.", "Two."]))],
    },
  ])("is read from $what", async ({ events }) => {
    expect(await contentOf(added(0, reasoning([])), ...events)).toMatchObject([
      { type: "thinking", thinking: "One.\n\nTwo." },
    ])
  })

  test("that can be read whole is read from its content", async () => {
    const whole = reasoning([], { content: [{ type: "reasoning_text", text: "Think." }] })
    const delta = event("reasoning_text.delta", { output_index: 0, content_index: 0, delta: "Th" })
    const end = event("reasoning_text.done", { output_index: 0, content_index: 0, text: "Think." })

    for (const events of [[delta, end], [delta, done(0, whole)], [done(0, whole)]]) {
      expect(await contentOf(added(0, reasoning([])), ...events)).toMatchObject([{ thinking: "Think." }])
    }
  })

  test("is not shown twice when it comes as a summary and in full", async () => {
    const whole = reasoning(["Short."], { content: [{ type: "reasoning_text", text: "Longer." }] })

    expect(
      await contentOf(
        summaryDelta("Short."),
        event("reasoning_text.done", { output_index: 0, content_index: 0, text: "Longer." }),
        done(0, whole),
      ),
    ).toMatchObject([{ thinking: "Short." }])
  })

  test("that cannot be read is an empty block with its proof, where it stood", async () => {
    const whole = reasoning([], { encrypted_content: "gAAA" })

    expect(
      await contentOf(added(0, reasoning([])), done(0, whole), ...HELLO.slice(2, -1).map(shift)),
    ).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: JSON.stringify(whole) },
      { type: "text", text: "Hello" },
    ])
  })

  test("of which the end never came has no signature", async () => {
    expect(
      await contentOf(added(0, reasoning([], { encrypted_content: "unfinished" })), summaryDelta("Hm")),
    ).toEqual([{ type: "thinking", thinking: "Hm" }])
  })
})

function shift(each: Readonly<Record<string, unknown>>): unknown {
  return { ...each, output_index: 1 }
}

describe("A function call", () => {
  test("is called by its call_id", async () => {
    expect(
      await contentOf(
        added(0, functionCall("call_a", "read", "", { status: "in_progress" })),
        inputDelta(0, '{"path":"a.ts"}'),
        done(0, functionCall("call_a", "read", '{"path":"a.ts"}')),
      ),
    ).toEqual([{ type: "toolCall", id: "call_a", name: "read", arguments: { path: "a.ts" } }])
  })

  test.each([
    { input: "", read: {} },
    { input: "null", read: {} },
    { input: { city: "Paris" }, read: { city: "Paris" } },
    { input: '{"city":"Paris"}', read: { city: "Paris" } },
  ])("whose arguments come whole as $input has $read", async ({ input, read: expected }) => {
    expect(await contentOf(done(0, functionCall("call_a", "weather", input)))).toEqual([
      { type: "toolCall", id: "call_a", name: "weather", arguments: expected },
    ])
  })

  test("has the arguments of its announcement where nothing else tells them", async () => {
    const announced = added(0, functionCall("call_a", "read", '{"a":1}'))

    expect(await contentOf(announced)).toMatchObject([{ arguments: { a: 1 } }])
    expect(await contentOf(announced, inputDelta(0, '{"b":2}'))).toMatchObject([{ arguments: { b: 2 } }])
  })

  test("gets the rest of its arguments from arguments.done", async () => {
    expect(
      await contentOf(
        added(0, functionCall("call_a", "read", "")),
        inputDelta(0, '{"a":'),
        event("function_call_arguments.done", { output_index: 0, arguments: '{"a":1}' }),
      ),
    ).toMatchObject([{ arguments: { a: 1 } }])
  })

  test("may get its id and name after its arguments", async () => {
    expect(await contentOf(inputDelta(0, '{"a":1}'), added(0, functionCall("call_a", "read", "")))).toEqual([
      { type: "toolCall", id: "call_a", name: "read", arguments: { a: 1 } },
    ])
    expect(
      await contentOf(inputDelta(0, '{"a":1}'), done(0, functionCall("call_a", "read", '{"a":1}'))),
    ).toEqual([{ type: "toolCall", id: "call_a", name: "read", arguments: { a: 1 } }])
  })

  test("gets an id where the vendor gave none, and another where two calls have one", async () => {
    expect(
      await contentOf(
        done(0, functionCall("", "read", "{}")),
        done(1, functionCall("call_0", "read", "{}")),
        done(2, functionCall("call_0", "read", "{}")),
      ),
    ).toMatchObject([{ id: "made-up-1" }, { id: "call_0" }, { id: "call_0_2" }])
  })

  test("that broke says so", async () => {
    expect(await contentOf(done(0, functionCall("call_a", "read", '{"a":')))).toMatchObject([
      { argumentsError: expect.any(String) },
    ])
  })

  test.each([
    { input: "", cut: true },
    { input: '{"a":', cut: true },
    { input: '{"a":1}', cut: false },
  ])("cut off with '$input' is broken: $cut", async ({ input, cut }) => {
    const call = functionCall("call_b", "read", input, { status: "incomplete" })

    for (const events of [
      [done(1, call)],
      [added(1, functionCall("call_b", "read", "")), inputDelta(1, input)],
    ]) {
      const { content, stopReason } = await read(
        CREATED,
        done(0, functionCall("call_a", "list", "")),
        ...events,
        incomplete("max_output_tokens"),
      )
      expect(stopReason).toBe("length")
      expect(content).toMatchObject([{ arguments: {} }, { id: "call_b" }])
      expect(content.map((block) => "argumentsError" in block)).toEqual([false, cut])
    }
  })

  test("keeps its namespace and its caller, and nothing else", async () => {
    const fields = { namespace: "crm", caller: { type: "program", caller_id: "call_p" } }

    expect(await contentOf(done(0, functionCall("call_a", "find", "{}", fields)))).toEqual([
      {
        type: "toolCall",
        id: "call_a",
        name: "find",
        arguments: {},
        thoughtSignature: JSON.stringify(fields),
      },
    ])
    expect(
      await contentOf(done(0, functionCall("call_a", "find", "{}", { caller: null, namespace: null }))),
    ).toEqual([{ type: "toolCall", id: "call_a", name: "find", arguments: {} }])
  })
})

describe("A custom call", () => {
  const custom = (input: string, fields: object = {}): object => ({
    id: "ctc_1",
    type: "custom_tool_call",
    call_id: "call_a",
    name: "shell",
    input,
    ...fields,
  })
  const delta = (text: string): unknown =>
    event("custom_tool_call_input.delta", { output_index: 0, delta: text })

  test("has its free text as the one argument", async () => {
    const { events, message: whole } = await replayEvents("openai", [
      added(0, custom("")),
      delta("echo "),
      delta('"hi"\n'),
      event("custom_tool_call_input.done", { output_index: 0, input: 'echo "hi"\n' }),
      done(0, custom('echo "hi"\n')),
      completed(),
    ])

    assertWellFormed(events)
    expect(whole).toMatchObject({
      content: [
        {
          type: "toolCall",
          id: "call_a",
          name: "shell",
          arguments: { input: 'echo "hi"\n' },
          thoughtSignature: '{"type":"custom_tool_call"}',
        },
      ],
      stopReason: "toolUse",
    })
  })

  test.each([
    { what: "done alone", events: [done(0, custom("ls"))] },
    { what: "pieces alone", events: [added(0, custom("")), delta("ls")] },
    { what: "pieces that were not announced", events: [delta("l"), delta("s"), done(0, custom("ls"))] },
  ])("is read from $what", async ({ events }) => {
    expect(await contentOf(...events)).toMatchObject([{ type: "toolCall", arguments: { input: "ls" } }])
  })

  test("may say nothing", async () => {
    expect(await contentOf(added(0, custom("")), done(0, custom("")))).toMatchObject([
      { name: "shell", arguments: { input: "" } },
    ])
  })

  test("that was cut off says so", async () => {
    const { content } = await read(
      CREATED,
      added(0, custom("")),
      delta("rm -r"),
      incomplete("max_output_tokens"),
    )

    expect(content).toMatchObject([{ arguments: { input: "rm -r" }, argumentsError: expect.any(String) }])
  })

  test("reads any text cut anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" }), { maxLength: 6 }), async (deltas) => {
        const content = await contentOf(
          added(0, custom("")),
          ...deltas.map(delta),
          done(0, custom(deltas.join(""))),
        )

        expect(content).toMatchObject([{ arguments: { input: deltas.join("") } }])
      }),
      { numRuns: 50 },
    )
  })
})

describe("What a tool at the vendor did", () => {
  test("is a block of the vendor's own, whole when it is done", async () => {
    const action = { type: "search", query: "weather" }
    const { events, message: whole } = await replayEvents("openai", [
      added(0, { id: "ws_1", type: "web_search_call", status: "in_progress" }),
      event("web_search_call.searching", { output_index: 0, item_id: "ws_1" }),
      done(0, { id: "ws_1", type: "web_search_call", status: "completed", action }),
      completed(),
    ])

    assertWellFormed(events)
    expect(whole.content).toEqual([
      {
        type: "opaque",
        kind: "web_search_call",
        data: { id: "ws_1", type: "web_search_call", status: "completed", action },
      },
    ])
    expect(events.map(({ type }) => type)).toEqual(["start", "opaque_start", "opaque_end", "done"])
    expect(whole.stopReason).toBe("stop")
  })

  test("is kept as it was announced where it is never done", async () => {
    expect(await contentOf(added(0, { type: "future_call", id: "x" }))).toEqual([
      { type: "opaque", kind: "future_call", data: { type: "future_call", id: "x" } },
    ])
  })
})

test("any order and number of events makes a well-formed message", async () => {
  const pool = [
    ...HELLO,
    added(0, reasoning([])),
    summaryDelta("Hm", 1),
    summaryPart(2),
    event("reasoning_text.delta", { output_index: 0, content_index: 0, delta: "T" }),
    done(0, reasoning(["A", "B"])),
    added(1, functionCall("call_a", "read", "")),
    inputDelta(1, '{"a":1'),
    inputDelta(0, "{}"),
    done(1, functionCall("call_a", "read", '{"a":1}')),
    event("custom_tool_call_input.delta", { output_index: 1, delta: "ls" }),
    done(1, { type: "custom_tool_call", call_id: "call_a", name: "x", input: "ls" }),
    done(2, { type: "web_search_call" }),
    { type: "error", message: "no" },
    incomplete("max_output_tokens"),
    { type: "response.output_text.delta", delta: "?" },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pool), { maxLength: 30 }), async (events) => {
      const replay = await replayEvents("openai", events)
      assertWellFormed(replay.events)
    }),
    { numRuns: 300 },
  )
})
