import { describe, expect, test } from "vitest"
import { asked, call, hang, lines, say, start, tool, user } from "./script.ts"

describe("steer() and followUp()", () => {
  test("queue a message, or text as a user message", () => {
    const { agent } = start([])
    const message = user("As it is")

    agent.steer("Text")
    agent.steer(message)
    agent.followUp("Later")

    const { steering, followUp } = agent.peekQueuedMessages()
    expect(steering).toStrictEqual([user("Text"), message])
    expect(steering[1]).toBe(message)
    expect(followUp).toStrictEqual([user("Later")])
  })

  test("never wake an idle agent", async () => {
    const { agent, events } = start([say("Hi")])
    agent.steer("Now")
    agent.followUp("Later")
    await Promise.resolve()

    expect([events, agent.state.isStreaming, agent.hasQueuedMessages()]).toEqual([[], false, true])
  })

  test("steering goes before the model at the next turn, after the tool results", async () => {
    const { agent, requests } = start([call(["a", "read"], ["b", "read"]), say("Done")], {
      initialState: {
        tools: [
          tool("read", (id) => {
            if (id === "a") agent.steer("Look there")
            return { content: [{ type: "text", text: id }], details: {} }
          }),
        ],
      },
    })

    await agent.prompt("Hello")

    expect(asked(requests[1])).toEqual([
      "user: Hello",
      "assistant: <a> <b>",
      "toolResult: a",
      "toolResult: b",
      "user: Look there",
    ])
  })

  test("steering that waits when a run starts joins its first turn", async () => {
    const { agent, requests } = start([say("Hi")])
    agent.steer("Mind this")

    await agent.prompt("Hello")

    expect(asked(requests[0])).toEqual(["user: Hello", "user: Mind this"])
    expect(requests).toHaveLength(1)
  })

  test("follow-ups wait until nothing else continues the run", async () => {
    const { agent, requests } = start([call(["a", "read"]), say("One"), say("Two")], {
      initialState: { tools: [tool("read")] },
    })
    agent.followUp("And then")

    await agent.prompt("Hello")

    expect(requests).toHaveLength(3)
    expect(asked(requests[2]).slice(-2)).toEqual(["assistant: One", "user: And then"])
  })

  test.each([
    { queue: "steer", mode: "one-at-a-time", turns: [["A"], ["B"]] },
    { queue: "steer", mode: "all", turns: [["A", "B"]] },
    { queue: "followUp", mode: "one-at-a-time", turns: [["A"], ["B"]] },
    { queue: "followUp", mode: "all", turns: [["A", "B"]] },
  ] as const)("$queue in mode $mode drains $turns", async ({ queue, mode, turns }) => {
    const { agent, requests } = start([say("0"), say("1"), say("2"), say("3")], {
      steeringMode: mode,
      followUpMode: mode,
    })
    agent.subscribe((event) => {
      if (event.type !== "turn_end" || requests.length > 1) return
      agent[queue]("A")
      agent[queue]("B")
    })

    await agent.prompt("Hello")

    expect(
      requests
        .slice(1)
        .map((request) =>
          asked(request).slice(
            lines(request.context.messages).lastIndexOf(`assistant: ${requests.indexOf(request) - 1}`) + 1,
          ),
        ),
    ).toEqual(turns.map((turn) => turn.map((text) => `user: ${text}`)))
  })

  test("a mode that is assigned during a run holds from the next drain", async () => {
    const { agent, requests } = start([say("0"), say("1"), say("2")])
    for (const text of ["A", "B", "C"]) agent.followUp(text)
    agent.subscribe((event) => {
      if (event.type === "turn_end" && requests.length === 2) agent.followUpMode = "all"
    })

    await agent.prompt("Hello")

    expect(asked(requests[1]).at(-1)).toBe("user: A")
    expect(asked(requests[2]).slice(-2)).toEqual(["user: B", "user: C"])
  })

  test("a mode of undefined is one at a time", async () => {
    const { agent, requests } = start([say("0"), say("1")])
    agent.steeringMode = undefined
    agent.steer("A")
    agent.steer("B")

    await agent.prompt("Hello")

    expect(asked(requests[0])).toEqual(["user: Hello", "user: A"])
  })
})

