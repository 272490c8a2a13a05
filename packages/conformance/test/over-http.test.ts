import { overHttp, proxyWire } from "../src/node.ts"
import { describeStreamFn } from "../src/vitest.ts"
import { proxyStreamFn } from "./proxy-stream-fn.ts"

describeStreamFn("a small StreamFn on the proxy wire", {
  connect: overHttp(proxyWire, ({ url, key }) => proxyStreamFn(url, key)),
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
  },
})
