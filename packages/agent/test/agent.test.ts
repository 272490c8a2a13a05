import { getEventListeners } from "node:events"
import type { AgentMessage, ImageContent } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { Agent, type AgentOptions } from "../src/index.ts"
import {
  asked,
  call,
  deepFreeze,
  fail,
  gate,
  hang,
  lines,
  model,
  say,
  script,
  start,
  tool,
  types,
  user,
} from "./script.ts"

const note = { role: "note", content: "Remember", timestamp: 7 } as unknown as AgentMessage
const image: ImageContent = { type: "image", data: "AAAA", mimeType: "image/png" }

/** An error that throws when it is looked at. */
const unreadable = new Proxy(new Error(), {
  get: () => {
    throw new Error("not to be read")
  },
})

describe("new Agent()", () => {
  test("starts with an empty state, without a model", () => {
    const agent = new Agent({ streamFn: script().streamFn })

    expect(agent.state).toStrictEqual({
      systemPrompt: "",
      model: undefined,
      thinkingLevel: "off",
      tools: [],
      messages: [],
      isStreaming: false,
      pendingToolCalls: new Set(),
    })
  })

  test("takes what initialState says, and copies its arrays", () => {
    const initialState = deepFreeze({
      systemPrompt: "Weave",
      model,
      thinkingLevel: "high" as const,
      tools: [tool("read")],
      messages: [user("Before")],
    })
    const { state } = new Agent({ streamFn: script().streamFn, initialState })

    expect(state).toMatchObject(initialState)
    expect(state.tools).not.toBe(initialState.tools)
    expect(state.messages).not.toBe(initialState.messages)
  })

  test("takes undefined in initialState as absent", () => {
    const initialState = { systemPrompt: undefined, tools: undefined, thinkingLevel: undefined }
    const { state } = new Agent({ streamFn: script().streamFn, initialState })

    expect(state).toMatchObject({ systemPrompt: "", tools: [], thinkingLevel: "off" })
  })

  test.each([{ options: {} }, { options: undefined }])(
    "without a streamFn throws ($options)",
    ({ options }) => {
      expect(() => new Agent(options as unknown as AgentOptions)).toThrow(
        expect.objectContaining({ name: "NoStreamFnError", code: "NO_STREAM_FN" }),
      )
    },
  )

  test("has every option as a field, and the queue modes by default", () => {
    const { streamFn } = script()
    const agent = new Agent({ streamFn, temperature: 0.5, sessionId: "s" })

    expect(agent.streamFn).toBe(streamFn)
    expect(agent).toMatchObject({ temperature: 0.5, sessionId: "s" })
    expect([agent.steeringMode, agent.followUpMode]).toEqual(["one-at-a-time", "one-at-a-time"])
  })

  test("takes undefined queue modes as absent", () => {
    const agent = new Agent({ streamFn: script().streamFn, steeringMode: undefined, followUpMode: undefined })

    expect([agent.steeringMode, agent.followUpMode]).toEqual(["one-at-a-time", "one-at-a-time"])
  })
})

describe("what is no message", () => {
  const nothing = [
    { given: undefined, what: "undefined" },
    { given: null, what: "null" },
    { given: 7, what: "number" },
    { given: { text: "Hello" }, what: "an object without a role" },
  ]

  test.each(nothing)("is refused by prompt(), alone or in a list: $what", async ({ given, what }) => {
    const { agent, events } = start([])
    const error = {
      name: "InvalidMessageError",
      code: "INVALID_MESSAGE",
      message: `Not a message: ${what}. Pass a text, or an object with a role, such as a UserMessage.`,
    }

    await expect(agent.prompt(given as never)).rejects.toMatchObject(error)
    await expect(agent.prompt([user("Hello"), given as never])).rejects.toMatchObject(error)

    expect([events, agent.state.messages]).toEqual([[], []])
  })

  test.each(nothing)("is refused by steer() and followUp(): $what", ({ given }) => {
    const { agent } = start([])

    expect(() => agent.steer(given as never)).toThrow(/^Not a message/)
    expect(() => agent.followUp(given as never)).toThrow(/^Not a message/)

    expect(agent.hasQueuedMessages()).toBe(false)
  })
})

