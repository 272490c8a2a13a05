import type { AgentMessage, StreamFn } from "@heddle/types"
import { describe, expect, test, vi } from "vitest"
import { Agent, type AgentOptions } from "../src/index.ts"
import { asked, call, gate, lines, model, say, script, start, tool, user } from "./script.ts"

const other = { ...model, id: "loom-2", provider: "other" }

describe("request options", () => {
  test("reach the StreamFn, without the agent's own fields", async () => {
    const { agent, requests } = start([say("Hi")], {
      sessionId: "s",
      temperature: 0.5,
      maxTokens: 9,
      headers: { a: "b" },
      apiKey: "test-key",
      toolChoice: "auto",
      onObserverError: () => {},
      beforeToolCall: () => undefined,
    })

    await agent.prompt("Hello")

    const { signal, ...options } = requests[0]!.options
    expect(options).toStrictEqual({
      sessionId: "s",
      temperature: 0.5,
      maxTokens: 9,
      headers: { a: "b" },
      apiKey: "test-key",
      toolChoice: "auto",
    })
    expect(signal).toBeInstanceOf(AbortSignal)
  })

  test("of an adapter that nobody here knows pass too", async () => {
    const options = { serviceTier: "flex" } as Partial<AgentOptions>
    const { agent, requests } = start([say("Hi")], options)

    await agent.prompt("Hello")

    expect(requests[0]?.options).toMatchObject({ serviceTier: "flex" })
  })

  test("that are assigned, added or removed during a run hold from the next request", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      temperature: 0.1,
      maxTokens: 9,
      initialState: { tools: [tool("read")] },
    })
    agent.subscribe((event) => {
      if (event.type !== "turn_end" || requests.length > 1) return
      agent.temperature = 0.9
      agent.sessionId = "late"
      agent.maxTokens = undefined
    })

    await agent.prompt("Hello")

    const [first, second] = requests.map(({ options: { signal, ...options } }) => options)
    expect(first).toStrictEqual({ temperature: 0.1, maxTokens: 9 })
    expect(second).toStrictEqual({ temperature: 0.9, sessionId: "late" })
  })

  test.each([
    { level: "off", options: {} },
    { level: "high", options: { reasoning: "high" } },
  ] as const)("say reasoning for thinkingLevel $level: $options", async ({ level, options }) => {
    const { agent, requests } = start([say("Hi")], { initialState: { thinkingLevel: level } })

    await agent.prompt("Hello")

    const { signal, ...sent } = requests[0]!.options
    expect(sent).toStrictEqual(options)
  })

  test("take the key that getApiKey gives before each request", async () => {
    const keys = ["one", "two"]
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      apiKey: "fallback",
      getApiKey: async (provider) => `${provider}-${keys.shift()}`,
      initialState: { tools: [tool("read")] },
    })

    await agent.prompt("Hello")

    expect(requests.map(({ options }) => options.apiKey)).toEqual(["faux-one", "faux-two"])
  })
})

