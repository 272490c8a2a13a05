import { openAiChatWire, startFaultServer } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import { faux, fauxModel } from "@heddle/faux"
import { openaiCompletions } from "@heddle/openai"
import type { Model } from "@heddle/types"
import { pairUp, TOKEN } from "./pair.ts"
import { toScript } from "./to-script.ts"

describeStreamFn("faux behind the proxy pair", {
  connect: async (scenario) => {
    const script = [toScript(scenario), toScript(scenario)]
    const pair = await pairUp(fauxModel(), faux(script, { chunkSize: 64 }))
    return { streamFn: pair.streamFn, model: fauxModel(), secrets: [TOKEN], close: pair.close }
  },
  capabilities: {
    thinking: true,
    signatures: true,
    redactedThinking: true,
    toolCalls: true,
    parallelToolCalls: true,
    argumentsAsText: true,
    opaque: true,
    usage: true,
    usageOnError: true,
    contentFilter: true,
    inStreamErrors: true,
  },
})

const model: Model = {
  id: "gpt-conformance",
  name: "Conformance",
  api: "openai-completions",
  provider: "openai",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 200_000,
  maxTokens: 8_192,
}

const KEY = "sk-conformance-behind-the-pair"

describeStreamFn("openaiCompletions behind the proxy pair", {
  connect: async (scenario) => {
    const vendor = await startFaultServer(openAiChatWire, scenario, { key: KEY })
    // Whether a request is sent again is the server's to decide: the suite's own option does not travel.
    const upstream = openaiCompletions({ apiKey: KEY })
    const pair = await pairUp({ ...model, baseUrl: `${vendor.url}/v1` }, (asked, context, options) =>
      upstream(asked, context, { ...options, maxRetries: 0 }),
    )
    return {
      streamFn: pair.streamFn,
      model,
      secrets: [TOKEN, KEY, vendor.url],
      requests: () => vendor.requests,
      close: async () => {
        await pair.close()
        await vendor.close()
      },
    }
  },
  capabilities: {
    http: true,
    thinking: true,
    toolCalls: true,
    parallelToolCalls: true,
    argumentsAsText: true,
    images: true,
    usage: true,
    usageOnError: true,
    contentFilter: true,
    inStreamErrors: true,
    timeouts: true,
  },
})
