import { anthropicWire, overHttp } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import type { Model } from "@heddle/types"
import { anthropicMessages } from "../src/index.ts"

const model: Model = {
  id: "claude-conformance",
  name: "Conformance",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 200_000,
  maxTokens: 8_192,
}

describeStreamFn("anthropicMessages", {
  connect: overHttp(anthropicWire, ({ url, key }) => ({
    streamFn: anthropicMessages(),
    model: { ...model, baseUrl: url },
    options: { apiKey: key },
  })),
  capabilities: {
    http: true,
    thinking: true,
    signatures: true,
    redactedThinking: true,
    toolCalls: true,
    parallelToolCalls: true,
    argumentsAsText: true,
    opaque: true,
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
