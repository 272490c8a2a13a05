/**
 * The event sequences of runs that go well: each list is the whole run.
 */
import type { AgentLoopConfig, AgentMessage } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { agentLoop, agentLoopContinue, runAgentLoop } from "../src/index.ts"
import { call, context, label, MODEL, run, say, scripted, textOf, tool, user } from "./support.ts"

const ANSWER = ["message_start assistant", "text_start", "text_delta", "text_end", "message_end assistant"]
const PROMPT = ["message_start user(go)", "message_end user(go)"]
const callEvents = (count: number) => [
  "message_start assistant",
  ...Array.from({ length: count }, () => ["toolcall_start", "toolcall_end"]).flat(),
  "message_end assistant",
]
const result = (id: string) => [`message_start result(${id})`, `message_end result(${id})`]
const queued = (text: string) => [`message_start user(${text})`, `message_end user(${text})`]

/** A queue that gives one list a poll, and then nothing. */
function queue(...polls: string[][]) {
  let poll = 0
  return () => (polls[poll++] ?? []).map(user)
}

describe("a run", () => {
  test("of a plain prompt is one turn", async () => {
    const { labels, messages } = await run([say("Hello")])

    expect(labels).toEqual([
      "agent_start",
      "turn_start",
      ...PROMPT,
      ...ANSWER,
      "turn_end stop []",
      "agent_end completed",
    ])
    expect(messages).toMatchObject([{ role: "user" }, { role: "assistant", content: [{ text: "Hello" }] }])
  })

  test("with a tool call is two turns", async () => {
    const { labels, messages } = await run([call("a:read"), say("Done")], {}, { tools: [tool("read")] })

    expect(labels).toEqual([
      "agent_start",
      "turn_start",
      ...PROMPT,
      ...callEvents(1),
      "tool_execution_start a",
      "tool_execution_end a",
      ...result("a"),
      "turn_end toolUse [a]",
      "turn_start",
      ...ANSWER,
      "turn_end stop []",
      "agent_end completed",
    ])
    expect(messages?.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"])
  })

  test("ends each parallel call in source order, or as it completes where that is asked for", async () => {
    const slow = () => {
      let finish = () => {}
      const gate = new Promise<void>((resolve) => (finish = resolve))
      const done = () => ({ content: [], details: {} })
      return [tool("slow", () => gate.then(done)), tool("fast", () => (queueMicrotask(finish), done()))]
    }
    const calls = call("a:slow", "b:fast")

    const source = await run([calls, say("x")], {}, { tools: slow() })
    const completion = await run([calls, say("x")], { toolEndOrder: "completion" }, { tools: slow() })

    const tools = (labels: string[]) => labels.filter((text) => /tool_execution|result/.test(text))
    expect(tools(source.labels)).toEqual([
      "tool_execution_start a",
      "tool_execution_start b",
      "tool_execution_end a",
      ...result("a"),
      "tool_execution_end b",
      ...result("b"),
    ])
    expect(tools(completion.labels)).toEqual([
      "tool_execution_start a",
      "tool_execution_start b",
      "tool_execution_end b",
      "tool_execution_end a",
      ...result("a"),
      ...result("b"),
    ])
  })

  test("finishes one sequential call before the next one starts", async () => {
    const { labels } = await run(
      [call("a:read", "b:read"), say("x")],
      { toolExecution: "sequential" },
      { tools: [tool("read")] },
    )

    expect(labels.filter((text) => /tool_execution|result/.test(text))).toEqual([
      "tool_execution_start a",
      "tool_execution_end a",
      ...result("a"),
      "tool_execution_start b",
      "tool_execution_end b",
      ...result("b"),
    ])
  })

  test("delivers steering messages at the next turn boundary, after the tool calls already asked for", async () => {
    const { labels, requests } = await run(
      [call("a:read"), say("x")],
      { getSteeringMessages: queue([], ["wait"]) },
      { tools: [tool("read")] },
    )

    expect(labels.slice(labels.indexOf("turn_end toolUse [a]"))).toEqual([
      "turn_end toolUse [a]",
      "turn_start",
      ...queued("wait"),
      ...ANSWER,
      "turn_end stop []",
      "agent_end completed",
    ])
    expect(requests[1]?.context.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "user",
    ])
  })

  test("puts steering messages that wait at its start into the first turn", async () => {
    const { labels } = await run([say("x")], { getSteeringMessages: queue(["also"]) })

    expect(labels.slice(0, 6)).toEqual(["agent_start", "turn_start", ...PROMPT, ...queued("also")])
  })

  test("goes on for steering messages where it would have ended", async () => {
    const { labels } = await run([say("x"), say("y")], {
      getSteeringMessages: queue([], ["more", "and more"]),
    })

    expect(labels.slice(labels.indexOf("turn_end stop []"))).toEqual([
      "turn_end stop []",
      "turn_start",
      ...queued("more"),
      ...queued("and more"),
      ...ANSWER,
      "turn_end stop []",
      "agent_end completed",
    ])
  })

  test("asks for follow-up messages only when nothing else continues it", async () => {
    const asked: string[] = []
    const followUps = queue(["next"])
    const { labels } = await run(
      [call("a:read"), say("x"), say("y")],
      {
        getSteeringMessages: () => (asked.push("steering"), []),
        getFollowUpMessages: () => (asked.push("follow-up"), followUps()),
      },
      { tools: [tool("read")] },
    )

    expect(asked).toEqual(["steering", "steering", "steering", "follow-up", "steering", "follow-up"])
    expect(labels.filter((text) => text.startsWith("turn"))).toEqual([
      "turn_start",
      "turn_end toolUse [a]",
      "turn_start",
      "turn_end stop []",
      "turn_start",
      "turn_end stop []",
    ])
    expect(labels).toContain("message_start user(next)")
  })

  describe("with a terminate vote", () => {
    const vote = (terminate?: boolean) => () => ({
      content: [],
      details: {},
      ...(terminate !== undefined && { terminate }),
    })
    const voters = [tool("yes", vote(true)), tool("no", vote())]

    test("ends after the turn when every result says so", async () => {
      const { labels } = await run([call("a:yes", "b:yes")], {}, { tools: voters })

      expect(labels.slice(-2)).toEqual(["turn_end toolUse [a,b]", "agent_end terminated"])
    })

    test("goes on when one result does not", async () => {
      const { labels } = await run([call("a:yes", "b:no"), say("x")], {}, { tools: voters })

      expect(labels.at(-1)).toBe("agent_end completed")
    })

    test("counts a vote that afterToolCall casts", async () => {
      const { labels } = await run(
        [call("a:no")],
        { afterToolCall: () => ({ terminate: true }) },
        { tools: voters },
      )

      expect(labels.at(-1)).toBe("agent_end terminated")
    })

    test("counts a vote that a block casts", async () => {
      const { labels } = await run(
        [call("a:no")],
        { beforeToolCall: () => ({ block: true, terminate: true }) },
        { tools: voters },
      )

      expect(labels.at(-1)).toBe("agent_end terminated")
    })

    test.each(["getSteeringMessages", "getFollowUpMessages"] as const)("still polls %s", async (hook) => {
      let polls = 0
      const { labels } = await run(
        [call("a:yes"), say("x")],
        { [hook]: () => (++polls === (hook === "getSteeringMessages" ? 2 : 1) ? [user("more")] : []) },
        { tools: voters },
      )

      expect(labels).toContain("message_start user(more)")
      expect(labels.at(-1)).toBe("agent_end completed")
    })
  })

  test("stops after the turn that shouldStopAfterTurn picks, queues untouched", async () => {
    const polls: string[] = []
    const seen: unknown[] = []
    const { labels } = await run(
      [call("a:read")],
      {
        shouldStopAfterTurn: ({ message, toolResults, context, newMessages }) => {
          seen.push([message.stopReason, toolResults.length, context.messages.length, newMessages.length])
          return true
        },
        getSteeringMessages: () => (polls.push("steering"), []),
        getFollowUpMessages: () => (polls.push("follow-up"), []),
      },
      { tools: [tool("read")], messages: [user("before")] },
    )

    expect(labels.slice(-2)).toEqual(["turn_end toolUse [a]", "agent_end stopped"])
    expect(seen).toEqual([["toolUse", 1, 4, 3]])
    expect(polls).toEqual(["steering"])
  })

  test("lets shouldStopAfterTurn win over the terminate vote", async () => {
    const { labels } = await run(
      [call("a:read")],
      { shouldStopAfterTurn: () => true, afterToolCall: () => ({ terminate: true }) },
      { tools: [tool("read")] },
    )

    expect(labels.at(-1)).toBe("agent_end stopped")
  })

  test("asks prepareNextTurn only when another turn follows, and keeps what it returns", async () => {
    let asked = 0
    const other = { ...MODEL, id: "t-2" }
    const { requests, messages } = await run(
      [call("a:read"), call("b:read"), say("x")],
      {
        reasoning: "low",
        prepareNextTurn: ({ context }) => {
          if (++asked > 1) return undefined
          return {
            model: other,
            thinkingLevel: "off",
            context: { ...context, systemPrompt: "changed", messages: context.messages.slice(-2) },
          }
        },
      },
      { tools: [tool("read")] },
    )

    expect(asked).toBe(2)
    expect(requests.map(({ model }) => model.id)).toEqual(["t-1", "t-2", "t-2"])
    expect(requests.map(({ options }) => options.reasoning)).toEqual(["low", undefined, undefined])
    expect(requests.map(({ context }) => context.systemPrompt)).toEqual(["be brief", "changed", "changed"])
    expect(requests.map(({ context }) => context.messages.length)).toEqual([1, 2, 4])
    expect(messages).toHaveLength(6)
  })

  test("completes on toolUse without calls", async () => {
    const { labels } = await run([(builder) => builder.done("toolUse")])

    expect(labels.slice(-2)).toEqual(["turn_end toolUse []", "agent_end completed"])
  })

  test("runs the calls of a message that ended with stop", async () => {
    const { labels } = await run(
      [
        (builder) => {
          builder.toolCall(0, { id: "a", name: "read" })
          builder.done("stop")
        },
        say("x"),
      ],
      {},
      { tools: [tool("read")] },
    )

    expect(labels).toContain("turn_end toolUse [a]")
  })

  test("executes nothing of a message that was cut off, and tells the model to issue it again", async () => {
    let executed = 0
    const { labels, requests } = await run(
      [
        (builder) => {
          builder.toolCall(0, { id: "a", name: "write" })
          builder.toolArguments(0, { whole: true })
          builder.close(0)
          builder.toolCall(1, { id: "b", name: "write" })
          builder.toolInput(1, '{"half":')
          builder.done("length")
        },
        say("x"),
      ],
      {},
      { tools: [tool("write", () => (executed++, { content: [], details: {} }))] },
    )

    expect(executed).toBe(0)
    expect(labels).toContain("turn_end length [a,b]")
    const results = requests[1]?.context.messages.filter((message) => message.role === "toolResult")
    expect(results?.map(textOf)).toEqual(
      Array(2).fill(
        "Tool call write was not executed: its arguments were cut off. Issue the call again with complete arguments.",
      ),
    )
  })

  test("hands the model plain tools, and shows a deferred one once a result names it", async () => {
    const { requests } = await run(
      [call("a:find"), call("b:rare"), say("x")],
      {},
      {
        tools: [
          tool("find", () => ({ content: [], details: {}, addedToolNames: ["rare", "unheard of"] })),
          tool("rare", undefined, { deferred: true }),
          tool("hidden", undefined, { deferred: true }),
        ],
      },
    )

    const shown = requests.map(({ context }) => context.tools?.map(({ name }) => name))
    expect(shown).toEqual([["find"], ["find", "rare"], ["find", "rare"]])
    expect(requests[0]?.context.tools).toEqual([
      { name: "find", description: "find", parameters: { type: "object" } },
    ])
  })

  test("derives deferred tools from the whole transcript, before transformContext", async () => {
    const named: AgentMessage = {
      role: "toolResult",
      toolCallId: "old",
      toolName: "find",
      content: [],
      addedToolNames: ["rare"],
      isError: false,
      timestamp: 0,
    }
    const { requests } = await run(
      [say("x")],
      { transformContext: (messages) => messages.slice(-1) },
      { tools: [tool("rare", undefined, { deferred: true })], messages: [named] },
    )

    expect(requests[0]?.context.messages).toEqual([user("go")])
    expect(requests[0]?.context.tools?.map(({ name }) => name)).toEqual(["rare"])
  })

  test("prepares each request with transformContext, convertToLlm, getApiKey, in that order", async () => {
    const order: string[] = []
    const { requests } = await run([say("x")], {
      transformContext: (messages, signal) => {
        order.push(`transformContext ${signal instanceof AbortSignal}`)
        return [...messages, user("injected")]
      },
      convertToLlm: (messages) => {
        order.push(`convertToLlm ${messages.length}`)
        return messages.filter((message) => message.role === "user")
      },
      getApiKey: (provider) => {
        order.push(`getApiKey ${provider}`)
        return "fresh"
      },
      apiKey: "stale",
    })

    expect(order).toEqual(["transformContext true", "convertToLlm 2", "getApiKey tester"])
    expect(requests[0]?.context.messages).toEqual([user("go"), user("injected")])
    expect(requests[0]?.options.apiKey).toBe("fresh")
  })

  test.each([{ key: undefined }, { key: "" }])(
    "falls back to apiKey when getApiKey gives $key",
    async ({ key }) => {
      const { requests } = await run([say("x")], { getApiKey: () => key, apiKey: "configured" })
      const without = await run([say("x")], { getApiKey: () => key })

      expect(requests[0]?.options.apiKey).toBe("configured")
      expect(without.requests[0]?.options).not.toHaveProperty("apiKey")
    },
  )

  test("calls the hooks of its config as methods of it", async () => {
    class Config {
      readonly model = MODEL
      readonly asked: string[] = []
      readonly streamFn = scripted(call("a:find"), say("x")).streamFn
      now() {
        this.asked.push("now")
        return 0
      }
      beforeToolCall() {
        this.asked.push("beforeToolCall")
        return undefined
      }
      afterToolCall() {
        this.asked.push("afterToolCall")
        return undefined
      }
      shouldStopAfterTurn() {
        this.asked.push("shouldStopAfterTurn")
        return true
      }
    }
    const config = new Config()

    await runAgentLoop([user("go")], context({ tools: [tool("find")] }), config, () => {})

    expect(config.asked).toEqual(["beforeToolCall", "afterToolCall", "now", "shouldStopAfterTurn"])
  })

  test("drops custom messages where convertToLlm is not given", async () => {
    const note = { role: "note", text: "for people" } as unknown as AgentMessage
    const { requests } = await run([say("x")], {}, { messages: [note, user("before")] })

    expect(requests[0]?.context.messages).toEqual([user("before"), user("go")])
  })

  test("passes every key but its own to the StreamFn", async () => {
    const vendor = { verbosity: "low", temperature: 0.5, sessionId: "s", timeoutMs: undefined }
    const { requests } = await run([say("x")], {
      ...vendor,
      toolExecution: "sequential",
      maxParallelToolCalls: 1,
      toolEndOrder: "completion",
      abortGraceMs: 1,
      firstEventTimeoutMs: 1000,
      streamIdleTimeoutMs: 1000,
      beforeToolCall: () => undefined,
    } as Partial<AgentLoopConfig>)

    const { signal, ...options } = requests[0]?.options ?? {}
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(options).toEqual({ verbosity: "low", temperature: 0.5, sessionId: "s" })
  })
})

