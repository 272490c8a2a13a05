import type { AssistantMessage, ImageContent, Message, Model } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { adaptHistory, type HistoryRules, IMAGE_OMITTED, isSameModel, NOT_EXECUTED } from "../src/index.ts"
import { frozen } from "./frozen.ts"
import { assistant, call, model, result, user } from "./transcript.ts"

const foreign = { provider: "other" }
const picture: ImageContent = { type: "image", data: "AAAA", mimeType: "image/png" }
const text = { type: "text", text: "Hello" } as const
const signedText = { ...text, textSignature: "s1" } as const
const thinking = { type: "thinking", thinking: "Hm." } as const
const signedThinking = { ...thinking, thinkingSignature: "s2" } as const
const hiddenThinking = { type: "thinking", thinking: "", thinkingSignature: "s3" } as const
const redacted = { ...hiddenThinking, redacted: true } as const
const opaque = { type: "opaque", kind: "server_tool_use", data: { id: 1 } } as const
const signedCall = { ...call("a"), thoughtSignature: "s4" } as const

function adapt(messages: readonly Message[], rules?: HistoryRules, reader: Model = model): Message[] {
  return adaptHistory(frozen(messages), frozen(reader), rules)
}

function contentOf(message: Message | undefined): unknown {
  return message?.content
}

describe("isSameModel", () => {
  test.each([
    { differs: "nothing", fields: {}, same: true },
    { differs: "the provider", fields: { provider: "other" }, same: false },
    { differs: "the api", fields: { api: "other" }, same: false },
    { differs: "the model", fields: { model: "other" }, same: false },
    { differs: "only who answered", fields: { responseModel: "other" }, same: true },
  ])("is $same when $differs differs", ({ fields, same }) => {
    expect(isSameModel(assistant([], fields), model)).toBe(same)
  })
})