describe("agent.state", () => {
  test("is one object that is always current", async () => {
    const { agent } = start([say("Hi")])
    const { state } = agent

    await agent.prompt("Hello")

    expect(lines(state.messages)).toEqual(["user: Hello", "assistant: Hi"])
    expect(agent.state).toBe(state)
  })

  test.each(["tools", "messages"] as const)("copies the array that is assigned as %s", (key) => {
    const { agent } = start([])
    const list = key === "tools" ? [tool("read")] : [user("Before")]
    agent.state[key] = list as never
    list.length = 0

    expect(agent.state[key]).toHaveLength(1)
  })

  test.each(["tools", "messages"] as const)(
    "refuses %s that is no array, and keeps what was there",
    (key) => {
      const { agent } = start([])

      expect(() => {
        agent.state[key] = undefined as never
      }).toThrow(new TypeError(`agent.state.${key} must be an array`))
      expect(agent.state[key]).toEqual([])
    },
  )

  test("does not let runtime fields be assigned", () => {
    const { agent } = start([])

    expect(() => Object.assign(agent.state, { isStreaming: true })).toThrow(TypeError)
    expect(() => Object.assign(agent.state, { pendingToolCalls: new Set() })).toThrow(TypeError)
  })

  test("spreads into a snapshot without the fields that have no value", async () => {
    const { agent } = start([fail("Out of yarn")])
    const before = { ...agent.state }
    await agent.prompt("Hello")
    const after = { ...agent.state }

    expect("errorMessage" in before || "streamingMessage" in before).toBe(false)
    expect(after.errorMessage).toBe("Out of yarn")
    expect("streamingMessage" in after).toBe(false)
  })

  test("copies no list for an event that adds no message", async () => {
    const { agent } = start([say("H", "i")], { initialState: { messages: [user("Before")] } })
    const lists = new Set<unknown>()
    agent.subscribe(({ type }) => {
      if (type === "message_update") lists.add(agent.state.messages).add(agent.state.tools)
    })

    await agent.prompt("Hello")

    expect(lists.size).toBe(2)
  })

  test("isStreaming holds from the call of prompt() until the agent_end listeners have settled", async () => {
    const { agent } = start([say("Hi")])
    const { promise, open } = gate()
    const seen: boolean[] = []
    agent.subscribe(async (event) => {
      seen.push(agent.state.isStreaming)
      if (event.type === "agent_end") {
        await promise
        seen.push(agent.state.isStreaming)
      }
    })

    const run = agent.prompt("Hello")
    expect(agent.state.isStreaming).toBe(true)
    open()
    await run

    expect(agent.state.isStreaming).toBe(false)
    expect(new Set(seen)).toEqual(new Set([true]))
  })
})