describe("agentLoop", () => {
  test("streams a run's events and resolves with its messages", async () => {
    const stream = agentLoop(
      [user("go")],
      context(),
      { model: MODEL },
      undefined,
      scripted(say("x")).streamFn,
    )
    const labels: string[] = []
    for await (const event of stream) labels.push(label(event))

    expect(labels.at(-1)).toBe("agent_end completed")
    expect((await stream.result()).map(({ role }) => role)).toEqual(["user", "assistant"])
  })

  test("runs without anybody reading", async () => {
    const stream = agentLoop([user("go")], context(), { model: MODEL, streamFn: scripted(say("x")).streamFn })

    expect(await stream.result()).toHaveLength(2)
  })

  test("prefers the argument streamFn to the config's", async () => {
    const config = { model: MODEL, streamFn: scripted(say("config")).streamFn }
    const stream = agentLoop([user("go")], context(), config, undefined, scripted(say("argument")).streamFn)

    expect((await stream.result())[1]).toMatchObject({ content: [{ text: "argument" }] })
  })

  test("refuses a run without prompts, StreamFn or model, at the call", () => {
    const { streamFn } = scripted()

    expect(() => agentLoop([], context(), { model: MODEL, streamFn })).toThrow(
      expect.objectContaining({ code: "NO_PROMPTS" }),
    )
    expect(() => agentLoop([user("go")], context(), { model: MODEL })).toThrow(
      "Cannot run: no streamFn. Pass one as the last argument or as config.streamFn.",
    )
    expect(() => agentLoop([user("go")], context(), { streamFn } as unknown as AgentLoopConfig)).toThrow(
      "Cannot run: config.model is missing.",
    )
  })
})

