import { describe, expect, test } from "vitest"
import { callTool, cut, fail, hang, malformed, opaque, say, stop, think, usage, wait } from "../src/index.ts"
import { partsOf } from "../src/script.ts"

describe("the parts of a reply", () => {
  test.each([
    { name: "say", part: say("Hello") },
    { name: "think", part: think("Hmm", { signature: "s" }) },
    { name: "callTool", part: callTool("read", { path: "a.ts" }) },
    { name: "opaque", part: opaque("server_tool_use", { id: 1 }) },
    { name: "usage", part: usage({ input: 1 }) },
    { name: "wait", part: wait(5) },
    { name: "malformed", part: malformed("throw") },
    { name: "stop", part: stop("length") },
    { name: "fail", part: fail({ code: "server" }) },
    { name: "hang", part: hang() },
    { name: "cut", part: cut() },
  ])("$name makes a frozen part of its own type", ({ name, part }) => {
    expect(part.type).toBe(name)
    expect(Object.isFrozen(part)).toBe(true)
    expect(partsOf(part)).toEqual([part])
  })

  test("are played in one row, however the lists are nested", () => {
    const [a, b, c] = [say("a"), say("b"), say("c")]

    expect(partsOf([a, [[b], []], c])).toEqual([a, b, c])
  })

  test.each([
    { reply: undefined },
    { reply: null },
    { reply: "Hello" },
    { reply: [{ type: "text" }] },
    { reply: 1 },
  ])("are nothing else: $reply is refused", ({ reply }) => {
    expect(() => partsOf(reply as never)).toThrow("a reply is made of say(), think(), callTool()")
  })
})

describe("callTool", () => {
  test("takes the arguments as they are now", () => {
    const args = { path: "a.ts" }
    const part = callTool("read", args)
    args.path = "b.ts"

    expect(part).toMatchObject({ json: '{"path":"a.ts"}' })
  })

  test("calls without arguments when none are given", () => {
    expect(callTool("now")).toEqual({ type: "callTool", name: "now", json: "{}" })
  })

  test("refuses arguments that have no JSON", () => {
    expect(() => callTool("read", () => {})).toThrow("The arguments of the call to read have no JSON")
    expect(() => callTool("read", { size: 1n })).toThrow(TypeError)
  })
})

describe("fail", () => {
  test.each([
    { code: "rate_limit", retryable: true },
    { code: "overloaded", retryable: true },
    { code: "network", retryable: true },
    { code: "timeout", retryable: true },
    { code: "protocol", retryable: true },
    { code: "server", retryable: true },
    { code: "auth", retryable: false },
    { code: "quota", retryable: false },
    { code: "context_overflow", retryable: false },
    { code: "invalid_request", retryable: false },
    { code: "content_filter", retryable: false },
    { code: "aborted", retryable: false },
    { code: "unknown", retryable: false },
  ] as const)("with $code is retryable: $retryable", ({ code, retryable }) => {
    expect(fail({ code })).toMatchObject({
      failure: { code, retryable },
      message: `The script failed the request: ${code}`,
    })
  })

  test("says what it is told to say", () => {
    const part = fail({
      code: "rate_limit",
      message: "Slow down",
      retryable: false,
      status: 429,
      retryAfterMs: 0,
    })

    expect(part.message).toBe("Slow down")
    expect(part.failure).toEqual({ code: "rate_limit", retryable: false, status: 429, retryAfterMs: 0 })
  })
})

describe("wait", () => {
  test.each([{ time: -1 }, { time: Number.NaN }, { time: Number.POSITIVE_INFINITY }])(
    "refuses $time",
    ({ time }) => {
      expect(() => wait(time)).toThrow(`wait() takes milliseconds or a promise, not ${time}`)
    },
  )
})

describe("malformed", () => {
  test.each([{ how: "politely" }, { how: "toString" }])("refuses $how and names what there is", ({ how }) => {
    expect(() => malformed(how as never)).toThrow(
      `There is no malformed("${how}"); there is throw, reject, never-resolves, no-stream, iterator-throws`,
    )
  })
})
