/** Cases about failures: each arrives in the stream, classified, in the vendor's own words, with what came before. */
import type { ConformanceCase } from "./conformance-case.ts"
import { CODE_OF_STATUS, isRetryable } from "./http-failure.ts"
import { cut, type Reply, say, stop, streams, usage } from "./scenario.ts"

const ANSWER: Reply = { type: "stream", steps: [say("Second try."), stop()] }

/** Vendors quote the key they refuse; the fault server puts the request's own in its place. */
const SAYS = "The vendor explains, and quotes the key {key}."

const statusCases = Object.entries(CODE_OF_STATUS).map(([status, code]): ConformanceCase => {
  const retryable = isRetryable(code)
  return {
    name: `status ${status} becomes ${code}, in the vendor's words and without the key`,
    needs: ["http"],
    scenario: { replies: [{ type: "refuse", status: Number(status), says: SAYS }] },
    expect: {
      stopReason: "error",
      loneError: true,
      failure: { codes: [code], retryable, status: Number(status), says: "The vendor explains" },
      requests: 1,
    },
  }
})

export const failureCases: readonly ConformanceCase[] = [
  {
    name: "a stream that breaks off fails and keeps what came",
    needs: [],
    scenario: streams(say("Once upon a time", { open: true }), cut()),
    expect: {
      stopReason: "error",
      content: [{ type: "text", text: "Once upon a time" }],
      failure: { codes: ["network", "protocol"] },
    },
  },
  ...statusCases,
  {
    name: "the wait that the server asks for is told",
    needs: ["http"],
    scenario: { replies: [{ type: "refuse", status: 429, retryAfterMs: 7_000 }] },
    expect: {
      stopReason: "error",
      failure: { codes: ["rate_limit"], retryable: true, status: 429, retryAfterMs: 7_000 },
    },
  },
  {
    name: "a host where nobody listens is a network failure",
    needs: ["http"],
    scenario: { replies: [{ type: "unreachable" }] },
    expect: { stopReason: "error", loneError: true, failure: { codes: ["network"], retryable: true } },
  },
  {
    name: "a connection that dies before the response is a network failure",
    needs: ["http"],
    scenario: { replies: [{ type: "cut" }] },
    expect: { stopReason: "error", loneError: true, failure: { codes: ["network"], retryable: true } },
  },
  {
    name: "a connection that dies in the middle is retryable and keeps the text",
    needs: ["http"],
    scenario: streams(say("Once upon a time", { open: true }), cut()),
    expect: {
      stopReason: "error",
      content: [{ type: "text", text: "Once upon a time" }],
      failure: { codes: ["network", "protocol"], retryable: true },
    },
  },
  {
    name: "a body that ends in the middle breaks the protocol and keeps the text",
    needs: ["http"],
    scenario: streams(say("Once upon a time", { open: true })),
    expect: {
      stopReason: "error",
      content: [{ type: "text", text: "Once upon a time" }],
      failure: { codes: ["protocol"], retryable: true },
    },
  },
  {
    name: "an event that cannot be read breaks the protocol and keeps the text",
    needs: ["http"],
    scenario: streams(say("Once", { open: true }), { type: "garbage" }, say(" more"), stop()),
    expect: {
      stopReason: "error",
      content: [{ type: "text", text: "Once" }],
      failure: { codes: ["protocol"] },
    },
  },
  {
    name: "a page of something else with status 200 breaks the protocol",
    needs: ["http"],
    scenario: {
      replies: [
        { type: "body", status: 200, contentType: "text/html", body: "<html><body>Sign in</body></html>" },
      ],
    },
    expect: { stopReason: "error", content: [], failure: { codes: ["protocol"] } },
  },
  {
    name: "JSON of another shape with status 200 breaks the protocol",
    needs: ["http"],
    scenario: {
      replies: [{ type: "body", status: 200, contentType: "application/json", body: '{"hello":"world"}' }],
    },
    expect: { stopReason: "error", content: [], failure: { codes: ["protocol"] } },
  },
  {
    name: "an empty body with status 200 breaks the protocol",
    needs: ["http"],
    scenario: { replies: [{ type: "body", status: 200, contentType: "text/event-stream", body: "" }] },
    expect: { stopReason: "error", content: [], failure: { codes: ["protocol"] } },
  },
  {
    name: "a gateway's page with status 500 is a failure of the server",
    needs: ["http"],
    scenario: {
      replies: [{ type: "body", status: 500, contentType: "text/html", body: "<html>Bad day</html>" }],
    },
    expect: { stopReason: "error", failure: { codes: ["server"], retryable: true, status: 500 } },
  },
  {
    name: "an answer that the vendor's filter ended is a failure and keeps the text",
    needs: ["contentFilter"],
    scenario: streams(say("Well,"), stop("filter")),
    expect: {
      stopReason: "error",
      content: [{ type: "text", text: "Well," }],
      failure: { codes: ["content_filter"], retryable: false },
    },
  },
  {
    name: "a failure reported inside the stream is classified and keeps the text",
    needs: ["inStreamErrors"],
    scenario: streams(say("Once", { open: true }), { type: "overloaded" }),
    expect: {
      stopReason: "error",
      content: [{ type: "text", text: "Once" }],
      failure: { codes: ["overloaded", "server"], retryable: true },
    },
  },
  {
    name: "a failure keeps the usage seen so far",
    needs: ["usage", "usageOnError"],
    scenario: streams(usage({ input: 25, output: 7, cacheRead: 5 }), say("Once", { open: true }), cut()),
    expect: { stopReason: "error", usage: { input: 25, cacheRead: 5 } },
  },
  {
    name: "a server that never answers is a timeout",
    needs: ["http", "timeouts"],
    scenario: { replies: [{ type: "stall" }] },
    options: { timeoutMs: 200 },
    expect: { stopReason: "error", loneError: true, failure: { codes: ["timeout"], retryable: true } },
  },
  {
    name: "an overloaded server is asked again",
    needs: ["http", "retries"],
    scenario: { replies: [{ type: "refuse", status: 529, retryAfterMs: 10 }, ANSWER] },
    options: { maxRetries: 1 },
    expect: { stopReason: "stop", content: [{ type: "text", text: "Second try." }], requests: 2 },
  },
  {
    name: "a request that is wrong is not asked again",
    needs: ["http", "retries"],
    scenario: { replies: [{ type: "refuse", status: 400 }, ANSWER] },
    options: { maxRetries: 2 },
    expect: { stopReason: "error", failure: { codes: ["invalid_request"] }, requests: 1 },
  },
  {
    name: "an answer that has begun is not asked for again",
    needs: ["http", "retries"],
    scenario: { replies: [{ type: "stream", steps: [say("Once", { open: true }), cut()] }, ANSWER] },
    options: { maxRetries: 2 },
    expect: { stopReason: "error", content: [{ type: "text", text: "Once" }], requests: 1 },
  },
  {
    name: "a wait longer than the caller allows fails at once and is told",
    needs: ["http", "retries"],
    scenario: { replies: [{ type: "refuse", status: 429, retryAfterMs: 120_000 }, ANSWER] },
    options: { maxRetries: 2, maxRetryDelayMs: 1_000 },
    expect: {
      stopReason: "error",
      failure: { codes: ["rate_limit"], retryAfterMs: 120_000 },
      requests: 1,
    },
  },
]
