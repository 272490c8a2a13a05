import { overHttp, proxyWire } from "@heddle/conformance/node"
import { describeStreamFn } from "@heddle/conformance/vitest"
import { createProxyStreamFn } from "../src/index.ts"

describeStreamFn("the proxy client", {
  connect: overHttp(proxyWire, ({ url, key }) => ({
    streamFn: createProxyStreamFn({ proxyUrl: url, authToken: key }),
  })),
  // It sends a request once: whether another try may help is the server's to judge, and the caller's.
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
    contentFilter: true,
    inStreamErrors: true,
    timeouts: true,
    hooks: true,
  },
})
