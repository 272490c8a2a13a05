/**
 * One conversation, three vendors: Anthropic begins, OpenAI goes on in the middle of the run, Google finishes,
 * and Anthropic answers the next question.
 */
import assert from "node:assert/strict"
import { Agent } from "@heddle/agent"
import { anthropicMessages } from "@heddle/anthropic"
import { googleGenerativeAi } from "@heddle/google"
import { defineModel, getModel } from "@heddle/models"
import { openaiResponses } from "@heddle/openai"
import { routeByApi } from "@heddle/stream"
import { defineTool, textResult } from "@heddle/tools"
import { Type } from "@sinclair/typebox"
import { startMock } from "./mock.ts"

const weather = defineTool({
  name: "weather",
  label: "Weather",
  description: "Tells the weather in a city.",
  parameters: Type.Object({ city: Type.String() }),
  execute: async (_id, { city }) => textResult(`Rain in ${city}`, {}),
})

const train = defineTool({
  name: "train",
  label: "Train",
  description: "Tells how long a train takes.",
  parameters: Type.Object({ from: Type.String(), to: Type.String() }),
  execute: async (_id, { from, to }) => textResult(`${from} to ${to}: 7 hours`, {}),
})

const mock = await startMock()
try {
  // The catalogue's models, at the mock's address. Leave the address alone to talk to the vendors themselves.
  const anthropic = defineModel({ ...getModel("anthropic", "claude-haiku-5-5"), baseUrl: mock.url })
  const openai = defineModel({ ...getModel("openai", "gpt-6-luna"), baseUrl: `${mock.url}/v1` })
  const google = defineModel({ ...getModel("google", "gemini-3.5-flash-lite"), baseUrl: mock.url })

  /** What goes over the wire, in the order of the requests. */
  const bodies: string[] = []
  const agent = new Agent({
    streamFn: routeByApi({
      "anthropic-messages": anthropicMessages(),
      "openai-responses": openaiResponses(),
      "google-generative-ai": googleGenerativeAi(),
    }),
    apiKey: "no-key-is-needed-here",
    onPayload: (payload) => void bodies.push(JSON.stringify(payload)),
    initialState: { model: anthropic, thinkingLevel: "low", tools: [weather, train] },
  })

  // The whole hand-over: what the state says when a turn ends is what the next turn is made with.
  const next = [openai, google]
  agent.subscribe((event) => {
    if (event.type === "turn_end") agent.state.model = next.shift() ?? anthropic
  })

  await agent.prompt("What is the weather in Oslo, and how long is the train from there to Bergen?")
  await agent.prompt("Do I need an umbrella?")
  assert.equal(agent.state.errorMessage, undefined)

  for (const message of agent.state.messages) {
    if (message.role !== "assistant") continue
    console.log(`\n${message.provider}, ${message.model}`)
    for (const block of message.content) {
      if (block.type === "thinking") console.log(`  thinks   ${block.thinking}`)
      if (block.type === "toolCall") console.log(`  calls    ${block.name}, as ${block.id}`)
      if (block.type === "text") console.log(`  says     ${block.text}`)
    }
  }

  const [toAnthropic = "", toOpenai = "", toGoogle = "", again = ""] = bodies
  assert.equal(bodies.length, 4)

  const thoughts = { anthropic: "First the weather", openai: "so they will want to leave" }
  const signature = /"signature":"[^"]+"/
  assert.doesNotMatch(toAnthropic, signature)

  // OpenAI reads what was called and what it gave, under the id that Anthropic chose; what was thought it does not.
  assert.match(toOpenai, /"type":"function_call","call_id":"toolu_01","name":"weather"/)
  assert.match(toOpenai, /"type":"function_call_output","call_id":"toolu_01","output":"Rain in Oslo"/)
  assert.ok(!toOpenai.includes(thoughts.anthropic) && !signature.test(toOpenai))

  // Google knows calls by their place: no id of another vendor, and a note that the call is not its own.
  assert.match(toGoogle, /"functionCall":\{"name":"weather"/)
  assert.match(toGoogle, /"thoughtSignature":"skip_thought_signature_validator"/)
  assert.doesNotMatch(toGoogle, /toolu_01|call_02|encrypted_content/)
  assert.ok(!toGoogle.includes(thoughts.anthropic) && !toGoogle.includes(thoughts.openai))

  // Back home, Anthropic finds its own thinking as it was, with its signature. OpenAI's call has a legal id now.
  assert.ok(again.includes(thoughts.anthropic) && signature.test(again))
  assert.ok(!again.includes(thoughts.openai) && !again.includes("call_02|fc_02"))
  const [call] = /(?<="id":")call_02[\w-]+(?=","name":"train")/.exec(again) ?? []
  assert.ok(call && again.includes(`"tool_use_id":"${call}"`))

  console.log(
    `\nTo Anthropic, OpenAI's call_02|fc_02 is ${call}; to Google, no call has a name of another vendor.`,
  )
  console.log("Only Anthropic was shown what Anthropic thought. All checks passed.")
} finally {
  mock.stop()
}