describe("prompt()", () => {
  test("emits a full event sequence and keeps the transcript", async () => {
    const { agent, events } = start([say("Hi")])

    await expect(agent.prompt("Hello")).resolves.toBeUndefined()

    expect(types(events)).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_update",
      "message_update",
      "message_update",
      "message_end",
      "turn_end",
      "agent_end",
    ])
    expect(events.at(-1)).toStrictEqual({
      type: "agent_end",
      messages: agent.state.messages,
      reason: "completed",
    })
  })

  test.each([
    { form: "text", images: undefined, content: [{ type: "text", text: "Hello" }] },
    { form: "text with images", images: [image], content: [{ type: "text", text: "Hello" }, image] },
  ])("makes a user message of $form", async ({ images, content }) => {
    const { agent } = start([say("Hi")])

    await agent.prompt("Hello", images)

    expect(agent.state.messages[0]).toStrictEqual({ role: "user", content, timestamp: 7 })
  })

  test("takes a message as it is", async () => {
    const { agent } = start([say("Hi")])
    const message = deepFreeze(user("Hello"))

    await agent.prompt(message)

    expect(agent.state.messages[0]).toBe(message)
  })

  test("takes several messages, custom ones too", async () => {
    const { agent, requests } = start([say("Hi")])
    const messages = deepFreeze([note, user("Hello")])

    await agent.prompt(messages)

    expect(lines(agent.state.messages)).toEqual(["note: Remember", "user: Hello", "assistant: Hi"])
    expect(asked(requests[0])).toEqual(["user: Hello"])
  })

  test("runs tools and sends the transcript so far with each request", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      initialState: { systemPrompt: "Weave", tools: [tool("read")] },
    })

    await agent.prompt("Hello")
    await agent.prompt("Again").catch(() => {})

    expect(asked(requests[1])).toEqual(["user: Hello", "assistant: <a>", "toolResult: read"])
    expect(asked(requests[2])).toEqual([
      "user: Hello",
      "assistant: <a>",
      "toolResult: read",
      "assistant: Done",
      "user: Again",
    ])
    expect(requests[0]?.context).toMatchObject({ systemPrompt: "Weave", tools: [{ name: "read" }] })
  })

  test("during a run rejects, and touches neither the run nor the queues", async () => {
    const { agent, events, requests } = start([say("Hi")])
    const run = agent.prompt("Hello")

    await expect(agent.prompt("Too early")).rejects.toMatchObject({
      name: "AgentBusyError",
      code: "AGENT_BUSY",
      message:
        "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
    })
    await run

    expect(lines(agent.state.messages)).toEqual(["user: Hello", "assistant: Hi"])
    expect(agent.hasQueuedMessages()).toBe(false)
    expect([requests.length, events.filter(({ type }) => type === "agent_end").length]).toEqual([1, 1])
  })

  test("in a listener rejects while agent_end is being delivered", async () => {
    const { agent } = start([say("Hi")])
    let second: Promise<void> | undefined
    agent.subscribe((event) => {
      if (event.type === "agent_end") second = agent.prompt("Too early")
      second?.catch(() => {})
    })

    await agent.prompt("Hello")

    await expect(second).rejects.toMatchObject({ code: "AGENT_BUSY" })
  })

  test("of an empty list rejects, and starts nothing", async () => {
    const { agent, events } = start([])

    await expect(agent.prompt([])).rejects.toMatchObject({ name: "NoPromptsError", code: "NO_PROMPTS" })

    expect([events, agent.state.isStreaming, "errorMessage" in agent.state]).toEqual([[], false, false])
  })

  test("without a model rejects, and starts nothing", async () => {
    const { agent, events } = start([])
    agent.state.model = undefined

    await expect(agent.prompt("Hello")).rejects.toMatchObject({ name: "NoModelError", code: "NO_MODEL" })

    expect([events, agent.state.messages, agent.state.isStreaming]).toEqual([[], [], false])
  })

  test("can be called again after a run", async () => {
    const { agent } = start([fail("Out of yarn"), say("Hi")])

    await agent.prompt("Hello")
    await agent.prompt("Again")

    expect(agent.state.errorMessage).toBeUndefined()
    expect(lines(agent.state.messages).at(-1)).toBe("assistant: Hi")
  })

  test("resolves when the model failed; state and message say so", async () => {
    const { agent, events } = start([fail("Out of yarn")])

    await agent.prompt("Hello")

    expect(agent.state.errorMessage).toBe("Out of yarn")
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: "Out of yarn" })
    expect(events.at(-1)).toStrictEqual({
      type: "agent_end",
      messages: agent.state.messages,
      reason: "error",
    })
  })

  test("resolves when a hook failed; the event sequence is whole", async () => {
    const { agent, events } = start([], {
      transformContext: () => {
        throw new Error("No thread")
      },
    })

    await agent.prompt("Hello")

    expect(agent.state.errorMessage).toBe("transformContext failed: No thread")
    expect(types(events).slice(-4)).toEqual(["message_start", "message_end", "turn_end", "agent_end"])
  })

  test("resolves after the agent_end listeners have settled", async () => {
    const { agent } = start([say("Hi")])
    const order: string[] = []
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return
      await Promise.resolve()
      await Promise.resolve()
      order.push("listener")
    })

    await agent.prompt("Hello")
    order.push("prompt")

    expect(order).toEqual(["listener", "prompt"])
  })

  test("writes to nothing it was given", async () => {
    const initialState = { model, tools: [tool("read")], messages: [user("Before")] }
    const options = deepFreeze({ initialState, headers: { a: "b" }, metadata: { user: "u" } })
    const { agent } = start([call(["a", "read"]), say("Done")], options)

    await agent.prompt(deepFreeze([user("Hello")]))

    expect(agent.state.errorMessage).toBeUndefined()
    expect(initialState.messages).toHaveLength(1)
  })
})