describe("hooks and schedule", () => {
  test("that are assigned during a run hold at their next use", async () => {
    const { agent, requests } = start([call(["a", "read"]), call(["b", "read"]), say("Done")], {
      beforeToolCall: () => ({ block: true, reason: "Not yet" }),
      initialState: { tools: [tool("read")] },
    })
    agent.subscribe((event) => {
      if (event.type !== "turn_end") return
      agent.beforeToolCall = undefined
      agent.convertToLlm = (messages) =>
        messages.filter(
          (message) => message.role !== "assistant" || message.stopReason !== "toolUse",
        ) as never
    })

    await agent.prompt("Hello")

    expect(lines(agent.state.messages).filter((line) => line.startsWith("toolResult"))).toEqual([
      "toolResult: Not yet",
      "toolResult: read",
    ])
    expect(asked(requests[2])).toEqual(["user: Hello", "toolResult: Not yet", "toolResult: read"])
  })

  test("are all the loop's", async () => {
    const asked: string[] = []
    const told = (name: string) => () => void asked.push(name)
    const { agent } = start([call(["a", "read"]), say("Done")], {
      transformContext: (messages) => {
        asked.push("transformContext")
        return messages
      },
      beforeToolCall: told("beforeToolCall"),
      afterToolCall: told("afterToolCall"),
      shouldStopAfterTurn: () => {
        asked.push("shouldStopAfterTurn")
        return false
      },
      prepareNextTurn: told("prepareNextTurn"),
      initialState: { tools: [tool("read")] },
    })

    await agent.prompt("Hello")

    expect(asked).toEqual([
      "transformContext",
      "beforeToolCall",
      "afterToolCall",
      "shouldStopAfterTurn",
      "prepareNextTurn",
      "transformContext",
      "shouldStopAfterTurn",
    ])
  })

  test("toolExecution, maxParallelToolCalls and toolEndOrder order the batch", async () => {
    const { agent, events } = start([call(["a", "slow"], ["b", "fast"]), say("Done")], {
      toolEndOrder: "completion",
      initialState: {
        tools: [
          tool("slow", async () => {
            await fast.promise
            return { content: [], details: {} }
          }),
          tool("fast", () => {
            fast.open()
            return { content: [], details: {} }
          }),
        ],
      },
    })
    const fast = gate()
    const ends = () =>
      events.flatMap((event) => (event.type === "tool_execution_end" ? event.toolCallId : []))

    await agent.prompt("Hello")

    expect(ends()).toEqual(["b", "a"])
  })

  test("abortGraceMs bounds the wait for a tool that ignores the signal", async () => {
    vi.useFakeTimers()
    try {
      const { agent } = start([call(["a", "deaf"])], {
        abortGraceMs: 40,
        initialState: {
          tools: [
            tool("deaf", () => {
              agent.abort("Enough")
              return new Promise(() => {})
            }),
          ],
        },
      })

      const run = agent.prompt("Hello")
      await vi.advanceTimersByTimeAsync(39)
      expect(agent.state.isStreaming).toBe(true)
      await vi.advanceTimersByTimeAsync(1)
      await run

      expect(agent.state.errorMessage).toBe("Enough")
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test("firstEventTimeoutMs ends a stream that says nothing", async () => {
    vi.useFakeTimers()
    try {
      const { agent } = start([() => {}], { firstEventTimeoutMs: 50 })

      const run = agent.prompt("Hello")
      await vi.advanceTimersByTimeAsync(1_000)
      await run

      expect(agent.state.messages.at(-1)).toMatchObject({ failure: { code: "timeout" } })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test("may be fields of a subclass", async () => {
    class Careful extends Agent {
      override beforeToolCall = () => ({ block: true, reason: "Never" })
    }
    const { streamFn } = script(call(["a", "read"]), say("Done"))
    const agent = new Careful({ streamFn, initialState: { model, tools: [tool("read")] } })

    await agent.prompt("Hello")

    expect(lines(agent.state.messages)[2]).toBe("toolResult: Never")
  })
})

describe("streamFn", () => {
  test("that is assigned during a run serves the next request", async () => {
    const second = script(say("From the second"))
    const { agent } = start([call(["a", "read"])], { initialState: { tools: [tool("read")] } })
    agent.subscribe((event) => {
      if (event.type === "turn_end") agent.streamFn = second.streamFn
    })

    await agent.prompt("Hello")

    expect(lines(agent.state.messages).at(-1)).toBe("assistant: From the second")
  })

  test("that is taken away fails the run, not the caller", async () => {
    const { agent } = start([])
    agent.streamFn = undefined as unknown as StreamFn

    await agent.prompt("Hello")

    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error" })
  })
})

describe("settings of agent.state", () => {
  test("that are assigned during a run take effect at its next turn", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      initialState: { systemPrompt: "Old", tools: [tool("read")] },
    })
    agent.subscribe((event) => {
      if (event.type !== "message_start" || event.message.role !== "user") return
      agent.state.systemPrompt = "New"
      agent.state.model = other
      agent.state.thinkingLevel = "low"
      agent.state.tools = [tool("write")]
    })

    await agent.prompt("Hello")

    const seen = requests.map(({ model, context, options }) => [
      model.id,
      context.systemPrompt,
      context.tools?.map(({ name }) => name),
      options.reasoning,
    ])
    expect(seen).toEqual([
      ["loom-1", "Old", ["read"], undefined],
      ["loom-2", "New", ["write"], "low"],
    ])
    expect(lines(agent.state.messages)[2]).toBe("toolResult: read")
  })

  test("thinkingLevel off during a run asks for no reasoning", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      initialState: { thinkingLevel: "high", tools: [tool("read")] },
    })
    agent.subscribe((event) => {
      if (event.type === "turn_end") agent.state.thinkingLevel = "off"
    })

    await agent.prompt("Hello")

    expect(requests.map(({ options }) => options.reasoning)).toEqual(["high", undefined])
  })

  test("a model taken away during a run leaves the run its own", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      initialState: { tools: [tool("read")] },
    })
    agent.subscribe(() => {
      agent.state.model = undefined
    })

    await agent.prompt("Hello")

    expect(requests.map(({ model }) => model.id)).toEqual(["loom-1", "loom-1"])
    expect(agent.state.model).toBeUndefined()
  })

  test("messages assigned during a run hold from the next run", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done"), say("Fresh")], {
      initialState: { tools: [tool("read")] },
    })
    agent.subscribe((event) => {
      if (event.type === "turn_end" && requests.length === 1) agent.state.messages = [user("Summary")]
    })

    await agent.prompt("Hello")
    expect(lines(agent.state.messages)).toEqual(["user: Summary", "assistant: Done"])
    await agent.prompt("Again")

    expect(asked(requests[1])).toEqual(["user: Hello", "assistant: <a>", "toolResult: read"])
    expect(asked(requests[2])).toEqual(["user: Summary", "assistant: Done", "user: Again"])
  })
})

