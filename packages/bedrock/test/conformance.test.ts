import { bedrockWire, overHttp } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import type { Model } from "@heddle/types"
import { bedrockConverse } from "../src/index.ts"

const model: Model = {
  id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  name: "Conformance",
  api: "bedrock-converse-stream",
  provider: "amazon-bedrock",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 200_000,
  maxTokens: 8_192,
}

const streamFn = bedrockConverse({ region: "us-east-1" })

describeStreamFn("bedrockConverse", {
  connect: overHttp(bedrockWire, ({ url, key }) => ({
    streamFn,
    model: { ...model, baseUrl: url },
    options: { apiKey: key },
  })),
  // The wire has no blocks of the vendor's own that the kit knows of.
  capabilities: {
    http: true,
    thinking: true,
    signatures: true,
    redactedThinking: true,
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