describe("queued messages", () => {
  test("can be seen, cleared one queue at a time, and all at once", () => {
    const { agent } = start([])
    const fill = () => {
      agent.steer("S")
      agent.followUp("F")
    }

    fill()
    agent.clearSteeringQueue()
    expect(agent.peekQueuedMessages()).toEqual({ steering: [], followUp: [user("F")] })
    agent.clearFollowUpQueue()
    expect(agent.hasQueuedMessages()).toBe(false)
    fill()
    agent.clearAllQueues()
    expect(agent.peekQueuedMessages()).toEqual({ steering: [], followUp: [] })
  })

  test("are peeked at as a copy", () => {
    const { agent } = start([])
    agent.steer("S")
    agent.peekQueuedMessages().steering.length = 0

    expect(agent.hasQueuedMessages()).toBe(true)
  })

  test("count as queued until their message_start", async () => {
    const { agent } = start([say("Hi"), say("Again")], { steeringMode: "all" })
    const seen: string[] = []
    agent.subscribe((event) => {
      if (event.type === "turn_end" && agent.state.messages.length < 3) {
        agent.steer("A")
        agent.steer("B")
      }
      if (event.type === "turn_start" || event.type === "message_start") {
        seen.push(`${event.type} ${lines(agent.peekQueuedMessages().steering).join()}`)
      }
    })

    await agent.prompt("Hello")

    expect(seen.slice(-4)).toEqual([
      "turn_start user: A,user: B",
      "message_start user: B",
      "message_start ",
      "message_start ",
    ])
  })

  test.each(["steer", "followUp"] as const)(
    "of %s go back to the front, in order, when the run ends before their message_start",
    async (queue) => {
      const { agent } = start([say("Hi"), say("Again")], { steeringMode: "all", followUpMode: "all" })
      let turns = 0
      agent.subscribe((event) => {
        if (event.type === "turn_end" && turns === 1) {
          agent[queue]("A")
          agent[queue]("B")
        }
        if (event.type === "turn_start" && ++turns === 2) {
          agent[queue]("C")
          agent.abort()
        }
      })

      await agent.prompt("Hello")

      const { steering, followUp } = agent.peekQueuedMessages()
      expect(lines([...steering, ...followUp])).toEqual(["user: A", "user: B", "user: C"])
      const said = () => lines(agent.state.messages).filter((line) => line.startsWith("user"))
      expect(said()).toEqual(["user: Hello"])

      // Back in the queue means that the next run takes them up.
      await agent.continue()
      expect(said()).toEqual(["user: Hello", "user: A", "user: B", "user: C"])
      expect(agent.hasQueuedMessages()).toBe(false)
    },
  )

  test("are back in their queue when the agent_end listeners are called", async () => {
    const { agent } = start([say("Hi")])
    let atEnd: string[] = []
    let turns = 0
    agent.subscribe((event) => {
      if (event.type === "turn_end" && turns === 1) agent.steer("A")
      if (event.type === "turn_start" && ++turns === 2) throw new Error("Torn")
      if (event.type === "agent_end") atEnd = lines(agent.peekQueuedMessages().steering)
    })

    await agent.prompt("Hello").catch(() => {})

    expect(atEnd).toEqual(["user: A"])
    expect(lines(agent.peekQueuedMessages().steering)).toEqual(["user: A"])
  })

  test("are not lost when the run is aborted before they are drained", async () => {
    const { agent } = start([
      hang(() => {
        agent.steer("A")
        agent.followUp("B")
        agent.abort()
      }),
    ])

    await agent.prompt("Hello")

    expect(agent.peekQueuedMessages()).toEqual({ steering: [user("A")], followUp: [user("B")] })
  })

  test("that were cleared while a run had them do not come back", async () => {
    const { agent } = start([say("Hi")])
    let turns = 0
    agent.subscribe((event) => {
      if (event.type === "turn_end" && turns === 1) agent.steer("A")
      if (event.type === "turn_start" && ++turns === 2) {
        agent.clearAllQueues()
        agent.abort()
      }
    })

    await agent.prompt("Hello")

    expect(agent.hasQueuedMessages()).toBe(false)
  })

  test("may be one object twice", async () => {
    const { agent, requests } = start([say("Hi"), say("Again")], { steeringMode: "all" })
    const message = user("Twice")
    agent.steer(message)
    agent.steer(message)

    await agent.prompt("Hello")

    expect(asked(requests[0])).toEqual(["user: Hello", "user: Twice", "user: Twice"])
    expect(agent.hasQueuedMessages()).toBe(false)
  })

  test("stay untouched when shouldStopAfterTurn ends the run", async () => {
    const { agent } = start([say("Hi")], { shouldStopAfterTurn: () => true })
    agent.followUp("Later")

    await agent.prompt("Hello")

    expect(lines(agent.peekQueuedMessages().followUp)).toEqual(["user: Later"])
  })
})
