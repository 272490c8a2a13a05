/** Cases about answers: what the model says becomes that message, whatever the wire does to it. */
import type { ConformanceCase } from "./conformance-case.ts"
import { callTool, callTools, type ScriptedCall, say, stop, streams, think, usage } from "./scenario.ts"

const UNICODE = 'Grüße, 你好, שלום, e\u0301, 👩‍👩‍👧‍👦 🏳️‍🌈, 𝄞 and \u0000\u001f\u2028 <"\\/>'

const WEATHER: ScriptedCall = {
  id: "call_weather",
  name: "weather",
  arguments: { city: "Zürich", days: [1, 2] },
}
const TIME: ScriptedCall = {
  id: "call_time",
  name: "time",
  arguments: { zone: "Europe/Zurich", exact: true },
}
const NOTHING: ScriptedCall = { id: "call_nothing", name: "nothing", arguments: "" }

/** Wire text of arguments that would poison a prototype if they were assigned instead of defined. */
const PROTO = '{"__proto__":{"polluted":true},"constructor":1}'

const LARGE = { text: "0123456789abcdef".repeat(65_536) }

const calls = (...scripted: ScriptedCall[]) =>
  scripted.map(({ id, name, arguments: args }) => ({
    type: "toolCall" as const,
    id,
    name,
    ...(typeof args !== "string" && { arguments: args }),
  }))

