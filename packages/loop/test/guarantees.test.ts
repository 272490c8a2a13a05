/**
 * The guarantees of the loop, each with the fault injected.
 */
import { getEventListeners } from "node:events"
import { createAssistantMessageEventStream, emptyAssistantMessage } from "@heddle/stream"
import type {
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  StreamFn,
} from "@heddle/types"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { agentLoop, runAgentLoop } from "../src/index.ts"
import {
  call,
  context,
  deaf,
  label,
  lastAssistant,
  MODEL,
  type Reply,
  resultsOf,
  run,
  say,
  scripted,
  stall,
  textOf,
  tool,
  user,
} from "./support.ts"

const never = () => new Promise<never>(() => {})
const boom = () => {
  throw new Error("boom")
}
const reject = () => Promise.reject(new Error("boom"))

/** Every rejection that nobody handled, over the whole file. */
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => unhandled.push(reason)

beforeEach(() => {
  vi.useFakeTimers()
  process.on("unhandledRejection", onUnhandled)
})

afterEach(async () => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  await new Promise((resolve) => setTimeout(resolve, 0))
  process.off("unhandledRejection", onUnhandled)
  expect(unhandled.splice(0)).toEqual([])
})

/** Lets fake time pass until the run has settled. */
async function settle<T>(running: Promise<T>, ms = 10_000): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms)
  return running
}

/** `agent_end` comes once and last, and starts and ends pair. */
function expectPaired(labels: readonly string[]): void {
  expect(labels.filter((text) => text.startsWith("agent_end"))).toHaveLength(1)
  expect(labels.at(-1)).toMatch(/^agent_end/)
  const count = (start: string) => labels.filter((text) => text.startsWith(start)).length
  expect(count("turn_start")).toBe(count("turn_end"))
  expect(count("message_start")).toBe(count("message_end"))
  expect(count("tool_execution_start")).toBe(count("tool_execution_end"))
}

const partial = (text: string): AssistantMessage => ({
  ...emptyAssistantMessage(MODEL, 0),
  content: [{ type: "text", text }],
})
const started: AssistantMessageEvent[] = [
  { type: "start", partial: emptyAssistantMessage(MODEL, 0) },
  { type: "text_start", contentIndex: 0, partial: partial("") },
  { type: "text_delta", contentIndex: 0, delta: "half", partial: partial("half") },
]

function streamOf(iterate: () => AsyncIterator<AssistantMessageEvent>): AssistantMessageEventStream {
  return { [Symbol.asyncIterator]: iterate, result: never }
}