describe("agentLoopContinue", () => {
  const continueFrom = (messages: AgentMessage[], config: Partial<AgentLoopConfig> = {}) =>
    agentLoopContinue(context({ messages }), {
      model: MODEL,
      streamFn: scripted(say("x")).streamFn,
      ...config,
    })

  test("answers a user tail and does not give back what was there", async () => {
    const stream = continueFrom([user("go")])
    const labels: string[] = []
    for await (const event of stream) labels.push(label(event))

    expect(labels).toEqual([
      "agent_start",
      "turn_start",
      ...ANSWER,
      "turn_end stop []",
      "agent_end completed",
    ])
    expect(await stream.result()).toHaveLength(1)
  })

  test.each([
    {
      tail: "tool result",
      message: {
        role: "toolResult",
        toolCallId: "a",
        toolName: "read",
        content: [],
        isError: false,
        timestamp: 0,
      } as AgentMessage,
    },
    { tail: "custom message", message: { role: "note" } as unknown as AgentMessage },
  ])("answers a $tail tail", async ({ message }) => {
    expect(await continueFrom([user("go"), message]).result()).toHaveLength(1)
  })

  test("refuses an empty transcript and an assistant tail, before it looks for a StreamFn", async () => {
    const assistant = { role: "assistant", content: [] } as unknown as AgentMessage

    expect(() => agentLoopContinue(context(), { model: MODEL })).toThrow(
      expect.objectContaining({
        code: "CANNOT_CONTINUE",
        message: "Cannot continue: no messages in context",
      }),
    )
    expect(() => agentLoopContinue(context({ messages: [user("go"), assistant] }), { model: MODEL })).toThrow(
      "Cannot continue from message role: assistant",
    )
  })
})