describe("continue()", () => {
  test.each<{ tail: string; messages: AgentMessage[] }>([
    { tail: "user", messages: [user("Hello")] },
    { tail: "custom", messages: [user("Hello"), note] },
    {
      tail: "tool result",
      messages: [
        user("Hello"),
        { role: "toolResult", toolCallId: "a", toolName: "read", content: [], isError: false, timestamp: 7 },
      ],
    },
  ])("goes on from a $tail message", async ({ messages }) => {
    const { agent, events } = start([say("Hi")], { initialState: { messages } })

    await agent.continue()

    expect(types(events).slice(0, 3)).toEqual(["agent_start", "turn_start", "message_start"])
    expect(agent.state.messages).toHaveLength(messages.length + 1)
    expect(events.at(-1)).toMatchObject({ messages: [{ role: "assistant" }], reason: "completed" })
  })

  test("of an empty transcript rejects", async () => {
    const agent = new Agent({ streamFn: script().streamFn })

    await expect(agent.continue()).rejects.toMatchObject({
      name: "CannotContinueError",
      code: "CANNOT_CONTINUE",
      message: "No messages to continue from",
    })
  })

  test("from an assistant message with empty queues rejects, and starts nothing", async () => {
    const { agent, events } = start([say("Hi")])
    await agent.prompt("Hello")
    events.length = 0

    await expect(agent.continue()).rejects.toMatchObject({
      code: "CANNOT_CONTINUE",
      message: "Cannot continue from message role: assistant",
    })

    expect(events).toEqual([])
  })

  test("during a run rejects", async () => {
    const { agent } = start([say("Hi")])
    const run = agent.prompt("Hello")

    await expect(agent.continue()).rejects.toMatchObject({
      code: "AGENT_BUSY",
      message: "Agent is already processing. Wait for completion before continuing.",
    })
    await run
  })

  test("from an assistant message takes one drain of the steering queue, without a second poll", async () => {
    const { agent, requests } = start([say("Hi"), say("One"), say("Two")])
    await agent.prompt("Hello")
    agent.steer("First")
    agent.steer("Second")
    agent.followUp("Later")

    const run = agent.continue()
    agent.subscribe((event) => {
      if (event.type === "turn_end" && requests.length === 3) agent.clearFollowUpQueue()
    })
    await run

    expect(asked(requests[1])).toEqual(["user: Hello", "assistant: Hi", "user: First"])
    expect(asked(requests[2]).slice(-2)).toEqual(["assistant: One", "user: Second"])
  })

  test("from an assistant message takes all steering messages in mode all", async () => {
    const { agent, requests } = start([say("Hi"), say("Both")], { steeringMode: "all" })
    await agent.prompt("Hello")
    agent.steer("First")
    agent.steer("Second")

    await agent.continue()

    expect(asked(requests[1]).slice(-2)).toEqual(["user: First", "user: Second"])
    expect(agent.hasQueuedMessages()).toBe(false)
  })

  test("from an assistant message takes one drain of the follow-up queue when nothing steers", async () => {
    const { agent, requests } = start([say("Hi"), say("One"), say("Two")])
    await agent.prompt("Hello")
    agent.followUp("First")
    agent.followUp("Second")

    await agent.continue()

    expect(asked(requests[1]).at(-1)).toBe("user: First")
    expect(asked(requests[2]).at(-1)).toBe("user: Second")
  })

  test("polls the steering queue at the start from other messages", async () => {
    const { agent, requests } = start([say("Hi")], { initialState: { messages: [user("Hello")] } })
    agent.steer("Wait")

    await agent.continue()

    expect(asked(requests[0])).toEqual(["user: Hello", "user: Wait"])
  })

  test("without a model rejects, and what it would have taken stays queued", async () => {
    const { agent } = start([say("Hi")])
    await agent.prompt("Hello")
    agent.steer("First")
    agent.steer("Second")
    agent.state.model = undefined

    await expect(agent.continue()).rejects.toMatchObject({ code: "NO_MODEL" })

    expect(lines(agent.peekQueuedMessages().steering)).toEqual(["user: First", "user: Second"])
  })
})

describe("abort()", () => {
  test("ends the run; its reason is the signal's", async () => {
    const { agent, events } = start([hang(() => agent.abort("Enough"))])
    let signal: AbortSignal | undefined
    agent.subscribe((_, given) => {
      signal = given
    })

    await agent.prompt("Hello")

    expect(signal?.reason).toBe("Enough")
    expect(events.at(-1)).toStrictEqual({
      type: "agent_end",
      messages: agent.state.messages,
      reason: "aborted",
    })
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted", content: [{ text: "Well" }] })
    expect(agent.state.errorMessage).toBe("Enough")
  })

  test.each([
    { reason: "Enough", errorMessage: "Enough" },
    { reason: new Error("The tab was closed"), errorMessage: "The tab was closed" },
    { reason: undefined, errorMessage: "This operation was aborted" },
    { reason: { code: 7 }, errorMessage: "The run was aborted" },
    { reason: { message: "An error elsewhere" }, errorMessage: "An error elsewhere" },
    { reason: unreadable, errorMessage: "The run was aborted" },
  ])("while tools run sets errorMessage to the reason ($errorMessage)", async ({ reason, errorMessage }) => {
    const { agent, events } = start([call(["a", "wait"])], {
      initialState: {
        tools: [
          tool("wait", (_id, _args, signal) => {
            agent.abort(reason)
            return new Promise((_, reject) => reject(signal?.reason))
          }),
        ],
      },
    })

    await agent.prompt("Hello")

    expect(agent.state.errorMessage).toBe(errorMessage)
    expect(types(events).slice(-3)).toEqual(["message_end", "turn_end", "agent_end"])
    expect(lines(agent.state.messages).map((line) => line.split(":")[0])).toEqual([
      "user",
      "assistant",
      "toolResult",
    ])
  })

  test("is ignored when idle, and does not reach the next run", async () => {
    const { agent } = start([say("Hi")])
    agent.abort("Nobody is here")

    await agent.prompt("Hello")

    expect(agent.state.errorMessage).toBeUndefined()
  })

  test("right after prompt() ends the run before any request", async () => {
    const { agent, requests, events } = start([say("Hi")])

    const run = agent.prompt("Hello")
    agent.abort()
    await run

    expect(requests).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: "agent_end", reason: "aborted" })
  })

  test("leaves a tail that continue() works from", async () => {
    const { agent } = start([call(["a", "wait"]), say("Done")], {
      initialState: {
        tools: [
          tool("wait", () => {
            agent.abort()
            throw new Error("Stopped")
          }),
        ],
      },
    })
    await agent.prompt("Hello")

    await agent.continue()

    expect(lines(agent.state.messages).at(-1)).toBe("assistant: Done")
    expect(agent.state.errorMessage).toBeUndefined()
  })
})

