import type { AgentEvent, AgentState, AssistantMessage, ToolResultMessage } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { createAgentState, reduceAgentState } from "../src/index.ts"
import { deepFreeze, statesOf, user } from "./script.ts"

const assistant: AssistantMessage = {
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  api: "faux",
  provider: "faux",
  model: "loom-1",
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: "stop",
  timestamp: 7,
}
const failed: AssistantMessage = { ...assistant, stopReason: "error", errorMessage: "Out of yarn" }
const result: ToolResultMessage = {
  role: "toolResult",
  toolCallId: "a",
  toolName: "read",
  content: [],
  isError: false,
  timestamp: 7,
}

const started = (toolCallId: string): AgentEvent => ({
  type: "tool_execution_start",
  toolCallId,
  toolName: "read",
  args: {},
})
const ended = (toolCallId: string): AgentEvent => ({
  type: "tool_execution_end",
  toolCallId,
  toolName: "read",
  result: { content: [], details: {} },
  isError: false,
})
const end = (reason: "completed" | "aborted" | "error", more: object = {}): AgentEvent => ({
  type: "agent_end",
  messages: [],
  reason,
  ...more,
})

/** From a frozen state, with frozen events. */
function reduce(from: Partial<AgentState>, ...events: AgentEvent[]): AgentState {
  const state = deepFreeze({ ...createAgentState(), ...from })
  return deepFreeze(events).reduce(reduceAgentState, state)
}

