import { geminiWire, overHttp } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import type { Model } from "@heddle/types"
import { googleGenerativeAi } from "../src/index.ts"

const model: Model = {
  id: "gemini-conformance",
  name: "Conformance",
  api: "google-generative-ai",
  provider: "google",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 200_000,
  maxTokens: 8_192,
}

describeStreamFn("googleGenerativeAi", {
  connect: overHttp(geminiWire, ({ url, key }) => ({
    streamFn: googleGenerativeAi(),
    model: { ...model, baseUrl: url },
    options: { apiKey: key },
  })),
  // Arguments are objects on this wire, and thinking is never hidden behind a payload.
  capabilities: {
    http: true,
    thinking: true,
    signatures: true,
    toolCalls: true,
    parallelToolCalls: true,
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