describe("signal", () => {
  test("is the active run's, and gone afterwards", async () => {
    const { agent } = start([say("Hi")])
    const seen = new Set<AbortSignal | undefined>()
    agent.subscribe((_, signal) => {
      seen.add(signal).add(agent.signal)
    })

    expect(agent.signal).toBeUndefined()
    const run = agent.prompt("Hello")
    seen.add(agent.signal)
    await run

    expect(agent.signal).toBeUndefined()
    expect(seen.size).toBe(1)
  })

  test.each([{ reply: say("Hi") }, { reply: fail("Out of yarn") }, { reply: hang() }])(
    "has no listener left after a run ($#)",
    async ({ reply }) => {
      const { agent } = start([reply])
      let signal: AbortSignal | undefined
      agent.subscribe((event, given) => {
        signal = given
        if (event.type === "message_update") agent.abort()
      })

      await agent.prompt("Hello")

      expect(signal && getEventListeners(signal, "abort")).toEqual([])
    },
  )
})

describe("waitForIdle()", () => {
  test("resolves at once when nothing runs", async () => {
    await expect(start([]).agent.waitForIdle()).resolves.toBeUndefined()
  })

  test("waits for the agent_end listeners", async () => {
    const { agent } = start([say("Hi")])
    const order: string[] = []
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return
      await Promise.resolve()
      order.push("listener")
    })

    void agent.prompt("Hello")
    await agent.waitForIdle()

    expect([...order, agent.state.isStreaming]).toEqual(["listener", false])
  })

  test("resolves after a run that rejects", async () => {
    const { agent } = start([say("Hi")])
    agent.subscribe(() => {
      throw new Error("Torn")
    })

    const run = agent.prompt("Hello")
    await expect(agent.waitForIdle()).resolves.toBeUndefined()

    await expect(run).rejects.toThrow("Torn")
  })
})

describe("reset()", () => {
  test("clears transcript, queues and error, and keeps everything else", async () => {
    const { agent, events } = start([fail("Out of yarn"), say("Hi")], {
      initialState: { systemPrompt: "Weave", thinkingLevel: "low", tools: [tool("read")] },
    })
    await agent.prompt("Hello")
    agent.steer("Steer")
    agent.followUp("Follow")

    agent.reset()

    expect(agent.state).toStrictEqual({
      systemPrompt: "Weave",
      model,
      thinkingLevel: "low",
      tools: agent.state.tools,
      messages: [],
      isStreaming: false,
      pendingToolCalls: new Set(),
    })
    expect(agent.state.tools).toHaveLength(1)
    expect(agent.hasQueuedMessages()).toBe(false)
    events.length = 0
    await agent.prompt("Hello")
    expect(types(events).at(-1)).toBe("agent_end")
  })

  test("during a run throws, and clears nothing", async () => {
    const { agent } = start([say("Hi")])
    const run = agent.prompt("Hello")
    agent.followUp("Later")

    expect(() => agent.reset()).toThrow(
      expect.objectContaining({
        code: "AGENT_BUSY",
        message: "Agent is already processing. Wait for completion before resetting.",
      }),
    )
    expect(agent.hasQueuedMessages()).toBe(true)
    agent.clearAllQueues()
    await run
    expect(agent.state.messages).toHaveLength(2)
  })
})
