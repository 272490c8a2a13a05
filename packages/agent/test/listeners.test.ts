import type { AgentEvent } from "@heddle/types"
import { afterEach, describe, expect, test, vi } from "vitest"
import { call, gate, hang, lines, say, start, tool, types } from "./script.ts"

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe("subscribe()", () => {
  test("calls a listener after the state was reduced", async () => {
    const { agent } = start([say("Hi")])
    const seen: unknown[] = []
    agent.subscribe((event) => {
      if (event.type === "message_end") seen.push(agent.state.messages.at(-1) === event.message)
      if (event.type === "message_update") seen.push(agent.state.streamingMessage === event.message)
    })

    await agent.prompt("Hello")

    expect(seen).toEqual([true, true, true, true, true])
  })

  test("awaits listeners in the order they subscribed, and holds the run meanwhile", async () => {
    const { agent, requests } = start([say("Hi")])
    const { promise, open } = gate()
    const reached = gate()
    const order: string[] = []
    agent.subscribe(async (event) => {
      if (event.type !== "turn_start") return
      order.push("first begins")
      reached.open()
      await promise
      order.push("first ends")
    })
    agent.subscribe((event) => {
      if (event.type === "turn_start") order.push("second")
    })

    const run = agent.prompt("Hello")
    await reached.promise
    expect([order, requests.length]).toEqual([["first begins"], 0])
    open()
    await run

    expect(order).toEqual(["first begins", "first ends", "second"])
  })

  test("spends no await where no listener returns a promise", async () => {
    const { agent } = start([
      (message) => {
        for (let index = 0; index < 100; index++) message.text(0, "x")
        message.done("stop")
      },
    ])
    let ticks = 0
    let inTick = new Set<number>()
    const count = async () => {
      for (;;) {
        await Promise.resolve()
        ticks++
        if (!agent.state.isStreaming) return
      }
    }
    agent.subscribe((event) => {
      if (event.type === "message_update") inTick = inTick.add(ticks)
    })

    const run = agent.prompt("Hello")
    await Promise.all([run, count()])

    expect(inTick.size).toBeLessThan(3)
  })

  test("the same function twice is called twice, and each unsubscribes for itself", async () => {
    const { agent } = start([say("Hi"), say("Hi")])
    const listener = vi.fn()
    const unsubscribe = agent.subscribe(listener)
    agent.subscribe(listener)
    await agent.prompt("Hello")
    const calls = listener.mock.calls.length

    unsubscribe()
    unsubscribe()
    await agent.prompt("Again")

    expect(listener.mock.calls.length).toBe(calls + calls / 2)
  })

  test("a listener added during an event gets the next one first", async () => {
    const { agent } = start([say("Hi")])
    const seen: string[] = []
    agent.subscribe((event) => {
      if (event.type === "agent_start") agent.subscribe(({ type }) => void seen.push(type))
    })

    await agent.prompt("Hello")

    expect(seen[0]).toBe("turn_start")
  })

  test("a listener removed during an event gets nothing more, and the others all of it", async () => {
    const { agent } = start([say("Hi")])
    const removed = vi.fn()
    const seen: string[] = []
    const removeSelf = agent.subscribe(() => {
      remove()
      removeSelf()
    })
    const remove = agent.subscribe(removed)
    agent.subscribe(({ type }) => void seen.push(type))

    await agent.prompt("Hello")

    expect(removed).not.toHaveBeenCalled()
    expect(seen[0]).toBe("agent_start")
    expect(seen.at(-1)).toBe("agent_end")
  })
})

describe("a barrier listener that throws", () => {
  const failures: { when: AgentEvent["type"]; how: string; fail: () => void | Promise<void> }[] = []
  const events = [
    "agent_start",
    "turn_start",
    "message_start",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_end",
    "turn_end",
    "agent_end",
  ] as const
  for (const when of events) {
    failures.push({
      when,
      how: "throws",
      fail: () => {
        throw new Error("Torn")
      },
    })
    failures.push({ when, how: "rejects", fail: () => Promise.reject(new Error("Torn")) })
  }

  test.each(failures)(
    "at $when ($how) stops the run and does not starve the others",
    async ({ when, fail }) => {
      const { agent, events, requests } = start([call(["a", "read"], ["b", "read"]), say("Done")], {
        initialState: { tools: [tool("read")] },
      })
      const after: AgentEvent[] = []
      let failed = false
      agent.subscribe((event) => {
        if (event.type !== when || failed) return
        failed = true
        return fail()
      })
      agent.subscribe((event) => void after.push(event))

      await expect(agent.prompt("Hello")).rejects.toThrow("Torn")

      expect(after).toEqual(events)
      expect(types(events).filter((type) => type === "agent_end")).toHaveLength(1)
      expect(agent.state.errorMessage).toBe("A listener failed: Torn")
      expect(agent.state.isStreaming).toBe(false)
      expect(agent.state.pendingToolCalls.size).toBe(0)
      expect("streamingMessage" in agent.state).toBe(false)
      if (when !== "agent_end") {
        expect(requests.length).toBeLessThan(2)
        expect(events.at(-1)).toMatchObject({ type: "agent_end", reason: "error" })
      }
      for (const message of agent.state.messages) {
        if (message.role !== "assistant" || message.stopReason !== "toolUse") continue
        const results = agent.state.messages.filter(({ role }) => role === "toolResult")
        expect(results).toMatchObject([{ toolCallId: "a" }, { toolCallId: "b" }])
      }
    },
  )

  test("at each event is told of by its first error", async () => {
    const { agent } = start([say("Hi")])
    let count = 0
    const seen = vi.fn()
    agent.subscribe(() => {
      throw new Error(`Torn ${++count}`)
    })
    agent.subscribe(seen)

    await expect(agent.prompt("Hello")).rejects.toThrow("Torn 1")

    expect(seen).toHaveBeenCalledTimes(count)
    expect(agent.state.errorMessage).toBe("A listener failed: Torn 1")
  })

  test("after the model failed is what errorMessage tells of", async () => {
    const { agent } = start([])
    agent.subscribe((event) => {
      if (event.type === "turn_end") throw new Error("Torn")
    })

    await expect(agent.prompt("Hello")).rejects.toThrow("Torn")

    expect(agent.state.errorMessage).toBe("A listener failed: Torn")
  })

  test.each([{ thrown: undefined }, { thrown: "Torn" }, { thrown: { code: 7 } }])(
    "may throw $thrown, and prompt() rejects with just that",
    async ({ thrown }) => {
      const { agent } = start([say("Hi")])
      agent.subscribe((event) => {
        if (event.type === "turn_end") throw thrown
      })

      await expect(agent.prompt("Hello")).rejects.toBe(thrown)

      expect(agent.state.errorMessage).toMatch(/^A listener failed/)
    },
  )

  test("may throw what cannot be read, and the run ends like any other", async () => {
    const { agent, events } = start([say("Hi")])
    const unreadable = new Proxy(new Error(), {
      get: () => {
        throw new Error("not to be read")
      },
    })
    agent.subscribe((event) => {
      if (event.type === "turn_end") throw unreadable
    })

    const same = await agent.prompt("Hello").catch((error: unknown) => error === unreadable)

    expect(same).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: "agent_end", reason: "error" })
    expect(agent.state).toMatchObject({
      isStreaming: false,
      errorMessage: "A listener failed: it threw something that is no error",
    })
  })

  test("leaves an agent that can be prompted again", async () => {
    const { agent } = start([say("Hi"), say("Fine")])
    const unsubscribe = agent.subscribe((event) => {
      if (event.type === "message_update") throw new Error("Torn")
    })
    await agent.prompt("Hello").catch(() => {})
    unsubscribe()

    await agent.prompt("Again")

    expect(lines(agent.state.messages).at(-1)).toBe("assistant: Fine")
    expect(agent.state.errorMessage).toBeUndefined()
  })
})

