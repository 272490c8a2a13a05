/** Cases about ends that the caller makes: an abort at any time, and a reader who leaves. */
import type { ConformanceCase } from "./conformance-case.ts"
import { callTool, say, stall, stop, streams, usage } from "./scenario.ts"

const ABORTED = { codes: ["aborted"], retryable: false } as const

export const abortCases: readonly ConformanceCase[] = [
  {
    name: "a signal that fired before the call sends no request",
    needs: [],
    scenario: streams(say("Too late."), stop()),
    abort: { when: "beforeCall" },
    expect: { stopReason: "aborted", content: [], failure: ABORTED, requests: 0 },
  },
  {
    name: "an abort before the response ends the stream",
    needs: [],
    scenario: { replies: [{ type: "stall" }] },
    abort: { when: "afterMs", milliseconds: 50 },
    expect: { stopReason: "aborted", content: [], failure: ABORTED },
  },
  {
    name: "an abort before the response hangs up",
    needs: ["http"],
    scenario: { replies: [{ type: "stall" }] },
    abort: { when: "requested", milliseconds: 10 },
    expect: { stopReason: "aborted", content: [], failure: ABORTED, hangsUp: true },
  },
  {
    name: "an abort in the middle of a text keeps the text",
    needs: [],
    scenario: streams(say("Once upon a time", { open: true }), stall()),
    abort: { when: "afterCharacters", characters: 16 },
    expect: {
      stopReason: "aborted",
      content: [{ type: "text", text: "Once upon a time" }],
      failure: ABORTED,
    },
  },
  {
    name: "an abort in the middle of a response hangs up",
    needs: ["http"],
    scenario: streams(say("Once upon a time", { open: true }), stall()),
    abort: { when: "afterCharacters", characters: 16 },
    expect: { stopReason: "aborted", failure: ABORTED, hangsUp: true },
  },
  {
    name: "an abort in the middle of a tool call keeps the call and says that it was cut off",
    needs: ["toolCalls", "argumentsAsText"],
    scenario: streams(
      say("I write."),
      callTool({ id: "call_1", name: "write", arguments: '{"path":"a.ts","text":"' }, { open: true }),
      stall(),
    ),
    abort: { when: "afterCharacters", characters: 31 },
    expect: {
      stopReason: "aborted",
      content: [
        { type: "text", text: "I write." },
        { type: "toolCall", id: "call_1", name: "write", broken: true },
      ],
      failure: ABORTED,
    },
  },
  {
    name: "an abort keeps the usage seen so far",
    needs: ["usage", "usageOnError"],
    scenario: streams(usage({ input: 25, output: 7, cacheRead: 5 }), say("Once", { open: true }), stall()),
    abort: { when: "afterCharacters", characters: 4 },
    expect: { stopReason: "aborted", usage: { input: 25, cacheRead: 5 } },
  },
  {
    name: "an abort after the end changes nothing",
    needs: [],
    scenario: streams(say("Done."), stop()),
    abort: { when: "afterEnd" },
    expect: { stopReason: "stop", content: [{ type: "text", text: "Done." }] },
  },
  {
    name: "an abort settles result() although nobody reads the events",
    needs: [],
    scenario: streams(say("Once", { open: true }), stall()),
    use: "result",
    abort: { when: "afterMs", milliseconds: 100 },
    expect: { stopReason: "aborted", failure: ABORTED },
  },
  {
    name: "result() settles although nobody reads the events",
    needs: [],
    scenario: streams(say("Hello."), stop()),
    use: "result",
    expect: { stopReason: "stop", content: [{ type: "text", text: "Hello." }] },
  },
  {
    name: "a reader who leaves early gets an aborted message from result()",
    needs: [],
    scenario: streams(say("Once upon a time", { open: true }), stall()),
    use: "leave",
    expect: { stopReason: "aborted", failure: ABORTED },
  },
  {
    name: "a reader who leaves early hangs up",
    needs: ["http"],
    scenario: streams(say("Once upon a time", { open: true }), stall()),
    use: "leave",
    expect: { stopReason: "aborted", hangsUp: true },
  },
  {
    name: "an abort ends the wait between two tries",
    needs: ["http", "retries"],
    scenario: { replies: [{ type: "refuse", status: 503, retryAfterMs: 30_000 }] },
    options: { maxRetries: 2, maxRetryDelayMs: 60_000 },
    abort: { when: "requested", milliseconds: 200 },
    expect: { stopReason: "aborted", failure: ABORTED, requests: 1 },
  },
]
