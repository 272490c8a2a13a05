/**
 * A harness built on the loop alone, without the Agent: everything it adds is a function in the loop's config.
 */
import assert from "node:assert/strict"
import { callTool, faux, fauxModel, say } from "@heddle/faux"
import { runAgentLoop } from "@heddle/loop"
import { defineTool, textResult } from "@heddle/tools"
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage, Message } from "@heddle/types"
import { Type } from "@sinclair/typebox"

// A message of our own: kept in the transcript, shown to people, never sent to a model.
declare module "@heddle/types" {
  interface CustomAgentMessages {
    notice: { readonly role: "notice"; readonly text: string; readonly timestamp: number }
  }
}

const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: Date.now() })
const notice = (text: string): AgentMessage => ({ role: "notice", text, timestamp: Date.now() })

const files = new Map([["notes.txt", "buy milk"]])

const readFile = defineTool({
  name: "read_file",
  label: "Read file",
  description: "Reads a file.",
  parameters: Type.Object({ path: Type.String() }),
  execute: async (_id, { path }) => textResult(files.get(path) ?? `There is no file ${path}`),
})

const writeFile = defineTool({
  name: "write_file",
  label: "Write file",
  description: "Writes a file.",
  parameters: Type.Object({ path: Type.String(), text: Type.String() }),
  execute: async (_id, { path, text }) => {
    files.set(path, text)
    return textResult(`Wrote ${text.length} characters`)
  },
})

// The scripted model: reads, then wants to write where it may not, then writes where it may.
const small = fauxModel({ id: "small" })
const large = fauxModel({ id: "large" })
const streamFn = faux([
  [say("Let me look."), callTool("read_file", { path: "notes.txt" })],
  [
    callTool("write_file", { path: "/etc/passwd", text: "milk" }),
    callTool("read_file", { path: "notes.txt" }),
  ],
  callTool("write_file", { path: "notes.txt", text: "buy milk and bread" }),
  say("This turn is over the budget and never asked for."),
])

const transcript: AgentMessage[] = [notice("Session restored"), user("old question"), user("Update my notes")]
const steering: AgentMessage[] = []
const BUDGET_TURNS = 3
let turns = 0

const config: AgentLoopConfig = {
  model: small,
  streamFn,
  // Prune what one request sees. The transcript itself keeps everything.
  transformContext: (messages) => {
    const lastQuestion = messages.findLastIndex(
      (message) => message.role === "user" && message.content === "go",
    )
    return messages.filter((_message, index) => index >= lastQuestion)
  },
  // The bridge between the two worlds: notices are for people, and say so to the model only on request.
  convertToLlm: (messages) => messages.filter((message): message is Message => message.role !== "notice"),
  // Permission: nothing is written outside the folder.
  beforeToolCall: ({ toolCall, args }) => {
    if (toolCall.name !== "write_file") return undefined
    const { path } = args as { path: string }
    return path.startsWith("/") ? { block: true, reason: `Writing to ${path} is not allowed` } : undefined
  },
  // Somebody types while the agent works: it is heard at the next turn.
  getSteeringMessages: () => steering.splice(0),
  // After the first turn: a stronger model, and a tool that was not there before.
  prepareNextTurn: ({ context }) =>
    turns === 1 ? { model: large, context: { ...context, tools: [readFile, writeFile] } } : undefined,
  shouldStopAfterTurn: () => turns >= BUDGET_TURNS,
}

async function onEvent(event: AgentEvent): Promise<void> {
  if (event.type === "message_end" && event.message.role === "notice") console.log(`(${event.message.text})`)
  if (event.type === "tool_execution_end") {
    const [block] = event.result.content
    console.log(`${event.isError ? "✗" : "✓"} ${event.toolName}: ${block?.type === "text" ? block.text : ""}`)
  }
  if (event.type === "turn_end") {
    turns++
    console.log(`turn ${turns} by ${event.message.model}: ${event.message.stopReason}`)
    if (turns === 1) steering.push(user("And add bread"), notice("You can go on typing"))
  }
  if (event.type === "agent_end") console.log(`ended: ${event.reason}`)
}

const context: AgentContext = { systemPrompt: "Keep notes.", messages: transcript, tools: [readFile] }
const produced = await runAgentLoop([user("go")], context, config, onEvent)

// What must have happened.
const { requests } = streamFn
assert.equal(requests.length, 3, "the budget ended the run before a fourth request")
assert.deepEqual(
  requests.map((request) => request.model.id),
  ["small", "large", "large"],
)
assert.deepEqual(
  requests.map((request) => request.context.tools?.map((tool) => tool.name)),
  [["read_file"], ["read_file", "write_file"], ["read_file", "write_file"]],
)
assert.equal(requests[0]?.context.messages.length, 1, "older messages were pruned from the request")
assert.equal(requests[1]?.context.messages.length, 4, "go, the call, its result, and the steering message")
assert.equal(files.get("notes.txt"), "buy milk and bread")
assert.equal(files.has("/etc/passwd"), false)
const blocked = produced.find((message) => message.role === "toolResult" && message.isError)
assert.deepEqual(blocked?.role === "toolResult" && blocked.content, [
  { type: "text", text: "Writing to /etc/passwd is not allowed" },
])
assert.ok(
  produced.some((message) => message.role === "notice"),
  "our own message went through the run",
)
assert.equal(transcript.length, 3, "the caller's transcript was not written")
console.log("All checks passed.")
