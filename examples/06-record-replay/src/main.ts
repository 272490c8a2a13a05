/**
 * Records a run of an agent to a file, then replays it: the same agent, the same events, and no model.
 */
import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent } from "@heddle/agent"
import { callTool, faux, fauxModel, record, replay, say, think } from "@heddle/faux"
import { defineTool, textResult } from "@heddle/tools"
import type { AgentEvent, StreamFn } from "@heddle/types"
import { Type } from "@sinclair/typebox"

const weather = defineTool({
  name: "weather",
  label: "Weather",
  description: "Tells the weather in a city.",
  parameters: Type.Object({ city: Type.String() }),
  execute: async (_id, { city }) => textResult(`Rain in ${city}`, {}),
})

/** The agent under test. The clock is still, so that two runs differ in nothing. */
async function run(streamFn: StreamFn, question: string): Promise<AgentEvent[]> {
  const agent = new Agent({ streamFn, now: () => 0, initialState: { model: fauxModel(), tools: [weather] } })
  const events: AgentEvent[] = []
  agent.subscribe((event) => void events.push(event))
  await agent.prompt(question)
  return events
}

// Put a real adapter here, with a key, once. What comes after needs neither.
const model = faux([
  [think("I should look."), callTool("weather", { city: "Bergen" })],
  say("It rains in Bergen. It usually does."),
])

const folder = mkdtempSync(join(tmpdir(), "heddle-recording-"))
const file = join(folder, "bergen.jsonl")
const recorded = record(model, (line) => appendFileSync(file, line))
const original = await run(recorded, "Do I need an umbrella in Bergen?")
await recorded.flush()
const recording = readFileSync(file, "utf8")
rmSync(folder, { recursive: true })

console.log(
  `Recorded ${original.length} events of the run in ${recording.trimEnd().split("\n").length} lines.`,
)

// The test that the recording makes possible.
const replayed = await run(replay(recording), "Do I need an umbrella in Bergen?")
assert.deepEqual(replayed, original)
console.log("Replayed: every event is the same.")

// With `match: "strict"`, a request that has changed is not answered with yesterday's words.
const changed = await run(replay(recording, { match: "strict" }), "Do I need sunglasses in Bergen?")
const last = changed.at(-1)
assert.equal(last?.type === "agent_end" && last.reason, "error")
const failed = last?.type === "agent_end" ? last.messages.at(-1) : undefined
assert.match((failed?.role === "assistant" && failed.errorMessage) || "", /messages/)
console.log(`Changed: ${failed?.role === "assistant" ? failed.errorMessage : ""}`)
console.log("All checks passed.")
