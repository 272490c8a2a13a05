import type { Message } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { NOT_EXECUTED, pairToolResults } from "../src/index.ts"
import { frozen } from "./frozen.ts"
import { assistant, call, result, user } from "./transcript.ts"

/** A transcript in short: `U`, `A(ids)`, `R(id text)`. */
function outline(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === "user") return "U"
    if (message.role === "toolResult") {
      const [first] = message.content
      return `R(${message.toolCallId} ${first?.type === "text" ? first.text : ""})`
    }
    const ids = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
    return `A(${ids.join(" ")})`
  })
}

describe("pairToolResults", () => {
  test("leaves a paired transcript as it is", () => {
    const messages = frozen([user("go"), assistant([call("a")]), result("a"), assistant([])])

    expect(pairToolResults(messages)).toEqual(messages)
  })

  test("answers a call that has no result", () => {
    const [, answer] = pairToolResults(frozen([assistant([call("a", "write")], { timestamp: 9 })]))

    expect(answer).toEqual({
      role: "toolResult",
      toolCallId: "a",
      toolName: "write",
      content: [{ type: "text", text: NOT_EXECUTED }],
      isError: true,
      timestamp: 9,
    })
    expect(NOT_EXECUTED).toContain("not executed")
  })

  test.each([
    {
      law: "drops a result without a call",
      messages: [result("x"), assistant([call("a")]), result("b"), result("a")],
      paired: ["A(a)", "R(a ok)"],
    },
    {
      law: "drops the second result of a call",
      messages: [assistant([call("a")]), result("a", "one"), result("a", "two")],
      paired: ["A(a)", "R(a one)"],
    },
    {
      law: "puts results in the order of their calls",
      messages: [assistant([call("a"), call("b")]), result("b", "two"), result("a", "one")],
      paired: ["A(a b)", "R(a one)", "R(b two)"],
    },
    {
      law: "puts results before what the user said meanwhile",
      messages: [assistant([call("a")]), user("wait"), result("a")],
      paired: ["A(a)", "R(a ok)", "U"],
    },
    {
      law: "pairs by adjacency when ids come again in the next turn",
      messages: [
        assistant([call("call_0")]),
        result("call_0", "one"),
        assistant([call("call_0")]),
        result("call_0", "two"),
      ],
      paired: ["A(call_0)", "R(call_0 one)", "A(call_0)", "R(call_0 two)"],
    },
    {
      law: "gives a call no result of a later turn",
      messages: [assistant([call("call_0")]), assistant([call("call_0")]), result("call_0", "two")],
      paired: ["A(call_0)", `R(call_0 ${NOT_EXECUTED})`, "A(call_0)", "R(call_0 two)"],
    },
    {
      law: "gives two calls with one id one result each",
      messages: [assistant([call("a"), call("a")]), result("a", "one"), result("a", "two")],
      paired: ["A(a a)", "R(a one)", "R(a two)"],
    },
  ])("$law", ({ messages, paired }) => {
    expect(outline(pairToolResults(frozen(messages)))).toEqual(paired)
  })

  test("pairs any transcript, and a paired one stays as it is", () => {
    const id = fc.constantFrom("a", "b", "c")
    const message = fc.oneof(
      fc.constant(user("u")),
      id.map((each) => result(each)),
      fc.array(id, { maxLength: 3 }).map((calls) => assistant(calls.map((each) => call(each)))),
    )
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const paired = pairToolResults(messages)
        const open: string[] = []
        for (const each of paired) {
          if (each.role === "toolResult") expect(each.toolCallId).toBe(open.shift())
          else expect(open).toEqual([])
          if (each.role === "assistant") {
            open.push(...each.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])))
          }
        }
        expect(open).toEqual([])
        expect(pairToolResults(paired)).toEqual(paired)
      }),
    )
  })
})
