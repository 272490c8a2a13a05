import { openAiChatWire, overHttp } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import type { Model } from "@heddle/types"
import { openaiCompletions } from "../../src/index.ts"

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

describeStreamFn("openaiCompletions", {
  connect: overHttp(openAiChatWire, ({ url, key }) => ({
    streamFn: openaiCompletions(),
    model: { ...model, baseUrl: `${url}/v1` },
    options: { apiKey: key },
  })),
  // The wire of OpenAI itself: no signatures, no blocks of the vendor's own.
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
    retries: true,
    timeouts: true,
    hooks: true,
  },
})
