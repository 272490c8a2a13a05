/**
 * Every provider, through the agent, from the prompt to the transcript.
 *
 * By default each is a local server that speaks the vendor's wire. With `LIVE=1` it is the vendor itself, where
 * a key is at hand; those without one are skipped, and say so.
 */
import { Agent } from "@heddle/agent"
import { type FaultServer, startFaultServer } from "@heddle/conformance/node"
import type { AssistantMessage } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { IS_LIVE, LIVE_LIMITS, whyNotAsked } from "./live.ts"
import { PROVIDERS, type ProviderRow, THOUGHT } from "./providers.ts"
import { violationsOf } from "./request-rules.ts"
import { SCENARIOS, type Scenario, USAGE } from "./scenarios.ts"

const LOCAL_KEY = "sk-local-4f1d"

if (IS_LIVE) {
  const rows = PROVIDERS.map((row) => ({ ...row, skipped: whyNotAsked(row.keys) }))
  const missing = rows.filter(({ skipped }) => skipped).map(({ name, skipped }) => name + skipped)
  console.log(`Not asked: ${missing.join(", ") || "nobody"}.`)

  for (const row of rows) {
    describe.skipIf(row.skipped)(`${row.name}, ${row.model.id}${row.skipped}`, () => {
      test.each(SCENARIOS)("$name", LIVE_LIMITS, async (scenario) => {
        const agent = agentFor(row, scenario)
        await scenario.play(agent, row.level)

        expectCounted(agent)
      })
    })
  }
} else {
  describe.each(PROVIDERS)("$name, as a local server,", (row) => {
    test.each(SCENARIOS)("$name", async (scenario) => {
      const server = await startFaultServer(row.wire, { replies: scenario.replies })
      try {
        const agent = agentFor(row, scenario, server.url)
        await scenario.play(agent, row.level)

        expectCounted(agent)
        expectAsked(row, scenario, server)
      } finally {
        await server.close()
      }
    })
  })
}

/** @param url Where the local server is; absent: the vendor's own address, with the key of the environment. */
function agentFor(row: ProviderRow, scenario: Scenario, url?: string): Agent {
  return new Agent({
    streamFn: row.streamFn,
    ...(url !== undefined && { apiKey: LOCAL_KEY, maxRetries: 0 }),
    initialState: {
      systemPrompt: "You are a helpful assistant. Be brief.",
      model: url === undefined ? row.model : { ...row.model, baseUrl: url },
      tools: scenario.tools ?? [],
    },
  })
}

/** Counters do not overlap, and are paid for. */
function expectCounted(agent: Agent): void {
  for (const { usage, stopReason } of answersOf(agent)) {
    const { input, output, cacheRead, cacheWrite, totalTokens, cost } = usage
    expect(totalTokens).toBe(input + output + cacheRead + cacheWrite)
    if (!IS_LIVE && stopReason !== "aborted") expect(usage).toMatchObject(USAGE)
    if (stopReason !== "aborted" && agent.state.model?.cost.input !== 0) expect(cost.total).toBeGreaterThan(0)
  }
}

/** What reached the server is what the vendor would take, and holds what it wants back of its thinking. */
function expectAsked(row: ProviderRow, scenario: Scenario, server: FaultServer): void {
  expect(server.requests).toHaveLength(scenario.replies.length)
  for (const { path, headers, body } of server.requests) {
    expect(path).toMatch(row.path)
    expect(Object.values(headers).join("\n")).toContain(LOCAL_KEY)
    expect(violationsOf(row.model, JSON.parse(body), "own")).toEqual([])
  }
  const isHungUp = scenario.replies.map((reply) => reply.type === "stream" && reply.steps.some(isStall))
  expect(server.requests.map(({ hungUp }) => hungUp)).toEqual(isHungUp)
  if (!scenario.replies.some((reply) => reply.type === "stream" && reply.steps.some(isThought))) return
  const [first, ...later] = server.requests.map(({ body }) => body)
  expect(first).not.toContain(THOUGHT)
  for (const body of later) {
    if (row.replays === null) expect(body).not.toContain(THOUGHT)
    else expect(body).toContain(row.replays)
  }
}

function isStall({ type }: { readonly type: string }): boolean {
  return type === "stall"
}

function isThought({ type }: { readonly type: string }): boolean {
  return type === "think"
}

function answersOf(agent: Agent): AssistantMessage[] {
  return agent.state.messages.filter((message) => message.role === "assistant")
}