describe("prepareNextTurn", () => {
  const withTool = { initialState: { systemPrompt: "Old", tools: [tool("read")] } }

  test("what it returns is written back to the state, and holds for the rest of the run", async () => {
    const { agent, requests } = start([call(["a", "read"]), call(["b", "write"]), say("Done")], {
      ...withTool,
      prepareNextTurn: ({ context }) => {
        if (requests.length > 1) return undefined
        return {
          context: { ...context, systemPrompt: "New", tools: [tool("write")] },
          model: other,
          thinkingLevel: "low",
        }
      },
    })

    await agent.prompt("Hello")

    expect(agent.state).toMatchObject({ systemPrompt: "New", model: other, thinkingLevel: "low" })
    expect(agent.state.tools.map(({ name }) => name)).toEqual(["write"])
    expect(requests.map(({ model, context }) => [model.id, context.systemPrompt])).toEqual([
      ["loom-1", "Old"],
      ["loom-2", "New"],
      ["loom-2", "New"],
    ])
  })

  test("is told of the settings that were assigned in the meantime", async () => {
    const seen: unknown[] = []
    const { agent } = start([call(["a", "read"]), say("Done")], {
      ...withTool,
      prepareNextTurn: ({ context, message, newMessages, toolResults }) => {
        seen.push(context.systemPrompt, lines(context.messages), message.stopReason, newMessages.length)
        seen.push(toolResults.length)
      },
    })
    agent.subscribe((event) => {
      if (event.type === "turn_end") agent.state.systemPrompt = "New"
    })

    await agent.prompt("Hello")

    expect(seen).toEqual(["New", ["user: Hello", "assistant: <a>", "toolResult: read"], "toolUse", 3, 1])
  })

  test("may assign to the state instead of returning", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      ...withTool,
      prepareNextTurn: async () => {
        await Promise.resolve()
        agent.state.model = other
      },
    })

    await agent.prompt("Hello")

    expect(requests.map(({ model }) => model.id)).toEqual(["loom-1", "loom-2"])
  })

  test("messages it returns replace what later requests see, and not the transcript", async () => {
    const { agent, requests } = start([call(["a", "read"]), call(["b", "read"]), say("Done")], {
      ...withTool,
      prepareNextTurn: ({ context }) =>
        requests.length === 1 ? { context: { ...context, messages: [user("Summary")] } } : undefined,
    })

    await agent.prompt("Hello")

    expect(asked(requests[1])).toEqual(["user: Summary"])
    expect(asked(requests[2])).toEqual(["user: Summary", "assistant: <b>", "toolResult: read"])
    expect(lines(agent.state.messages)).toEqual([
      "user: Hello",
      "assistant: <a>",
      "toolResult: read",
      "assistant: <b>",
      "toolResult: read",
      "assistant: Done",
    ])
  })

  test("a context without tools keeps the agent's", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("Done")], {
      ...withTool,
      prepareNextTurn: ({ context: { systemPrompt, messages } }) => ({ context: { systemPrompt, messages } }),
    })

    await agent.prompt("Hello")

    expect(requests[1]?.context.tools).toHaveLength(1)
    expect(agent.state.tools).toHaveLength(1)
  })

  test("that answers after an abort changes nothing", async () => {
    const answer = gate<{ model: typeof other }>()
    const { agent } = start([call(["a", "read"]), say("Done")], {
      ...withTool,
      abortGraceMs: 0,
      prepareNextTurn: () => {
        agent.abort()
        return answer.promise
      },
    })

    await agent.prompt("Hello")
    answer.open({ model: other })
    await answer.promise
    await Promise.resolve()

    expect(agent.state.model).toBe(model)
  })

  test("that throws fails the run", async () => {
    const { agent } = start([call(["a", "read"])], {
      ...withTool,
      prepareNextTurn: () => Promise.reject(new Error("No thread")),
    })

    await agent.prompt("Hello")

    expect(agent.state.errorMessage).toBe("prepareNextTurn failed: No thread")
  })

  test("loses no message of a custom role", async () => {
    const note = { role: "note", content: "Keep", timestamp: 7 } as unknown as AgentMessage
    const seen: string[][] = []
    const { agent } = start([call(["a", "read"]), say("Done")], {
      ...withTool,
      transformContext: (messages) => {
        seen.push(lines(messages))
        return messages
      },
    })

    await agent.prompt([note, user("Hello")])

    expect(seen[1]).toEqual(["note: Keep", "user: Hello", "assistant: <a>", "toolResult: read"])
  })
})