describe("observe()", () => {
  test("tells of every event, after the state was reduced", async () => {
    const { agent, events } = start([say("Hi")])
    const seen: AgentEvent[] = []
    agent.observe((event, signal) => {
      seen.push(event)
      expect(signal).toBe(agent.signal)
      if (event.type === "message_end") expect(agent.state.messages.at(-1)).toBe(event.message)
    })

    await agent.prompt("Hello")

    expect(seen).toEqual(events)
  })

  test("does not wait for a listener that never settles", async () => {
    const { agent } = start([say("Hi")])
    agent.observe(() => new Promise(() => {}))

    await agent.prompt("Hello")

    expect(lines(agent.state.messages).at(-1)).toBe("assistant: Hi")
  })

  test("gives what a listener throws or rejects with to onObserverError", async () => {
    const onObserverError = vi.fn()
    const { agent } = start([say("Hi")], { onObserverError })
    agent.observe(({ type }) => {
      if (type === "agent_start") throw new Error("Sync")
    })
    agent.observe(async ({ type }) => {
      if (type === "turn_start") throw new Error("Async")
    })

    await agent.prompt("Hello")

    expect(onObserverError.mock.calls).toEqual([
      [new Error("Sync"), { type: "agent_start" }],
      [new Error("Async"), { type: "turn_start" }],
    ])
    expect(agent.state.errorMessage).toBeUndefined()
  })

  test.each([
    {
      how: "throws",
      onObserverError: () => {
        throw new Error("Worse")
      },
    },
    { how: "rejects", onObserverError: () => Promise.reject(new Error("Worse")) },
  ])("survives an onObserverError that $how", async ({ onObserverError }) => {
    const { agent } = start([say("Hi")], { onObserverError })
    agent.observe(() => {
      throw new Error("Bad")
    })
    agent.observe(() => Promise.reject(new Error("Bad")))

    await agent.prompt("Hello")

    expect(agent.state.errorMessage).toBeUndefined()
  })

  test("reports to reportError where there is one", async () => {
    const reportError = vi.fn()
    vi.stubGlobal("reportError", reportError)
    const { agent } = start([say("Hi")])
    agent.observe(({ type }) => {
      if (type === "turn_end") throw new Error("Bad")
    })

    await agent.prompt("Hello")

    expect(reportError.mock.calls).toEqual([[new Error("Bad")]])
  })

  test("reports to the console elsewhere", async () => {
    vi.stubGlobal("reportError", undefined)
    const log = vi.spyOn(console, "error").mockImplementation(() => {})
    const { agent } = start([say("Hi")])
    agent.observe(({ type }) => {
      if (type === "turn_end") throw new Error("Bad")
    })

    await agent.prompt("Hello")

    expect(log.mock.calls).toEqual([[new Error("Bad")]])
  })

  test("ends when it is unsubscribed", async () => {
    const { agent } = start([say("Hi")])
    const seen: string[] = []
    const stop = agent.observe(({ type }) => {
      seen.push(type)
      stop()
    })

    await agent.prompt("Hello")

    expect(seen).toEqual(["agent_start"])
  })

  test("gets an event before a barrier listener that holds it", async () => {
    const { agent } = start([hang()])
    const { promise, open } = gate()
    const order: string[] = []
    agent.subscribe(async ({ type }) => {
      if (type !== "agent_start") return
      await promise
      order.push("barrier")
    })
    agent.observe(({ type }) => {
      if (type === "agent_start") order.push("observer")
    })

    const run = agent.prompt("Hello")
    agent.abort()
    open()
    await run

    expect(order).toEqual(["observer", "barrier"])
  })
})