describe("reduceAgentState", () => {
  test("agent_start sets isStreaming and removes the error", () => {
    const state = reduce({ errorMessage: "Old" }, { type: "agent_start" })

    expect(state).toStrictEqual({ ...createAgentState(), isStreaming: true })
    expect("errorMessage" in state).toBe(false)
  })

  test("message_start and message_update of an assistant message set streamingMessage", () => {
    const later = { ...assistant, content: [{ type: "text" as const, text: "Hi there" }] }
    const update: AgentEvent = {
      type: "message_update",
      message: later,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: " there", partial: later },
    }

    expect(reduce({}, { type: "message_start", message: assistant }).streamingMessage).toBe(assistant)
    expect(reduce({}, { type: "message_start", message: assistant }, update).streamingMessage).toBe(later)
  })

  test.each([{ message: user("Hello") }, { message: result }])(
    "message_start of a $message.role message changes nothing",
    ({ message }) => {
      const state = createAgentState()

      expect(reduceAgentState(state, { type: "message_start", message })).toBe(state)
    },
  )

  test.each([{ message: user("Hello") }, { message: result }, { message: assistant }])(
    "message_end appends a $message.role message to a new array",
    ({ message }) => {
      const before = [user("Before")]
      const state = reduce({ messages: before }, { type: "message_end", message })

      expect(state.messages).toEqual([user("Before"), message])
      expect(before).toHaveLength(1)
    },
  )

  test("message_end removes streamingMessage", () => {
    const state = reduce(
      {},
      { type: "message_start", message: assistant },
      { type: "message_end", message: assistant },
    )

    expect("streamingMessage" in state).toBe(false)
  })

  test("tool_execution_start and _end keep the set of running calls", () => {
    expect(reduce({}, started("a"), started("b")).pendingToolCalls).toEqual(new Set(["a", "b"]))
    expect(reduce({}, started("a"), started("b"), ended("a")).pendingToolCalls).toEqual(new Set(["b"]))
    expect(reduce({}, started("a"), ended("a"))).toStrictEqual(createAgentState())
  })

  test("turn_end with an error message sets errorMessage", () => {
    expect(reduce({}, { type: "turn_end", message: failed, toolResults: [] }).errorMessage).toBe(
      "Out of yarn",
    )
  })

  test("turn_end without one keeps what is there", () => {
    const state = { ...createAgentState(), errorMessage: "Before" }

    expect(reduceAgentState(state, { type: "turn_end", message: assistant, toolResults: [] })).toBe(state)
  })

  test("agent_end clears streamingMessage, pendingToolCalls and isStreaming", () => {
    const state = reduce(
      {},
      { type: "agent_start" },
      { type: "message_start", message: assistant },
      started("a"),
      end("completed"),
    )

    expect(state).toStrictEqual(createAgentState())
  })

  test.each([
    {
      case: "the reason the event tells",
      event: end("aborted", { errorMessage: "Enough" }),
      errorMessage: "Enough",
    },
    {
      case: "the last message's",
      event: end("aborted", { messages: [failed] }),
      errorMessage: "Out of yarn",
    },
    { case: "a standard text", event: end("aborted"), errorMessage: "The run was aborted" },
    { case: "a standard text for a failure", event: end("error"), errorMessage: "The run failed" },
    { case: "nothing for a completed run", event: end("completed"), errorMessage: undefined },
  ])("agent_end without an error message so far sets $case", ({ event, errorMessage }) => {
    expect(reduce({}, { type: "agent_start" }, event).errorMessage).toBe(errorMessage)
  })

  test("an aborted agent_end keeps the error message of the turn", () => {
    const state = reduce({}, { type: "turn_end", message: failed, toolResults: [] }, end("aborted"))

    expect(state.errorMessage).toBe("Out of yarn")
  })

  test.each<{ event: AgentEvent }>([
    { event: { type: "turn_start" } },
    {
      event: {
        type: "tool_execution_update",
        toolCallId: "a",
        toolName: "read",
        args: {},
        partialResult: { content: [], details: {} },
      },
    },
    { event: ended("unknown") },
    { event: end("completed") },
    { event: { type: "an_event_from_the_future" } as unknown as AgentEvent },
  ])("$event.type that changes nothing returns the state itself", ({ event }) => {
    const state = createAgentState()

    expect(reduceAgentState(state, event)).toBe(state)
  })

  test("a call that is running already does not start again", () => {
    const state = { ...createAgentState(), pendingToolCalls: new Set(["a"]) }

    expect(reduceAgentState(state, started("a"))).toBe(state)
    expect(reduce({}, started("a"), started("a"), ended("a")).pendingToolCalls).toEqual(new Set())
  })

  test("an end without a start does not hide a call that runs", () => {
    expect(reduce({}, started("a"), ended("b")).pendingToolCalls).toEqual(new Set(["a"]))
    expect(reduce({}, started("a"), ended("b"), started("c")).pendingToolCalls).toEqual(new Set(["a", "c"]))
  })

  test("keeps the fields that a store adds, also while calls run", () => {
    const state = { ...createAgentState(), title: "Mine" } as AgentState

    expect([started("a"), started("b")].reduce(reduceAgentState, state)).toMatchObject({ title: "Mine" })
  })

  describe("pendingToolCalls", () => {
    test("a set that was read does not change with later events", () => {
      const first = reduce({}, started("a"))
      const held = first.pendingToolCalls
      const second = reduceAgentState(first, started("b"))
      reduceAgentState(second, ended("a"))

      expect(held).toEqual(new Set(["a"]))
      expect(first.pendingToolCalls).toBe(held)
    })

    test("a state that was not read at the time shows the calls of that time", () => {
      const states = statesOf(createAgentState(), [started("a"), started("b"), ended("a"), started("c")])

      expect(states.map((state) => [...state.pendingToolCalls])).toEqual([
        [],
        ["a"],
        ["a", "b"],
        ["b"],
        ["b", "c"],
      ])
    })

    test("two states made from one do not see each other's calls", () => {
      const one = reduceAgentState(createAgentState(), started("a"))
      const left = reduceAgentState(one, started("left"))
      const right = reduceAgentState(one, started("right"))

      expect([left, right, one].map((state) => [...state.pendingToolCalls])).toEqual([
        ["a", "left"],
        ["a", "right"],
        ["a"],
      ])
    })

    test("a state with running calls can be spread, cloned and compared", () => {
      const state = [started("a"), started("b")].reduce(reduceAgentState, createAgentState())
      const plain = { ...createAgentState(), pendingToolCalls: new Set(["a", "b"]) }

      expect({ ...state }).toStrictEqual(plain)
      expect(structuredClone(state)).toStrictEqual(plain)
      expect(reduceAgentState({ ...state }, ended("a")).pendingToolCalls).toEqual(new Set(["b"]))
    })

    test("a batch makes no set that nobody reads", () => {
      const count = 20_000
      const ids = Array.from({ length: count }, (_, index) => `call_${index}`)
      const Native = globalThis.Set
      let made = 0
      globalThis.Set = class<T> extends Native<T> {
        constructor(values?: Iterable<T> | null) {
          super(values)
          made++
        }
      } as SetConstructor
      let state = createAgentState()
      try {
        for (const id of ids) state = reduceAgentState(state, started(id))
        for (const id of ids) {
          state = reduceAgentState(state, ended(id))
          state = reduceAgentState(state, { type: "turn_end", message: assistant, toolResults: [] })
        }
      } finally {
        globalThis.Set = Native
      }

      expect(state.pendingToolCalls.size).toBe(0)
      expect(made).toBeLessThan(5)
    })
  })
})
