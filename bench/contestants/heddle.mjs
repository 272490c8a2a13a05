/**
 * Heddle among the contestants: the packed packages as a user installs them, in the scenarios' own adapter for
 * packages that speak the contract.
 *
 * Plain JavaScript, like the other contestants and the process that measures them: nothing is transformed while
 * it counts.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const folder = process.env.HEDDLE_BENCH_CONSUMER
const { makePiContestant } = await load(join(process.env.HEDDLE_BENCH, "lib", "pi-like.mjs"))
const { default: use } = await load(join(folder, "imp.mjs"))

const [loop, agent, stream, proxy, anthropic, openai, google] = await Promise.all(
  ["loop", "agent", "stream", "proxy-client", "anthropic", "openai", "google"].map((name) =>
    use(`@heddle/${name}`),
  ),
)

/** What the builder does with every piece of a call's arguments; it is in `AssistantMessageBuilder.toolInput`. */
function argParser() {
  const json = new stream.PartialJson()
  return {
    append(delta) {
      json.append(delta)
      return json.value ?? {}
    },
    finish: () => json.finish().value,
  }
}

// biome-ignore lint/style/noDefaultExport: contestants of the scenarios are default exports
export default makePiContestant(
  {
    agentLoop: loop.agentLoop,
    Agent: agent.Agent,
    AssistantMessageEventStream: stream.AssistantMessageEventStream,
    streamProxy: proxy.streamProxy,
    argParser,
    providers: {
      anthropic: anthropic.anthropicMessages(),
      openai: openai.openaiCompletions(),
      gemini: google.googleGenerativeAi(),
    },
  },
  {
    name: "heddle",
    label: "Heddle",
    cold: {
      dir: folder,
      code: `const { Agent } = await imp("@heddle/agent")
const { anthropicMessages } = await imp("@heddle/anthropic")
const model = { id: "claude-sonnet-4-5", name: "", api: "anthropic-messages", provider: "anthropic", baseUrl: "",
  reasoning: true, input: ["text"], cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200000, maxTokens: 64000 }
new Agent({ streamFn: anthropicMessages({ apiKey: "k" }), initialState: { systemPrompt: "s", model, tools: [] } })`,
    },
    bundle: [
      {
        dir: folder,
        variant: "Agent and proxy client",
        code: `export { Agent } from "@heddle/agent"; export { streamProxy } from "@heddle/proxy-client"`,
      },
      { dir: folder, variant: "Agent alone", code: `export { Agent } from "@heddle/agent"` },
    ],
  },
)

function load(path) {
  return import(pathToFileURL(path).href)
}
