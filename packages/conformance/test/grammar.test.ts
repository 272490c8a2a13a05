import type { AssistantMessageEvent } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { assertWellFormed, ConformanceError, checkEvents } from "../src/index.ts"
import { assistantMessage, callEvents, FAILURE, loneError, textEvents, thinkingEvents } from "./tell.ts"

/** Events as hostile input: whatever is changed, nothing has to type-check. */
type Loose = Record<string, unknown>[]

function broken(
  make: () => AssistantMessageEvent[],
  change: (events: Loose) => void,
): AssistantMessageEvent[] {
  const events = structuredClone(make()) as unknown as Loose
  change(events)
  return events as unknown as AssistantMessageEvent[]
}

describe("assertWellFormed", () => {
  test.each([
    { what: "text", events: textEvents() },
    { what: "interleaved tool calls", events: callEvents() },
    { what: "thinking, redacted thinking and opaque blocks", events: thinkingEvents() },
    { what: "a lone error", events: loneError() },
  ])("accepts $what", ({ events }) => {
    expect(checkEvents(events)).toEqual([])
    expect(() => assertWellFormed(events)).not.toThrow()
  })

  test.each<{
    what: string
    make: () => AssistantMessageEvent[]
    change: (events: Loose) => void
    says: RegExp
  }>([
    {
      what: "no events at all",
      make: textEvents,
      change: (events) => events.splice(0),
      says: /^terminal: the stream ended without any event/,
    },
    {
      what: "no terminal event",
      make: textEvents,
      change: (events) => events.pop(),
      says: /^terminal: the stream ended after event 4 \(text_end\), without done or error/,
    },
    {
      what: "two terminal events",
      make: textEvents,
      change: (events) => events.push({ ...events[5] }),
      says: /^terminal: event 6 \(done\): comes after the terminal event 5 \(done\)/,
    },
    {
      what: "a delta after the end",
      make: textEvents,
      change: (events) => events.push({ ...events[3] }),
      says: /^terminal: event 6 \(text_delta\)/,
    },
    {
      what: "a block before start",
      make: textEvents,
      change: (events) => events.shift(),
      says: /^start: event 0 \(text_start\): comes before start/,
    },
    {
      what: "done without start",
      make: textEvents,
      change: (events) => events.splice(0, 5),
      says: /^start: event 0 \(done\): comes before start/,
    },
    {
      what: "a second start",
      make: textEvents,
      change: (events) => events.splice(1, 0, { ...events[0] }),
      says: /^start: event 1 \(start\): comes a second time/,
    },
    {
      what: "a delta before its start",
      make: textEvents,
      change: (events) => events.splice(1, 1),
      says: /^block-order: event 1 \(text_delta\): block 0 was never opened/,
    },
    {
      what: "a sparse index",
      make: textEvents,
      change: (events) => {
        for (const event of events) if ("contentIndex" in event) event.contentIndex = 1
      },
      says: /^dense-index: event 1 \(text_start\): opens block 1, but the next one is 0/,
    },
    {
      what: "an index opened twice",
      make: textEvents,
      change: (events) => events.splice(2, 0, { ...events[1] }),
      says: /^dense-index: event 2 \(text_start\): opens block 0, which was opened before; next is 1/,
    },
    {
      what: "a delta of another type",
      make: textEvents,
      change: (events) => (events[2]!.type = "thinking_delta"),
      says: /^block-order: event 2 \(thinking_delta\): block 0 is of type text, not thinking/,
    },
    {
      what: "a delta after the block's end",
      make: textEvents,
      change: (events) => events.splice(5, 0, { ...events[3] }),
      says: /^block-order: event 5 \(text_delta\): block 0 has ended/,
    },
    {
      what: "a block that never ends",
      make: textEvents,
      change: (events) => events.splice(4, 1),
      says: /^block-order: event 4 \(done\): block 0 \(text\) is still open/,
    },
    {
      what: "an end that says something else than the deltas",
      make: textEvents,
      change: (events) => (events[4]!.content = "Hello!"),
      says: /^end-matches-deltas: event 4 \(text_end\): content is "Hello!", expected "Hello" by the deltas/,
    },
    {
      what: "a dropped delta",
      make: textEvents,
      change: (events) => events.splice(3, 1),
      says: /^end-matches-deltas: event 3 \(text_end\): content is "Hello", expected "Hel"/,
    },
    {
      what: "a snapshot that lags behind",
      make: textEvents,
      change: (events) => (events[3]!.partial = events[2]!.partial),
      says: /^snapshot: event 3 \(text_delta\): partial does not hold what the deltas add up to/,
    },
    {
      what: "a snapshot without the block",
      make: textEvents,
      change: (events) => (events[1]!.partial = assistantMessage()),
      says: /^snapshot: event 1 \(text_start\): partial has 0 blocks where 1 were opened/,
    },
    {
      what: "an event without a snapshot",
      make: textEvents,
      change: (events) => delete events[3]!.partial,
      says: /^snapshot: event 3 \(text_delta\): partial is undefined, no message/,
    },
    {
      what: "a snapshot with a stop reason",
      make: textEvents,
      change: (events) => (events[0]!.partial = assistantMessage({ stopReason: "length" })),
      says: /^snapshot: event 0 \(start\): partial.stopReason is "length"/,
    },
    {
      what: "a message other than the events tell",
      make: textEvents,
      change: (events) =>
        (events[5]!.message = assistantMessage({ content: [{ type: "text", text: "Bye" }] })),
      says: /^fold: event 5 \(done\): is not the message that the events tell: message.content\[0\].text is "Bye", expected "Hello"/,
    },
    {
      what: "a message without what the events told",
      make: textEvents,
      change: (events) => (events[5]!.message = assistantMessage()),
      says: /^fold: event 5 \(done\): .*message.content has 0 entries, expected 1/,
    },
    {
      what: "a lone error with content that no event told",
      make: loneError,
      change: (events) => ((events[0]!.error as Loose[0]).content = [{ type: "text", text: "x" }]),
      says: /^fold: event 0 \(error\): .*has 1 entries, expected 0/,
    },
    {
      what: "a terminal message of another time than start",
      make: textEvents,
      change: (events) => ((events[5]!.message as Loose[0]).timestamp = 2),
      says: /^fold: event 5 \(done\): .*message.timestamp is 2, expected 1/,
    },
    {
      what: "a reason that the message does not have",
      make: textEvents,
      change: (events) => (events[5]!.reason = "length"),
      says: /^stop-reason: event 5 \(done\): reason is "length", but the message's is "stop"/,
    },
    {
      what: "stop with tool calls",
      make: callEvents,
      change: (events) => {
        events[8]!.reason = "stop"
        ;(events[8]!.message as Loose[0]).stopReason = "stop"
      },
      says: /^stop-reason: event 8 \(done\): reason is stop although there are tool calls/,
    },
    {
      what: "an error without errorMessage",
      make: loneError,
      change: (events) => delete (events[0]!.error as Loose[0]).errorMessage,
      says: /^failure: event 0 \(error\): the message has no errorMessage/,
    },
    {
      what: "an error without failure",
      make: loneError,
      change: (events) => delete (events[0]!.error as Loose[0]).failure,
      says: /^failure: event 0 \(error\): the message has no failure/,
    },
    {
      what: "a failure code that nobody knows",
      make: loneError,
      change: (events) => ((events[0]!.error as Loose[0]).failure = { code: "oops", retryable: true }),
      says: /^failure: event 0 \(error\): failure.code is "oops", no known code/,
    },
    {
      what: "an abort that is not called one",
      make: loneError,
      change: (events) => ((events[0]!.error as Loose[0]).failure = { code: "aborted", retryable: false }),
      says: /^failure: event 0 \(error\): failure.code is "aborted" where the reason is "error"/,
    },
    {
      what: "a message that is done and failed",
      make: textEvents,
      change: (events) => ((events[5]!.message as Loose[0]).failure = FAILURE),
      says: /^failure: event 5 \(done\): the message is done and yet says that it failed/,
    },
    {
      what: "usage whose sum is wrong",
      make: loneError,
      change: (events) => (((events[0]!.error as Loose[0]).usage as Loose[0]).input = 3),
      says: /^usage: event 0 \(error\): usage.totalTokens is 0, but the four counters add up to 3/,
    },
    {
      what: "reasoning beyond the output",
      make: loneError,
      change: (events) => (((events[0]!.error as Loose[0]).usage as Loose[0]).reasoning = 3),
      says: /^usage: .*usage.reasoning is 3, more than the 0 of usage.output/,
    },
    {
      what: "usage that is no number",
      make: loneError,
      change: (events) => (((events[0]!.error as Loose[0]).usage as Loose[0]).output = Number.NaN),
      says: /^usage: event 0 \(error\): usage.output is NaN, no count/,
    },
    {
      what: "two calls with one id",
      make: callEvents,
      change: (events) => ((events[7]!.toolCall as Loose[0]).id = "b"),
      says: /^call-id: event 7 \(toolcall_end\): the id "b" is that of block 1 too/,
    },
    {
      what: "a call without an id",
      make: callEvents,
      change: (events) => ((events[7]!.toolCall as Loose[0]).id = ""),
      says: /^call-id: event 7 \(toolcall_end\): the call's id is empty/,
    },
    {
      what: "arguments other than the deltas say",
      make: callEvents,
      change: (events) => ((events[7]!.toolCall as Loose[0]).arguments = { path: "c.ts" }),
      says: /^end-matches-deltas: event 7 \(toolcall_end\): toolCall.arguments.path is "c.ts", expected "a.ts"/,
    },
    {
      what: "broken arguments that nobody admits",
      make: callEvents,
      change: (events) => (events[6]!.delta = ".ts"),
      says: /^end-matches-deltas: event 7 \(toolcall_end\): the deltas are not the JSON of an object/,
    },
    {
      what: "arguments shown early that are no prefix",
      make: callEvents,
      change: (events) => {
        const partial = events[3]!.partial as { content: Loose }
        partial.content[0]!.arguments = { file: "a" }
      },
      says: /^snapshot: event 7 \(toolcall_end\): an earlier partial showed arguments that are no prefix/,
    },
    {
      what: "a finished block that the snapshot does not hold",
      make: thinkingEvents,
      change: (events) => (events[3]!.signature = "other"),
      says: /^snapshot: event 3 \(thinking_end\): .*thinkingSignature is "sig", expected "other"/,
    },
    {
      what: "an optional field that is undefined",
      make: textEvents,
      change: (events) => ((events[5]!.message as Loose[0]).responseId = undefined),
      says: /^shape: event 5 \(done\): message.responseId is undefined; an optional field is absent/,
    },
    {
      what: "a signature that is undefined",
      make: textEvents,
      change: (events) => (events[4]!.signature = undefined),
      says: /^shape: event 4 \(text_end\): signature is undefined/,
    },
    {
      what: "a vendor's type in a block",
      make: loneError,
      change: (events) => ((events[0]!.error as Loose[0]).content = [{ type: "tool_use", id: "x" }]),
      says: /^shape: event 0 \(error\): message.content\[0\].type is "tool_use"/,
    },
    {
      what: "an event type from elsewhere",
      make: textEvents,
      change: (events) => (events[2]!.type = "content_block_delta"),
      says: /^shape: event 2 \(content_block_delta\): is no type of the contract/,
    },
    {
      what: "a delta of an opaque block",
      make: thinkingEvents,
      change: (events) => (events[7]!.type = "opaque_delta"),
      says: /^shape: event 7 \(opaque_delta\)/,
    },
    {
      what: "an index that is no index",
      make: textEvents,
      change: (events) => (events[2]!.contentIndex = "0"),
      says: /^shape: event 2 \(text_delta\): contentIndex is "0", no index/,
    },
    {
      what: "something that is no event",
      make: textEvents,
      change: (events) => events.splice(2, 0, null as never),
      says: /^shape: event 2 \(\?\): is null, no event/,
    },
  ])("catches $what", ({ make, change, says }) => {
    const events = broken(make, change)

    expect(checkEvents(events).map(({ message }) => message)).toContainEqual(expect.stringMatching(says))
    expect(() => assertWellFormed(events)).toThrow(ConformanceError)
  })

  test("reports a violation as data with rule, event and index", () => {
    const events = broken(textEvents, (loose) => loose.splice(4, 1))

    expect(checkEvents(events)).toEqual([
      { rule: "block-order", index: 4, event: "done", message: expect.stringContaining("still open") },
    ])
  })

  test("throws one error that lists the first violations and counts the rest", () => {
    const events = broken(textEvents, (loose) => {
      for (let count = 0; count < 20; count++) loose.push({ ...loose[2] })
    })

    let thrown: unknown
    try {
      assertWellFormed(events)
    } catch (error) {
      thrown = error
    }

    expect(thrown).toMatchObject({ name: "ConformanceError", code: "NOT_CONFORMANT" })
    const error = thrown as ConformanceError
    expect(error.violations).toHaveLength(20)
    expect(error.message).toMatch(/^The stream is not well formed:\n {2}terminal: event 6/)
    expect(error.message).toMatch(/and 12 more$/)
  })

  test("takes time in proportion to the events, however long the text grows", () => {
    const events: AssistantMessageEvent[] = [{ type: "start", partial: assistantMessage() }]
    let text = ""
    const partial = () => assistantMessage({ content: [{ type: "text", text }] })
    events.push({ type: "text_start", contentIndex: 0, partial: partial() })
    for (let count = 0; count < 60_000; count++) {
      text += "sixteen letters!"
      events.push({ type: "text_delta", contentIndex: 0, delta: "sixteen letters!", partial: partial() })
    }
    events.push({ type: "text_end", contentIndex: 0, content: text, partial: partial() })
    events.push({ type: "done", reason: "stop", message: partial() })

    const begun = performance.now()
    expect(checkEvents(events)).toEqual([])
    expect(performance.now() - begun).toBeLessThan(2_000)
  })
})