describe("a run always ends", () => {
  test.each<{ fault: string; streamFn: StreamFn; says: string; keeps: boolean }>([
    { fault: "a StreamFn that throws", streamFn: boom, says: "streamFn failed: boom", keeps: false },
    { fault: "a StreamFn that rejects", streamFn: reject, says: "streamFn failed: boom", keeps: false },
    {
      fault: "a StreamFn that returns no stream",
      streamFn: (() => undefined) as unknown as StreamFn,
      says: "streamFn returned no stream",
      keeps: false,
    },
    {
      fault: "a StreamFn that returns something else",
      streamFn: (() => Promise.resolve({ iterator: 1 })) as unknown as StreamFn,
      says: "streamFn returned no stream",
      keeps: false,
    },
    {
      fault: "a stream that cannot be read",
      streamFn: () => streamOf(boom),
      says: "The stream could not be read: boom",
      keeps: false,
    },
    {
      fault: "a stream whose iterator throws",
      streamFn: () =>
        streamOf(async function* () {
          yield* started
          throw new Error("boom")
        }),
      says: "The stream failed: boom",
      keeps: true,
    },
    {
      fault: "a stream whose next throws at once",
      streamFn: () => streamOf(() => ({ next: boom })),
      says: "The stream failed: boom",
      keeps: false,
    },
    {
      fault: "a stream that ends without a terminal event",
      streamFn: () =>
        streamOf(async function* () {
          yield* started
        }),
      says: "The stream ended without a done or error event",
      keeps: true,
    },
    {
      fault: "a terminal event without a message",
      streamFn: () =>
        streamOf(async function* () {
          yield* started
          yield { type: "done", reason: "stop" } as unknown as AssistantMessageEvent
        }),
      says: "The stream's done event had no message",
      keeps: true,
    },
  ])("on $fault, with a protocol error", async ({ streamFn, says, keeps }) => {
    const { labels, messages } = await settle(run(streamFn))

    expectPaired(labels)
    expect(labels.at(-1)).toBe("agent_end error")
    expect(lastAssistant(messages)).toMatchObject({
      stopReason: "error",
      errorMessage: says,
      failure: { code: "protocol" },
      content: keeps ? [{ type: "text", text: "half" }] : [],
    })
  })

  test("on a failure that the StreamFn classified, as it is", async () => {
    const { messages, labels } = await settle(
      run([(builder) => builder.fail({ code: "overloaded", retryable: true, status: 529 }, "busy")]),
    )

    expect(labels.at(-1)).toBe("agent_end error")
    expect(lastAssistant(messages)).toMatchObject({
      errorMessage: "busy",
      failure: { code: "overloaded", retryable: true, status: 529 },
    })
  })

  test("and supplies a start that is missing", async () => {
    const { labels } = await settle(
      run(() =>
        streamOf(async function* () {
          yield* started.slice(1)
          yield { type: "done", reason: "stop", message: partial("half") }
        }),
      ),
    )

    expect(labels.slice(4)).toEqual([
      "message_start assistant",
      "text_start",
      "text_delta",
      "message_end assistant",
      "turn_end stop []",
      "agent_end completed",
    ])
  })

  test("and ignores what comes after the terminal event, unknown events and second starts", async () => {
    const { labels } = await settle(
      run(() => {
        const stream = createAssistantMessageEventStream()
        const odd = [null, { type: "hologram" }, 7] as unknown as AssistantMessageEvent[]
        const events: AssistantMessageEvent[] = [
          ...odd,
          ...started,
          ...started.slice(0, 1),
          { type: "done", reason: "stop", message: partial("half") },
          ...started,
        ]
        return streamOf(async function* () {
          yield* events
          stream.end()
        })
      }),
    )

    expect(labels.slice(4)).toEqual([
      "message_start assistant",
      "text_start",
      "text_delta",
      "message_end assistant",
      "turn_end stop []",
      "agent_end completed",
    ])
  })

  test("and never waits for a stream's result", async () => {
    const { labels } = await settle(
      run(() =>
        streamOf(async function* () {
          yield { type: "done", reason: "stop", message: partial("x") }
          await never()
        }),
      ),
    )

    expect(labels.at(-1)).toBe("agent_end completed")
  })

  describe.each([
    { how: "throws", fail: boom },
    { how: "rejects", fail: reject },
  ])("when a hook $how", ({ fail }) => {
    test.each(["transformContext", "convertToLlm", "getApiKey", "getSteeringMessages"] as const)(
      "%s ends the run in its open turn",
      async (hook) => {
        const { labels, messages, requests } = await settle(run([say("x")], { [hook]: fail }))

        expectPaired(labels)
        expect(labels.slice(4)).toEqual([
          "message_start assistant",
          "message_end assistant",
          "turn_end error []",
          "agent_end error",
        ])
        expect(lastAssistant(messages)).toMatchObject({
          stopReason: "error",
          errorMessage: `${hook} failed: boom`,
        })
        expect(requests).toHaveLength(0)
      },
    )

    test.each(["shouldStopAfterTurn", "getFollowUpMessages"] as const)(
      "%s ends the run in a turn opened for the message",
      async (hook) => {
        const { labels, messages } = await settle(run([say("x")], { [hook]: fail }))

        expectPaired(labels)
        expect(labels.slice(labels.indexOf("turn_end stop []"))).toEqual([
          "turn_end stop []",
          "turn_start",
          "message_start assistant",
          "message_end assistant",
          "turn_end error []",
          "agent_end error",
        ])
        expect(lastAssistant(messages).errorMessage).toBe(`${hook} failed: boom`)
      },
    )

    test("prepareNextTurn ends the run in a turn opened for the message", async () => {
      const { labels, messages } = await settle(
        run([call("a:read"), say("x")], { prepareNextTurn: fail }, { tools: [tool("read")] }),
      )

      expectPaired(labels)
      expect(labels.slice(-6)).toEqual([
        "turn_end toolUse [a]",
        "turn_start",
        "message_start assistant",
        "message_end assistant",
        "turn_end error []",
        "agent_end error",
      ])
      expect(lastAssistant(messages).errorMessage).toBe("prepareNextTurn failed: boom")
    })

    test.each(["beforeToolCall", "afterToolCall"] as const)(
      "%s costs one call, not the run",
      async (hook) => {
        const { labels, messages } = await settle(
          run([call("a:read"), say("x")], { [hook]: fail }, { tools: [tool("read")] }),
        )

        expectPaired(labels)
        expect(labels.at(-1)).toBe("agent_end completed")
        expect(resultsOf(messages)).toMatchObject([{ isError: true }])
        expect(textOf(resultsOf(messages)[0])).toContain("boom")
      },
    )

    test.each<AgentEvent["type"]>([
      "agent_start",
      "turn_start",
      "message_start",
      "message_update",
      "message_end",
      "tool_execution_start",
      "tool_execution_end",
      "turn_end",
    ])("emit closes what is open when it fails on the first %s, and the run rejects", async (type) => {
      let failed = false
      let executed = 0
      const { labels, error, requests } = await settle(
        run(
          [call("a:read", "b:read"), say("x")],
          {},
          {
            tools: [tool("read", () => (executed++, { content: [], details: {} }))],
            emit: (event) => {
              if (event.type !== type || failed) return undefined
              failed = true
              return fail()
            },
          },
        ),
      )

      expectPaired(labels)
      expect(labels.at(-1)).toBe("agent_end error")
      expect(error).toMatchObject({ message: "boom" })
      const opened = ["tool_execution_start", "tool_execution_end", "turn_end"].includes(type)
      expect(requests).toHaveLength(
        ["agent_start", "turn_start"].includes(type) || type.startsWith("message_s") || type === "message_end"
          ? 0
          : 1,
      )
      if (type === "message_update") expect(labels).toContain("turn_end error []")
      if (opened) expect(labels).toContain("turn_end toolUse [a,b]")
      if (type === "tool_execution_start") expect(executed).toBe(0)
    })
  })

  test("when emit fails on every event, with the first failure", async () => {
    let count = 0
    const { error, labels } = await settle(
      run([say("x")], {}, { emit: () => Promise.reject(new Error(`failure ${++count}`)) }),
    )

    expectPaired(labels)
    expect(error).toMatchObject({ message: "failure 1" })
  })

  test.each([
    { thrown: "a string", value: "boom", says: "boom" },
    { thrown: "nothing", value: undefined, says: "undefined" },
    { thrown: "what cannot be a string", value: Object.create(null), says: "an error without a message" },
  ])("when $thrown is thrown by a hook, a stream or emit", async ({ value, says }) => {
    const toss = () => {
      throw value
    }
    const hook = await settle(run([say("x")], { transformContext: toss }))
    const streamFn = await settle(run(toss))
    const emit = await settle(run([say("x")], {}, { emit: toss }))

    for (const { labels } of [hook, streamFn, emit]) expectPaired(labels)
    expect(lastAssistant(hook.messages).errorMessage).toBe(`transformContext failed: ${says}`)
    expect(lastAssistant(streamFn.messages).errorMessage).toMatch(/^streamFn failed/)
    expect(emit.error).toBe(value)
  })

  test.each([
    { how: "with calls", replies: [call("a:read"), say("x")], config: {}, reason: "completed" },
    { how: "that fails", replies: [say("x")], config: { transformContext: boom }, reason: "error" },
  ])("when the clock throws in a run $how", async ({ replies, config, reason }) => {
    const { labels, messages, error } = await settle(
      run(replies, { ...config, now: boom }, { tools: [tool("read")] }),
    )

    expectPaired(labels)
    expect(labels.at(-1)).toBe(`agent_end ${reason}`)
    expect(error).toBeUndefined()
    for (const { timestamp } of [lastAssistant(messages), ...resultsOf(messages)])
      expect(timestamp).toEqual(expect.any(Number))
  })

  test("when a tool's parameters are no schema, and names the tool", async () => {
    const tools = [tool("read"), tool("broken", undefined, { parameters: undefined as never })]
    const { labels, messages } = await settle(run([say("x")], {}, { tools }))

    expectPaired(labels)
    expect(lastAssistant(messages).errorMessage).toMatch(
      /^Tool broken cannot be shown to the model: The parameters are no schema/,
    )
  })

  test("with the words of an error of another realm", async () => {
    const foreign = Object.assign(Object.create(null), { name: "Error", message: "boom" })
    const { messages } = await settle(run([say("x")], { transformContext: () => Promise.reject(foreign) }))

    expect(lastAssistant(messages).errorMessage).toBe("transformContext failed: boom")
  })

  test("when a hook gives a thenable of its own", async () => {
    // biome-ignore lint/suspicious/noThenProperty: that is the point
    const thenable = { then: (resolve: (key: string) => void) => resolve("fresh") }
    const { requests } = await settle(
      run([say("x")], { getApiKey: (() => thenable) as unknown as () => string }),
    )

    expect(requests[0]?.options.apiKey).toBe("fresh")
  })

  test.each(["transformContext", "convertToLlm", "getSteeringMessages", "getFollowUpMessages"] as const)(
    "when %s returns no messages at all",
    async (hook) => {
      const { labels, messages } = await settle(
        run([say("x")], { [hook]: () => "nonsense" } as unknown as Partial<AgentLoopConfig>),
      )

      expectPaired(labels)
      expect(lastAssistant(messages).errorMessage).toBe(`${hook} failed: it returned no array`)
    },
  )
})

