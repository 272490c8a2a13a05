import { callTool, faux, opaque, say } from "@heddle/faux"
import { describe, expect, test } from "vitest"
import { eventsOf, handlerOf, post, postResumable } from "./asking.ts"

const script = () =>
  faux([
    [say("a"), opaque("search", 1), say("b"), opaque("search", 2), callTool("read", {}), opaque("search", 3)],
  ])

describe("a client that does not speak the protocol", () => {
  test("is not told of blocks that it does not know, and finds the others in a row", async () => {
    const events = await eventsOf(await handlerOf(script())(post()))

    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
    expect(events.filter(({ type }) => type.endsWith("_start"))).toMatchObject([
      { type: "text_start", contentIndex: 0 },
      { type: "text_start", contentIndex: 1 },
      { type: "toolcall_start", contentIndex: 2 },
    ])
    expect(events.filter(({ type }) => type.endsWith("_end"))).toMatchObject([
      { type: "text_end", contentIndex: 0 },
      { type: "text_end", contentIndex: 1 },
      { type: "toolcall_end", contentIndex: 2, toolCall: { name: "read" } },
    ])
    expect(events.filter(({ delta }) => delta === "b")).toMatchObject([{ contentIndex: 1 }])
  })
})

describe("a client that speaks the protocol", () => {
  test("is told of every block", async () => {
    const events = await eventsOf(await handlerOf(script())(postResumable()))

    expect(events.filter(({ type }) => type.endsWith("_start")).map((event) => event.contentIndex)).toEqual([
      0, 1, 2, 3, 4, 5,
    ])
    expect(events.filter(({ type }) => type === "opaque_end")).toHaveLength(3)
  })
})