export const answerCases: readonly ConformanceCase[] = [
  {
    name: "text arrives as the model said it",
    needs: [],
    scenario: streams(say("Hello, world.", { pieces: 4 }), stop()),
    expect: { stopReason: "stop", content: [{ type: "text", text: "Hello, world." }] },
  },
  {
    name: "text arrives in many small deltas",
    needs: [],
    scenario: streams(say("word ".repeat(400), { pieces: 400 }), stop()),
    expect: { stopReason: "stop", content: [{ type: "text", text: "word ".repeat(400) }] },
  },
  {
    name: "an answer without any content is an answer",
    needs: [],
    scenario: streams(stop()),
    expect: { stopReason: "stop", content: [] },
  },
  {
    name: "every character of Unicode survives",
    needs: [],
    scenario: streams(say(UNICODE, { pieces: UNICODE.length }), stop()),
    expect: { stopReason: "stop", content: [{ type: "text", text: UNICODE }] },
  },
  {
    name: "characters and events that are split between packets are put together",
    needs: ["http"],
    scenario: { replies: [{ type: "stream", bytesPerWrite: 1, steps: [say(UNICODE), stop()] }] },
    expect: { stopReason: "stop", content: [{ type: "text", text: UNICODE }] },
  },
  {
    name: "an answer that was cut by its token limit stops with length",
    needs: [],
    scenario: streams(say("To be contin"), stop("length")),
    expect: { stopReason: "length", content: [{ type: "text", text: "To be contin" }] },
  },
  {
    name: "thinking stands in a block of its own before the text",
    needs: ["thinking"],
    scenario: streams(think("Let me see.", { pieces: 3 }), say("Yes."), stop()),
    expect: {
      stopReason: "stop",
      content: [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
    },
  },
  {
    name: "thinking and text take turns, each in a block of its own",
    needs: ["thinking"],
    scenario: streams(think("First."), say("One."), think("Second."), say("Two."), stop()),
    expect: {
      stopReason: "stop",
      content: [
        { type: "thinking", thinking: "First." },
        { type: "text", text: "One." },
        { type: "thinking", thinking: "Second." },
        { type: "text", text: "Two." },
      ],
    },
  },
  {
    name: "the signature of a thinking block is kept",
    needs: ["thinking", "signatures"],
    scenario: streams(think("Let me see.", { signature: "c2lnbmF0dXJl" }), say("Yes."), stop()),
    expect: {
      stopReason: "stop",
      content: [
        { type: "thinking", thinking: "Let me see.", signature: "c2lnbmF0dXJl" },
        { type: "text", text: "Yes." },
      ],
    },
  },
  {
    name: "redacted thinking keeps its payload and shows no text",
    needs: ["thinking", "redactedThinking"],
    scenario: streams(think("", { redacted: true, signature: "cmVkYWN0ZWQ=" }), say("Yes."), stop()),
    expect: {
      stopReason: "stop",
      content: [
        { type: "thinking", thinking: "", redacted: true, signature: "cmVkYWN0ZWQ=" },
        { type: "text", text: "Yes." },
      ],
    },
  },
  {
    name: "a tool call arrives with its id, name and arguments",
    needs: ["toolCalls"],
    scenario: streams(say("I look."), callTool(WEATHER, { pieces: 7 }), stop("toolUse")),
    expect: { stopReason: "toolUse", content: [{ type: "text", text: "I look." }, ...calls(WEATHER)] },
  },
  {
    name: "text that follows a tool call stands after it",
    needs: ["toolCalls"],
    scenario: streams(callTool(WEATHER), say("I looked."), stop("toolUse")),
    expect: { stopReason: "toolUse", content: [...calls(WEATHER), { type: "text", text: "I looked." }] },
  },
  {
    name: "a tool call without arguments has none",
    needs: ["toolCalls"],
    scenario: streams(callTool(NOTHING), stop("toolUse")),
    expect: {
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: "call_nothing", name: "nothing", arguments: {} }],
    },
  },
  {
    name: "a stop with a tool call is reported as toolUse",
    needs: ["toolCalls"],
    scenario: streams(callTool(WEATHER), stop("stop")),
    expect: { stopReason: "toolUse", content: calls(WEATHER) },
  },
  {
    name: "parallel tool calls are kept apart when their deltas interleave",
    needs: ["toolCalls", "parallelToolCalls"],
    scenario: streams(callTools([WEATHER, TIME, NOTHING], { pieces: 5, interleaved: true }), stop("toolUse")),
    expect: {
      stopReason: "toolUse",
      content: [
        ...calls(WEATHER, TIME),
        { type: "toolCall", id: "call_nothing", name: "nothing", arguments: {} },
      ],
    },
  },
  {
    name: "parallel tool calls are kept apart when every byte travels alone",
    needs: ["toolCalls", "parallelToolCalls", "http"],
    scenario: {
      replies: [
        {
          type: "stream",
          bytesPerWrite: 1,
          steps: [callTools([WEATHER, TIME], { pieces: 2, interleaved: true }), stop("toolUse")],
        },
      ],
    },
    expect: { stopReason: "toolUse", content: calls(WEATHER, TIME) },
  },
  {
    name: "1 MiB of arguments arrives whole and in time",
    needs: ["toolCalls"],
    scenario: streams(
      callTool({ id: "call_large", name: "write", arguments: LARGE }, { pieces: 1024 }),
      stop("toolUse"),
    ),
    deadlineMs: 20_000,
    expect: {
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: "call_large", name: "write", arguments: LARGE }],
    },
  },
  {
    name: "arguments named like parts of a prototype are only arguments",
    needs: ["toolCalls"],
    scenario: streams(callTool({ id: "call_proto", name: "set", arguments: PROTO }), stop("toolUse")),
    expect: {
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: "call_proto", name: "set", arguments: JSON.parse(PROTO) }],
    },
  },
  {
    name: "malformed arguments are said to be malformed",
    needs: ["toolCalls", "argumentsAsText"],
    scenario: streams(
      callTool({ id: "call_bad", name: "weather", arguments: '{"city": Zürich}' }, { pieces: 3 }),
      stop("toolUse"),
    ),
    expect: {
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: "call_bad", name: "weather", broken: true }],
    },
  },
  {
    name: "arguments that the token limit cut off are said to be cut off",
    needs: ["toolCalls", "parallelToolCalls", "argumentsAsText"],
    scenario: streams(
      callTool(WEATHER),
      callTool({ id: "call_cut", name: "time", arguments: '{"zone":"Euro' }),
      stop("length"),
    ),
    expect: {
      stopReason: "length",
      content: [...calls(WEATHER), { type: "toolCall", id: "call_cut", name: "time", broken: true }],
    },
  },
  {
    name: "a block of the vendor's own kind is kept in its place",
    needs: ["opaque"],
    scenario: streams(say("Before."), { type: "opaque" }, say("After."), stop()),
    expect: {
      stopReason: "stop",
      content: [{ type: "text", text: "Before." }, { type: "opaque" }, { type: "text", text: "After." }],
    },
  },
  {
    name: "tokens are counted in counters that do not overlap",
    needs: ["usage"],
    scenario: streams(say("Hello."), stop(), usage({ input: 25, output: 7, cacheRead: 5 })),
    expect: { stopReason: "stop", usage: { input: 25, output: 7, cacheRead: 5 } },
  },
  {
    name: "events and fields of a future wire are ignored",
    needs: ["http"],
    scenario: streams({ type: "unknownEvent" }, say("Hel", { open: true }), stop(), { type: "unknownEvent" }),
    expect: { stopReason: "stop", content: [{ type: "text", text: "Hel" }] },
  },
  {
    name: "events that come twice leave the stream well-formed",
    needs: ["http"],
    scenario: {
      replies: [{ type: "stream", events: "duplicated", steps: [say("Hello.", { pieces: 2 }), stop()] }],
    },
    expect: {},
  },
  {
    name: "events that come out of order leave the stream well-formed",
    needs: ["http"],
    scenario: {
      replies: [{ type: "stream", events: "reordered", steps: [say("Hello.", { pieces: 3 }), stop()] }],
    },
    expect: {},
  },
]