describe("abort is a race", () => {
  const aborted = (reason = "enough") => ({
    stopReason: "aborted",
    errorMessage: reason,
    failure: { code: "aborted", retryable: false },
  })

  /** A run whose signal fires at the event with this label, or when the test says so. */
  function runAborted(
    at: string | undefined,
    replies: Reply[] | StreamFn,
    config: Partial<AgentLoopConfig> = {},
    tools = [tool("read")],
  ) {
    const controller = new AbortController()
    const running = run(replies, config, {
      tools,
      signal: controller.signal,
      emit: (event) => {
        if (label(event) === at) controller.abort("enough")
      },
    })
    return { controller, running }
  }

  test("that is already lost at the start: the prompts, an aborted message, no request", async () => {
    const { running, controller } = runAborted("agent_start", [say("x")])
    const { labels, messages, requests } = await settle(running)

    expect(controller.signal.aborted).toBe(true)
    expect(labels).toEqual([
      "agent_start",
      "turn_start",
      "message_start user(go)",
      "message_end user(go)",
      "message_start assistant",
      "message_end assistant",
      "turn_end aborted []",
      "agent_end aborted",
    ])
    expect(messages?.at(-1)).toMatchObject({ ...aborted(), content: [] })
    expect(requests).toHaveLength(0)
  })

  test.each(["config.signal", "the argument"])("whichever signal fires: %s", async (which) => {
    const { labels } = await settle(
      run(
        [say("x")],
        which === "config.signal" ? { signal: AbortSignal.abort("enough") } : {},
        which === "the argument" ? { signal: AbortSignal.abort("enough") } : {},
      ),
    )

    expect(labels.at(-1)).toBe("agent_end aborted")
  })

  test.each(["transformContext", "convertToLlm", "getApiKey", "getSteeringMessages"] as const)(
    "against a %s that never settles",
    async (hook) => {
      const { running, controller } = runAborted(undefined, [say("x")], { [hook]: never })
      await vi.advanceTimersByTimeAsync(100)
      controller.abort("enough")
      await vi.advanceTimersByTimeAsync(500)
      const { labels, messages, requests } = await running

      expect(labels.slice(4)).toEqual([
        "message_start assistant",
        "message_end assistant",
        "turn_end aborted []",
        "agent_end aborted",
      ])
      expect(lastAssistant(messages)).toMatchObject(aborted())
      expect(requests).toHaveLength(0)
    },
  )

  test.each(["shouldStopAfterTurn", "prepareNextTurn", "getFollowUpMessages"] as const)(
    "against a %s that never settles between turns: straight to the end",
    async (hook) => {
      const replies = hook === "getFollowUpMessages" ? [say("x")] : [call("a:read"), say("x")]
      const { running, controller } = runAborted(undefined, replies, { [hook]: never })
      await vi.advanceTimersByTimeAsync(100)
      controller.abort("enough")
      const { labels } = await settle(running)

      expectPaired(labels)
      expect(labels.at(-2)).toMatch(/^turn_end (stop|toolUse)/)
      expect(labels.at(-1)).toBe("agent_end aborted")
    },
  )

  test("against a hook that rejects because it was told to stop: aborted, not failed", async () => {
    const { running, controller } = runAborted(undefined, [say("x")], {
      transformContext: (_messages, signal) =>
        new Promise((_, fail) => signal?.addEventListener("abort", () => fail(new Error("told to stop")))),
    })
    await vi.advanceTimersByTimeAsync(1)
    controller.abort("enough")
    const { messages } = await settle(running)

    expect(lastAssistant(messages)).toMatchObject(aborted())
  })

  test("also for a reason that cannot be read", async () => {
    const controller = new AbortController()
    const breaksOnAbort: StreamFn = (_model, _context, options) =>
      streamOf(async function* () {
        yield* started
        await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve))
        throw new Error("connection closed")
      })
    const running = run(breaksOnAbort, {}, { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(1)

    controller.abort(new Proxy(new Error(), { get: boom }))
    const { labels, messages } = await settle(running)

    expectPaired(labels)
    expect(lastAssistant(messages)).toMatchObject({
      stopReason: "aborted",
      errorMessage: "The request was aborted",
      content: [{ text: "half" }],
    })
  })

  test("against a streamFn that never gives a stream", async () => {
    const { running, controller } = runAborted(undefined, never)
    await vi.advanceTimersByTimeAsync(100)
    controller.abort(new Error("enough"))
    await vi.advanceTimersByTimeAsync(499)
    const settled = vi.fn()
    void running.then(settled)
    await vi.advanceTimersByTimeAsync(0)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)

    const { labels, messages } = await running
    expectPaired(labels)
    expect(lastAssistant(messages)).toMatchObject({ ...aborted(), content: [] })
  })

  test("that a stream which listens ends at once, keeping what it had", async () => {
    const { running } = runAborted("text_delta", [stall])
    const { labels, messages } = await running

    expect(labels.slice(-4)).toEqual([
      "text_end",
      "message_end assistant",
      "turn_end aborted []",
      "agent_end aborted",
    ])
    expect(lastAssistant(messages)).toMatchObject({ ...aborted(), content: [{ text: "half" }] })
  })

  test("that a deaf stream loses after the grace, and its content and usage are kept", async () => {
    const { running } = runAborted("text_delta", [deaf], { abortGraceMs: 200 })
    await vi.advanceTimersByTimeAsync(200)
    const { labels, messages } = await running

    expectPaired(labels)
    expect(lastAssistant(messages)).toMatchObject({
      ...aborted(),
      content: [{ text: "half" }],
      usage: { input: 7 },
    })
  })

  test("in which what a stream finishes within the grace counts, and its calls do not run", async () => {
    let executed = 0
    const { running } = runAborted(
      "toolcall_start",
      [
        (builder) => {
          builder.toolCall(0, { id: "a", name: "read" })
          setTimeout(() => builder.done("toolUse"), 100)
        },
      ],
      {},
      [tool("read", () => (executed++, { content: [], details: {} }))],
    )
    const { labels, messages } = await settle(running)

    expect(executed).toBe(0)
    expect(labels.slice(-5)).toEqual([
      "message_end assistant",
      "message_start result(a)",
      "message_end result(a)",
      "turn_end toolUse [a]",
      "agent_end aborted",
    ])
    expect(textOf(resultsOf(messages)[0])).toBe("Tool call aborted")
  })

  test("in which the late output of a stream that was left behind is dropped", async () => {
    const { running } = runAborted("text_delta", [
      (builder) => {
        builder.text(0, "half")
        setTimeout(() => builder.text(0, " late"), 5000)
      },
    ])
    const { labels, messages } = await settle(running)
    const count = labels.length
    await vi.advanceTimersByTimeAsync(10_000)

    expect(labels).toHaveLength(count)
    expect(lastAssistant(messages).content).toEqual([{ type: "text", text: "half" }])
  })

  test("that turns the breaking of a foreign stream into an abort, not a protocol error", async () => {
    const controller = new AbortController()
    const running = run(
      (_model, _context, options) =>
        streamOf(async function* () {
          yield* started
          await new Promise((_, fail) =>
            options?.signal?.addEventListener("abort", () => fail(new Error("socket"))),
          )
        }),
      {},
      { signal: controller.signal },
    )
    await vi.advanceTimersByTimeAsync(1)
    controller.abort("enough")
    const { messages } = await settle(running)

    expect(lastAssistant(messages)).toMatchObject({ ...aborted(), content: [{ text: "half" }] })
  })

  test("while tools run: what settles in the grace keeps its result, what does not gets one", async () => {
    const { running } = runAborted("tool_execution_start c", [call("a:quick", "b:polite", "c:deaf")], {}, [
      tool("quick"),
      tool(
        "polite",
        (_id, _args, signal) =>
          new Promise((resolve) =>
            signal?.addEventListener("abort", () =>
              setTimeout(resolve, 100, { content: [{ type: "text", text: "wrapped up" }], details: {} }),
            ),
          ),
      ),
      tool("deaf", never),
    ])
    const { labels, messages } = await settle(running)

    expectPaired(labels)
    expect(labels.slice(-2)).toEqual(["turn_end toolUse [a,b,c]", "agent_end aborted"])
    expect(resultsOf(messages).every(({ isError }) => isError)).toBe(true)
  })

  test("between sequential tools: the next one never starts and gets a result", async () => {
    let executed = 0
    const { running } = runAborted(
      "message_end result(a)",
      [call("a:read", "b:read")],
      { toolExecution: "sequential" },
      [tool("read", () => (executed++, { content: [], details: {} }))],
    )
    const { labels, messages } = await settle(running)

    expect(executed).toBe(1)
    expect(labels.filter((text) => text.startsWith("tool_execution_start"))).toHaveLength(1)
    expect(resultsOf(messages)).toMatchObject([
      { toolCallId: "a", isError: false },
      { toolCallId: "b", isError: true },
    ])
  })

  test("after a turn: no hook is asked, straight to the end", async () => {
    const asked: string[] = []
    const ask = (hook: string) => () => void asked.push(hook)
    const { running } = runAborted("turn_end toolUse [a]", [call("a:read")], {
      shouldStopAfterTurn: ask("shouldStopAfterTurn") as unknown as () => boolean,
      prepareNextTurn: ask("prepareNextTurn"),
      getFollowUpMessages: ask("getFollowUpMessages") as unknown as () => AgentMessage[],
    })
    const { labels } = await settle(running)

    expect(asked).toEqual([])
    expect(labels.at(-1)).toBe("agent_end aborted")
  })

  test("between drain and delivery: queued messages are not delivered", async () => {
    const controller = new AbortController()
    let polls = 0
    const { labels, messages } = await settle(
      run(
        [say("x"), say("y")],
        {
          getSteeringMessages: () => {
            if (++polls < 2) return []
            controller.abort("enough")
            return [user("queued")]
          },
        },
        { signal: controller.signal },
      ),
    )

    expect(labels.at(-1)).toBe("agent_end aborted")
    expect(messages).toHaveLength(2)
  })

  test("when the reader of agentLoop leaves early", async () => {
    const { streamFn, requests } = scripted(stall)
    const stream = agentLoop([user("go")], context(), { model: MODEL, streamFn })
    for await (const event of stream) if (event.type === "message_update") break
    await vi.advanceTimersByTimeAsync(1)

    const messages = await stream.result()
    expect(requests[0]?.options.signal?.aborted).toBe(true)
    expect(lastAssistant(messages)).toMatchObject({
      stopReason: "aborted",
      errorMessage: "The reader left the run",
    })
  })
})

