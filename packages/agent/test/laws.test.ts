/** What holds for any script, any abort and any listener. */
import type { AgentState } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createAgentState, reduceAgentState } from "../src/index.ts"
import { call, deepFreeze, fail, lines, type Reply, say, start, statesOf, tool, user } from "./script.ts"

type Turn =
  | { readonly calls: readonly ("ok" | "slow" | "broken")[] }
  | { readonly says: string }
  | { readonly fails: string }

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ calls: fc.array(fc.constantFrom("ok", "slow", "broken"), { minLength: 1, maxLength: 4 }) }),
  fc.record({ says: fc.string({ maxLength: 5 }) }),
  fc.record({ fails: fc.constant("Out of yarn") }),
)

/** What happens while the agent is at its n-th event. */
const disturbance = fc.record({
  at: fc.nat(60),
  does: fc.constantFrom("abort", "steer", "followUp", "throw", "reject", "settings", "nothing"),
})

const scenario = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
  disturbances: fc.array(disturbance, { maxLength: 4 }),
  toolExecution: fc.constantFrom("parallel", "sequential"),
  toolEndOrder: fc.constantFrom("source", "completion"),
  mode: fc.constantFrom("all", "one-at-a-time"),
  slowListener: fc.boolean(),
  /** An abort that comes from outside, whatever the run is at. */
  abortAfterTicks: fc.option(fc.nat(150), { nil: undefined }),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

async function play(scenario: Scenario) {
  const { turns, disturbances, toolExecution, toolEndOrder, mode, slowListener, abortAfterTicks } = scenario
  const { agent, events } = start(
    turns.map((turn, index): Reply => {
      if ("says" in turn) return say(turn.says)
      if ("fails" in turn) return fail(turn.fails)
      return call(...turn.calls.map((name, call) => [`${index}-${call}`, name] as const))
    }),
    {
      toolExecution: toolExecution as "parallel",
      toolEndOrder: toolEndOrder as "source",
      steeringMode: mode as "all",
      followUpMode: mode as "all",
      abortGraceMs: 0,
      initialState: deepFreeze({
        tools: [
          tool("ok"),
          tool("slow", async () => {
            for (let tick = 0; tick < 20; tick++) await Promise.resolve()
            return { content: [], details: {} }
          }),
          tool("broken", () => {
            throw new Error("Snapped")
          }),
        ],
        messages: [user("Before")],
      }),
    },
  )
  const initial: AgentState = { ...agent.state }
  let count = 0
  let thrown = false
  agent.subscribe((event) => {
    const at = count++
    const does = disturbances.filter((disturbance) => disturbance.at === at).map(({ does }) => does)
    for (const what of does) {
      if (what === "abort") agent.abort("Enough")
      if (what === "steer") agent.steer(`Steer ${at}`)
      if (what === "followUp") agent.followUp(`Follow ${at}`)
      if (what === "settings") agent.state.thinkingLevel = "low"
    }
    thrown ||= does.includes("throw") || does.includes("reject")
    if (does.includes("throw")) throw new Error("Torn")
    if (does.includes("reject")) return Promise.reject(new Error("Torn"))
    return slowListener && event.type !== "message_update" ? Promise.resolve() : undefined
  })
  const run = agent.prompt("Hello").then(
    () => "resolved",
    () => "rejected",
  )
  if (abortAfterTicks !== undefined) {
    for (let tick = 0; tick < abortAfterTicks; tick++) await Promise.resolve()
    agent.abort("From outside")
  }
  const outcome = await run
  return { agent, events, initial, outcome, thrown }
}

describe("for any script, listeners and abort", () => {
  test("the state is what reduceAgentState makes of the events", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (scenario) => {
        const { agent, events, initial } = await play(scenario)

        const rebuilt = deepFreeze(events).reduce(reduceAgentState, deepFreeze(initial))

        const { thinkingLevel, ...state } = { ...agent.state }
        const { thinkingLevel: _, ...expected } = { ...rebuilt }
        // The one thing no event can tell: what a listener did at the last one.
        const threwAtEnd = scenario.disturbances.some(
          ({ at, does }) => at === events.length - 1 && /throw|reject/.test(does),
        )
        if (threwAtEnd) expect({ ...state, errorMessage: "" }).toEqual({ ...expected, errorMessage: "" })
        else expect(state).toStrictEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  test("agent_end comes once and last, and the run settles", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (scenario) => {
        const { agent, events, outcome, thrown } = await play(scenario)

        expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(1)
        expect(events.at(-1)?.type).toBe("agent_end")
        expect(outcome).toBe(thrown ? "rejected" : "resolved")
        expect([agent.state.isStreaming, agent.signal, agent.state.pendingToolCalls.size]).toEqual([
          false,
          undefined,
          0,
        ])
        if (thrown) expect(agent.state.errorMessage).toBe("A listener failed: Torn")
      }),
      { numRuns: 500 },
    )
  })

  test("every call of a completed turn has exactly one result, in source order", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (scenario) => {
        const { agent } = await play(scenario)
        const { messages } = agent.state

        for (const [index, message] of messages.entries()) {
          if (message.role !== "assistant") continue
          const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
          const results: string[] = []
          for (const next of messages.slice(index + 1)) {
            if (next.role !== "toolResult") break
            results.push(next.toolCallId)
          }
          const completed = message.stopReason !== "error" && message.stopReason !== "aborted"
          expect(results).toEqual(completed ? calls : [])
        }
      }),
      { numRuns: 500 },
    )
  })

  test("a queued message is delivered once or still queued, never both or neither", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (scenario) => {
        const { agent, events } = await play(scenario)
        const queued = scenario.disturbances
          .filter(({ at, does }) => at < events.length && (does === "steer" || does === "followUp"))
          .map(({ at, does }) => `${does === "steer" ? "Steer" : "Follow"} ${at}`)
        const { steering, followUp } = agent.peekQueuedMessages()

        const found = lines([...agent.state.messages, ...steering, ...followUp]).flatMap(
          (line) => /^user: (Steer|Follow) \d+$/.exec(line)?.[0].slice(6) ?? [],
        )

        expect(found.sort()).toEqual([...queued].sort())
      }),
      { numRuns: 500 },
    )
  })

  test("reducing the same events twice gives equal states, and the same set for each", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (scenario) => {
        const { events } = await play(scenario)

        const read = statesOf(createAgentState(), events).map((state) => ({ ...state }))
        const unread = statesOf(createAgentState(), events)

        expect(unread).toEqual(read)
      }),
      { numRuns: 100 },
    )
  })
})
