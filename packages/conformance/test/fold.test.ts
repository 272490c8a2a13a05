import { describe, expect, test } from "vitest"
import { ConformanceError, fold } from "../src/index.ts"
import { assistantMessage, callEvents, loneError, textEvents, thinkingEvents } from "./tell.ts"

describe("fold", () => {
  test.each([
    { what: "text", events: textEvents() },
    { what: "tool calls", events: callEvents() },
    { what: "signed, redacted and opaque blocks", events: thinkingEvents() },
    { what: "a lone error", events: loneError() },
  ])("gives the message of the terminal event for $what", ({ events }) => {
    const terminal = events.at(-1)
    const message =
      terminal?.type === "done" ? terminal.message : terminal?.type === "error" && terminal.error

    expect(fold(events)).toStrictEqual(message)
  })

  test("believes the deltas, not the end events, the snapshots or the terminal message", () => {
    const events = textEvents().filter((_, index) => index !== 3)

    expect(fold(events).content).toEqual([{ type: "text", text: "Hel" }])
  })

  test("parses arguments from the deltas", () => {
    const events = callEvents().map((event) =>
      event.type === "toolcall_end"
        ? { ...event, toolCall: { ...event.toolCall, arguments: { forged: true } } }
        : event,
    )

    expect(fold(events).content).toMatchObject([
      { arguments: { path: "a.ts" } },
      { arguments: { path: "b.ts" } },
    ])
  })

  test("takes the adapter's reading of arguments that are broken", () => {
    const events = callEvents().map((event) =>
      event.type === "toolcall_end"
        ? { ...event, toolCall: { ...event.toolCall, arguments: { half: 1 }, argumentsError: "cut off" } }
        : event,
    )

    expect(fold(events).content[0]).toMatchObject({ arguments: { half: 1 }, argumentsError: "cut off" })
  })

  test("gives the message so far for events without an end", () => {
    expect(fold(textEvents().slice(0, 3))).toEqual(
      assistantMessage({ content: [{ type: "text", text: "Hel" }] }),
    )
    expect(fold(callEvents().slice(0, 4)).content).toMatchObject([
      { id: "a", arguments: { path: "a" } },
      { id: "b", arguments: {} },
    ])
  })

  test("names the event that belongs to no block", () => {
    const events = textEvents().filter(({ type }) => type !== "text_start")

    expect(() => fold(events)).toThrow(ConformanceError)
    expect(() => fold(events)).toThrow("fold: event 1 (text_delta): block 0 was not opened by text_start")
  })

  test("has nothing to say about no events", () => {
    expect(() => fold([])).toThrow("there is no event that carries a message")
  })
})