describe("snapshots", () => {
  /** One message, mutated in place for every event: what many producers do. */
  function mutating(deltas: readonly string[]): StreamFn {
    return () =>
      streamOf(async function* () {
        const block = { type: "text" as const, text: "" }
        const call = {
          type: "toolCall" as const,
          id: "a",
          name: "read",
          arguments: {} as Record<string, unknown>,
        }
        const empty = emptyAssistantMessage(MODEL, 0)
        const usage = { ...empty.usage, cost: { ...empty.usage.cost } }
        const message = {
          ...empty,
          usage,
          content: [block, call] as AssistantMessage["content"],
        }
        yield { type: "start", partial: message }
        for (const delta of deltas) {
          block.text += delta
          usage.output++
          usage.cost.total++
          yield { type: "text_delta", contentIndex: 0, delta, partial: message }
          call.arguments[delta] = { nested: [delta] }
          yield { type: "toolcall_delta", contentIndex: 1, delta, partial: message }
        }
        yield { type: "toolcall_end", contentIndex: 1, toolCall: call, partial: message }
        yield { type: "done", reason: "stop", message }
        block.text = "changed afterwards"
        call.arguments.late = true
        usage.output = -1
        usage.cost.total = -1
      })
  }

  test("never change after delivery, though a foreign stream writes into its message", async () => {
    const delivered: [AgentEvent, AgentEvent][] = []
    const { messages } = await settle(
      run(
        mutating(["a", "b", "c"]),
        { shouldStopAfterTurn: () => true },
        {
          tools: [tool("read")],
          emit: (event) => void delivered.push([event, structuredClone(event)]),
        },
      ),
    )

    for (const [event, clone] of delivered) expect(event).toEqual(clone)
    const texts = delivered.flatMap(([event]) =>
      event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"
        ? [event.message.content[0]]
        : [],
    )
    expect(texts).toMatchObject([{ text: "a" }, { text: "ab" }, { text: "abc" }])
    expect(lastAssistant(messages).content).toMatchObject([
      { text: "abc" },
      { arguments: { a: { nested: ["a"] }, b: { nested: ["b"] }, c: { nested: ["c"] } } },
    ])
    expect(lastAssistant(messages).content[1]).not.toHaveProperty("arguments.late")
    expect(lastAssistant(messages).usage).toMatchObject({ output: 3, cost: { total: 3 } })
  })

  test("are one and the same in message and assistantMessageEvent, and keep unchanged blocks", async () => {
    for (const source of [mutating(["a", "b"]), scripted(call("x:read"), say("y")).streamFn]) {
      const updates: Extract<AgentEvent, { type: "message_update" }>[] = []
      await settle(
        run(
          source,
          { shouldStopAfterTurn: () => true },
          {
            tools: [tool("read")],
            emit: (event) => void (event.type === "message_update" && updates.push(event)),
          },
        ),
      )

      for (const { message, assistantMessageEvent } of updates)
        expect(message).toBe(assistantMessageEvent.partial)
    }
    const foreign: AssistantMessage[] = []
    await settle(
      run(
        mutating(["a"]),
        { shouldStopAfterTurn: () => true },
        {
          tools: [tool("read")],
          emit: (event) => void (event.type === "message_update" && foreign.push(event.message)),
        },
      ),
    )
    expect(foreign[1]?.content[0]).toBe(foreign[0]?.content[0])
  })

  test("of the message builder pass uncopied", async () => {
    const source: AssistantMessageEvent[] = []
    const { events } = await settle(
      run([
        (builder) => {
          const push = builder.stream.push.bind(builder.stream)
          builder.stream.push = (event) => {
            source.push(event)
            push(event)
          }
          say("x")(builder, {})
        },
      ]),
    )

    const updates = events.flatMap((event) =>
      event.type === "message_update" ? [event.assistantMessageEvent] : [],
    )
    expect(updates).toHaveLength(3)
    for (const update of updates) expect(source).toContain(update)
  })

  test.each([
    { promise: true, copied: false },
    { promise: false, copied: true },
    { promise: undefined, copied: true },
  ])("are taken as they come where a wrapper says snapshots: $promise, else copied", async (given) => {
    const { streamFn } = scripted(say("x"))
    const source = new Set<AssistantMessage>()
    const wrapped: StreamFn = async (...request) => {
      const stream = await streamFn(...request)
      const events = async function* () {
        for await (const event of stream) {
          if ("partial" in event) source.add(event.partial)
          yield event
        }
      }
      return Object.assign(streamOf(events), { snapshots: given.promise })
    }

    const { events } = await settle(run(wrapped))

    const shown = events.flatMap((event) => (event.type === "message_update" ? [event.message] : []))
    expect(shown).toHaveLength(3)
    for (const message of shown) expect(source.has(message)).toBe(!given.copied)
  })
})