describe("adaptHistory", () => {
  const everything: AssistantMessage["content"] = [
    signedThinking,
    hiddenThinking,
    redacted,
    signedText,
    opaque,
    signedCall,
  ]

  test("gives a model its own message back as it was", () => {
    const messages = [user("go"), assistant(everything), result("a")]

    expect(adapt(messages)).toEqual(messages)
  })

  test("gives another model text and calls, without signatures", () => {
    const [message] = adapt([assistant(everything, foreign), result("a")])

    expect(contentOf(message)).toEqual([text, call("a")])
  })

  test("gives another model the thinking as text where that is wanted, redacted thinking never", () => {
    const [message] = adapt([assistant(everything, foreign), result("a")], { foreignThinking: "text" })

    expect(contentOf(message)).toEqual([{ type: "text", text: "Hm." }, text, call("a")])
  })

  test("never makes text of a model's own thinking", () => {
    const [message] = adapt([assistant([signedThinking, text])], { foreignThinking: "text" })

    expect(contentOf(message)).toEqual([signedThinking, text])
  })

  test("leaves a failed message out together with its results", () => {
    const failed = assistant([text, call("a")], { stopReason: "error", errorMessage: "no" })

    expect(adapt([user("1"), failed, result("a"), user("2")])).toEqual([user("1"), user("2")])
  })

  test("does not give the results of a failed message to the call before it", () => {
    const failed = assistant([call("call_0")], { stopReason: "error" })

    const adapted = adapt([assistant([call("call_0")]), failed, result("call_0", "of the failed one")])

    expect(adapted).toMatchObject([{ role: "assistant" }, { content: [{ text: NOT_EXECUTED }] }])
  })

  test("keeps of an aborted message its text alone", () => {
    const aborted = assistant(everything, { stopReason: "aborted" })

    const adapted = adapt([aborted, result("a"), user("go on")])

    expect(adapted.map(({ role }) => role)).toEqual(["assistant", "user"])
    expect(contentOf(adapted[0])).toEqual([text])
  })

  test.each([
    { what: "has no content", content: [] },
    { what: "has only white space", content: [{ type: "text", text: "\n " }] },
    { what: "has empty thinking without a signature", content: [{ type: "thinking", thinking: "" }] },
  ] as const)("leaves a message out that $what", ({ content }) => {
    expect(adapt([user("1"), assistant(content), user("2")])).toEqual([user("1"), user("2")])
  })

  test("leaves a message out of which nothing remains", () => {
    expect(adapt([assistant([thinking, opaque], foreign)])).toEqual([])
    expect(adapt([assistant([thinking, call("a")], { stopReason: "aborted" }), result("a")])).toEqual([])
  })

  test("keeps an empty block that has a signature, for the model that signed it", () => {
    const empty = { type: "text", text: "", textSignature: "s" } as const

    expect(contentOf(adapt([assistant([hiddenThinking, empty])])[0])).toEqual([hiddenThinking, empty])
  })

  test("keeps a call whose arguments are broken", () => {
    const broken = { ...call("a"), argumentsError: "cut off" }

    expect(contentOf(adapt([assistant([broken]), result("a")])[0])).toEqual([broken])
  })

  test("gives a call without a name one", () => {
    const adapted = adapt([assistant([call("a", "")]), { ...result("a"), toolName: "" }])

    expect(adapted).toMatchObject([{ content: [{ name: "unnamed" }] }, { toolName: "unnamed" }])
  })

  test("rewrites ids and lets the results follow", () => {
    const long = `call_${"x".repeat(80)}`
    const messages = [
      assistant([call(`${long}1`), call(`${long}2`)]),
      result(`${long}2`, "two"),
      result(`${long}1`, "one"),
    ]

    const [message, one, two] = adapt(messages, { toolCallIds: { characters: "word", maxLength: 64 } })

    const ids = message?.role === "assistant" ? message.content.map((block) => "id" in block && block.id) : []
    expect(new Set(ids).size).toBe(2)
    expect(one).toMatchObject({ toolCallId: ids[0], content: [{ text: "one" }] })
    expect(two).toMatchObject({ toolCallId: ids[1], content: [{ text: "two" }] })
  })

  test("makes ids unique that a host counts anew in every turn", () => {
    const turn = [assistant([call("call_0")]), result("call_0")]

    const adapted = adapt([...turn, ...turn])

    const ids = adapted.map((message) =>
      message.role === "toolResult" ? message.toolCallId : (contentOf(message) as [{ id: string }])[0].id,
    )
    expect(ids[0]).toBe("call_0")
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    expect(ids[3]).toBe(ids[2])
  })

  test("describes images to a model without eyes", () => {
    const blind: Model = { ...model, input: ["text"] }
    const note = { type: "text", text: IMAGE_OMITTED }
    const messages = [
      user([text, picture]),
      assistant([call("a")]),
      { ...result("a"), content: [picture, text] },
    ]

    const adapted = adapt(messages, {}, blind)

    expect(contentOf(adapted[0])).toEqual([text, note])
    expect(contentOf(adapted[2])).toEqual([note, text])
    expect(adapt(messages)).toEqual(messages)
  })

  test("removes unpaired surrogates everywhere", () => {
    const cut = "cut \uD83D"
    const dirty: Message[] = [
      user(cut),
      user([{ type: "text", text: cut }]),
      assistant([
        { type: "thinking", thinking: cut, thinkingSignature: "s" },
        { type: "text", text: cut },
        { ...call("a"), arguments: { path: [cut], [cut]: 1 } },
      ]),
      result("a", cut),
    ]

    const adapted = adapt(dirty)

    expect(JSON.stringify(adapted)).not.toContain("\\ud83d")
    expect(adapted[2]).toMatchObject({ content: [{}, {}, { arguments: { path: ["cut "], "cut ": 1 } }] })
  })

  test("leaves out a block of which only half a surrogate pair is there, and a message of nothing else", () => {
    const half = { type: "text" as const, text: "\uD83D" }
    const messages: Message[] = [user("Go"), assistant([half, call("a")]), result("a"), assistant([half])]

    const adapted = adapt(messages)

    expect(adapted.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"])
    expect(adapted[1]).toMatchObject({ content: [{ type: "toolCall" }] })
  })

  test("leaves out what a tool told its user interface, whatever it is", () => {
    const details: Record<string, unknown> = {}
    details.self = details
    const messages = [assistant([call("a")]), { ...result("a"), details }]

    const adapted = adaptHistory(messages, model)

    expect(adapted[1]).toEqual(result("a"))
    expect(messages[1]).toHaveProperty("details", details)
  })
})
