import { openAiResponsesWire, overHttp } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import type { Model } from "@heddle/types"
import { openaiResponses } from "../../src/index.ts"

const model: Model = {
  id: "gpt-conformance",
  name: "Conformance",
  api: "openai-responses",
  provider: "openai",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 200_000,
  maxTokens: 8_192,
}

describeStreamFn("openaiResponses", {
  connect: overHttp(openAiResponsesWire, ({ url, key }) => ({
    streamFn: openaiResponses(),
    model: { ...model, baseUrl: `${url}/v1` },
    options: { apiKey: key },
  })),
  // Thinking that cannot be read is not marked as such on this wire, and usage comes at the end only.
  capabilities: {
    http: true,
    thinking: true,
    signatures: true,
    toolCalls: true,
    parallelToolCalls: true,
    argumentsAsText: true,
    opaque: true,
    images: true,
    usage: true,
    contentFilter: true,
    inStreamErrors: true,
    retries: true,
    timeouts: true,
    hooks: true,
  },
})