describe("timeouts", () => {
  test("end a stream that gives no first event, and abort it", async () => {
    const { streamFn, requests } = scripted(() => {})
    const running = run(streamFn, { firstEventTimeoutMs: 1000 })
    await vi.advanceTimersByTimeAsync(1000)
    const { labels, messages } = await running

    expectPaired(labels)
    expect(labels.at(-1)).toBe("agent_end error")
    expect(lastAssistant(messages)).toMatchObject({
      stopReason: "error",
      errorMessage: "The model gave no event for 1000 ms",
      failure: { code: "timeout", retryable: true },
    })
    expect(requests[0]?.options.signal?.aborted).toBe(true)
  })

  test("end a StreamFn that never gives a stream", async () => {
    const { messages } = await settle(run(never, { firstEventTimeoutMs: 1000 }))

    expect(lastAssistant(messages)).toMatchObject({ failure: { code: "timeout" } })
  })

  test("end a stream that falls silent, and keep its content", async () => {
    const running = run([deaf], { firstEventTimeoutMs: 5000, streamIdleTimeoutMs: 1000 })
    await vi.advanceTimersByTimeAsync(1000)
    const { messages } = await running

    expect(lastAssistant(messages)).toMatchObject({
      errorMessage: "The model was silent for 1000 ms",
      failure: { code: "timeout" },
      content: [{ text: "half" }],
      usage: { input: 7 },
    })
  })

  test("do not end a stream that goes on in time, nor count how slow a listener is", async () => {
    const drip: Reply = (builder) => {
      let left = 5
      const timer = setInterval(() => {
        builder.text(0, ".")
        if (--left === 0) {
          clearInterval(timer)
          builder.done("stop")
        }
      }, 900)
    }
    const { labels } = await settle(
      run(
        [drip],
        { firstEventTimeoutMs: 1000, streamIdleTimeoutMs: 1000 },
        {
          emit: (event) =>
            event.type === "message_update" ? new Promise((resolve) => setTimeout(resolve, 3000)) : undefined,
        },
      ),
      60_000,
    )

    expect(labels.at(-1)).toBe("agent_end completed")
  })

  test.each([undefined, 0, 2 ** 31, Number.POSITIVE_INFINITY])("are off at %s ms", async (ms) => {
    const controller = new AbortController()
    const timeouts = { firstEventTimeoutMs: ms, streamIdleTimeoutMs: ms }
    const running = run([deaf], timeouts, { signal: controller.signal })
    const settled = vi.fn()
    void running.then(settled)
    await vi.advanceTimersByTimeAsync(3_600_000)

    expect(settled).not.toHaveBeenCalled()
    controller.abort()
    await settle(running)
  })
})

describe("emit", () => {
  test("is never called while an earlier call is pending", async () => {
    let pending = 0
    let most = 0
    const { labels } = await settle(
      run(
        [call("a:read", "b:read"), say("x")],
        {},
        {
          tools: [
            tool("read", (_id, _args, _signal, onUpdate) => {
              onUpdate?.({ content: [], details: {} })
              onUpdate?.({ content: [], details: {} })
              return { content: [], details: {} }
            }),
          ],
          emit: async () => {
            most = Math.max(most, ++pending)
            await new Promise((resolve) => setTimeout(resolve, 5))
            pending--
          },
        },
      ),
    )

    expect(most).toBe(1)
    expectPaired(labels)
    expect(labels.filter((text) => text.startsWith("tool_execution_update"))).toHaveLength(4)
  })

  test("is awaited before the next step", async () => {
    const log: string[] = []
    const { streamFn } = scripted(say("x"))
    await settle(
      runAgentLoop(
        [user("go")],
        context(),
        { model: MODEL, streamFn: (...request) => (log.push("request"), streamFn(...request)) },
        async (event) => {
          await new Promise((resolve) => setTimeout(resolve, 5))
          log.push(label(event))
        },
      ),
    )

    expect(log.indexOf("request")).toBe(log.indexOf("message_end user(go)") + 1)
  })
})

describe("a run leaves nothing behind", () => {
  test.each<{ how: string; replies: Reply[]; config?: Partial<AgentLoopConfig> }>([
    { how: "completes", replies: [call("a:read"), say("x")] },
    { how: "fails", replies: [(builder) => builder.fail({ code: "server", retryable: true }, "no")] },
    { how: "times out", replies: [deaf], config: { streamIdleTimeoutMs: 10, firstEventTimeoutMs: 10 } },
  ])("when it $how: no listener on the caller's signals, no timer", async ({ replies, config }) => {
    const [argument, configured] = [new AbortController(), new AbortController()]
    await settle(
      run(
        replies,
        { ...config, signal: configured.signal },
        { signal: argument.signal, tools: [tool("read")] },
      ),
    )

    expect(getEventListeners(argument.signal, "abort")).toHaveLength(0)
    expect(getEventListeners(configured.signal, "abort")).toHaveLength(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})
