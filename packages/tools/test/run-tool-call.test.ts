import { getEventListeners } from "node:events"
import type { AgentTool, AgentToolCall, AgentToolResult, BeforeToolCallResult } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { errorResult, type RunToolCallOptions, runToolCall, textResult } from "../src/index.ts"
import { assistant, byHand, CONTEXT, call, deepFreeze, said, settle, text, tool } from "./support.ts"

/** Runs a call of tool `t`, which is the one given. */
function run(t: AgentTool, more: Partial<RunToolCallOptions> = {}, toolCall: AgentToolCall = call("1", "t")) {
  return runToolCall(toolCall, {
    tools: [t],
    assistantMessage: assistant([toolCall]),
    context: CONTEXT,
    now: () => 7,
    ...more,
  })
}

const fails = (message: string) => () => {
  throw new Error(message)
}
const never = (): Promise<never> => new Promise(() => {})

const { setImmediate } = globalThis
const macrotask = () => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe("runToolCall", () => {
  test("runs the tool and gives its result, and the message for the transcript", async () => {
    const toolCall = deepFreeze(call("1", "t", { n: "1" }))
    const execute = vi.fn(() => textResult("done", { took: 1 }))

    const outcome = await run(
      tool("t", execute, { parameters: Type.Object({ n: Type.Number() }) }),
      {},
      toolCall,
    )

    expect(execute.mock.calls).toEqual([["1", { n: 1 }, undefined, expect.any(Function)]])
    expect(outcome).toEqual({
      toolCall,
      result: { content: [{ type: "text", text: "done" }], details: { took: 1 } },
      isError: false,
      message: {
        role: "toolResult",
        toolCallId: "1",
        toolName: "t",
        content: [{ type: "text", text: "done" }],
        details: { took: 1 },
        isError: false,
        timestamp: 7,
      },
    })
  })

  test("leaves out of the message what the result does not have", async () => {
    const { message } = await run(tool("t"))
    expect(Object.keys(message)).toEqual([
      "role",
      "toolCallId",
      "toolName",
      "content",
      "isError",
      "timestamp",
    ])
  })

  test("names the tools that a result adds, where they are names", async () => {
    const adds = (addedToolNames: unknown) => run(tool("t", () => ({ ...text("a"), addedToolNames })))

    expect((await adds(["x", 1, null, "y"])).message.addedToolNames).toEqual(["x", "y"])
    expect((await adds("x")).message).not.toHaveProperty("addedToolNames")
  })

  test("gives the tool a copy of the arguments, and leaves the call as the model wrote it", async () => {
    const toolCall = deepFreeze(call("1", "t", { list: [1] }))
    const t = tool("t", (_id, args) => {
      ;(args as { list: number[] }).list.push(2)
      return text(JSON.stringify(args))
    })
    expect(said((await run(t, {}, toolCall)).result)).toBe('{"list":[1,2]}')
  })

  test("keeps a result apart from the objects of its tool", async () => {
    const block = { type: "text" as const, text: "before" }
    const result = { content: [block], details: { n: 1 }, addedToolNames: ["a"] }

    const { message } = await run(tool("t", () => result))
    block.text = "after"
    result.content.push(block)
    result.details.n = 2
    result.addedToolNames.push("b")

    expect(message).toMatchObject({
      content: [{ text: "before" }],
      details: { n: 1 },
      addedToolNames: ["a"],
    })
    expect(message.content).toHaveLength(1)
  })

  test("finds a deferred tool", async () => {
    expect(said((await run(tool("t", undefined, { deferred: true }))).result)).toBe("t")
  })

  test("calls the methods of a tool as methods", async () => {
    class Counter {
      readonly name = "t"
      readonly label = "t"
      readonly description = ""
      readonly parameters = { type: "object" }
      #count = 0
      prepareArguments(raw: unknown): unknown {
        this.#count++
        return raw
      }
      execute(): AgentToolResult {
        return text(String(this.#count))
      }
    }
    expect(said((await run(new Counter())).result)).toBe("1")
  })

  test.each([
    { given: undefined, details: undefined },
    { given: {}, details: {} },
    { given: [1], details: [1] },
    { given: 0, details: 0 },
    { given: null, details: null },
  ])("keeps details $given", async ({ given, details }) => {
    const { message } = await run(tool("t", () => ({ ...text(""), details: given })))
    expect(message.details).toEqual(details)
  })
})

describe("runToolCall answers with an error, for", () => {
  test("an unknown tool, naming those that the model was shown", async () => {
    const tools = [tool("a"), tool("b", undefined, { deferred: true }), tool("c")]
    const answer = async (more: Partial<RunToolCallOptions>): Promise<string> => {
      const { result, isError, message } = await run(tool("a"), { tools, ...more })
      expect([isError, message.isError, message.toolName]).toEqual([true, true, "t"])
      return said(result)
    }

    expect(await answer({})).toBe("Tool t not found. Available tools: a, c")
    expect(await answer({ shownToolNames: ["a", "b"] })).toBe("Tool t not found. Available tools: a, b")
    expect(await answer({ tools: [] })).toBe("Tool t not found. No tools are available.")
    expect(await answer({ tools: undefined })).toBe("Tool t not found. No tools are available.")
  })

  test("invalid arguments, without running anything", async () => {
    const execute = vi.fn()
    const hook = vi.fn()
    const parameters = Type.Object({ n: Type.Number(), s: Type.String() })

    const { result, isError } = await run(
      tool("t", execute, { parameters }),
      { beforeToolCall: hook, afterToolCall: hook },
      call("1", "t", { n: "x" }),
    )

    expect(isError).toBe(true)
    expect(said(result)).toBe(
      "Invalid arguments for tool t:\n" +
        '- n: expected number, received string "x"\n' +
        "- s: expected string, received nothing (required property is missing)\n" +
        "Correct them and call the tool again.",
    )
    expect(execute).not.toHaveBeenCalled()
    expect(hook).not.toHaveBeenCalled()
  })

  test("arguments that a library refuses asynchronously", async () => {
    const parameters = z.object({ n: z.number().refine(async (n) => n > 1, "must be greater than 1") })

    expect(said((await run(tool("t", undefined, { parameters }), {}, call("1", "t", { n: 2 }))).result)).toBe(
      "t",
    )
    expect(
      said((await run(tool("t", undefined, { parameters }), {}, call("1", "t", { n: 1 }))).result),
    ).toContain("- n: must be greater than 1")
  })

  test("a broken schema", async () => {
    const { isError, result } = await run(tool("t", undefined, { parameters: { $ref: "#/none" } }))
    expect(isError).toBe(true)
    expect(said(result)).toContain('Unresolved $ref "#/none"')
  })

  test("a prepareArguments that throws", async () => {
    const { isError, result } = await run(tool("t", undefined, { prepareArguments: fails("cannot prepare") }))
    expect([isError, said(result)]).toEqual([true, "cannot prepare"])
  })

  test.each([
    { decision: { block: true, reason: "not on Sundays" }, says: "not on Sundays" },
    { decision: { block: true }, says: "Tool execution was blocked" },
    { decision: { block: true, reason: "" }, says: "Tool execution was blocked" },
    { decision: { block: true, reason: 7 as never }, says: "Tool execution was blocked" },
  ])("a block: $decision", async ({ decision, says }) => {
    const execute = vi.fn()
    const afterToolCall = vi.fn()

    const { isError, result } = await run(tool("t", execute), {
      beforeToolCall: () => decision,
      afterToolCall,
    })

    expect([isError, said(result), result.terminate]).toEqual([true, says, undefined])
    expect(execute).not.toHaveBeenCalled()
    expect(afterToolCall).not.toHaveBeenCalled()
  })

  test("a tool that throws or rejects, with its message and no details", async () => {
    const thrown = await run(tool("t", fails("boom")))
    const rejected = await run(tool("t", () => Promise.reject(new Error("boom"))))

    for (const { isError, result, message } of [thrown, rejected]) {
      expect(result).toEqual({ content: [{ type: "text", text: "boom" }], details: {} })
      expect(isError).toBe(true)
      expect(message).toMatchObject({ isError: true, details: {} })
    }
  })

  test.each([
    { thrown: "just text", says: "just text" },
    { thrown: { message: "like an error" }, says: "like an error" },
    { thrown: new Error(""), says: "Unknown error" },
    { thrown: undefined, says: "Unknown error" },
    { thrown: Object.create(null), says: "Unknown error" },
  ])("a tool that throws $thrown", async ({ thrown, says }) => {
    expect(said((await run(tool("t", () => Promise.reject(thrown)))).result)).toBe(says)
  })

  test.each([
    { who: "a tool", of: (thrown: unknown) => [tool("t", () => Promise.reject(thrown)), {}] as const },
    {
      who: "a beforeToolCall",
      of: (thrown: unknown) => [tool("t"), { beforeToolCall: () => Promise.reject(thrown) }] as const,
    },
    {
      who: "an afterToolCall",
      of: (thrown: unknown) => [tool("t"), { afterToolCall: () => Promise.reject(thrown) }] as const,
    },
  ])("$who that throws what cannot be read", async ({ of }) => {
    const unreadable = new Proxy({}, { get: fails("not to be read"), getPrototypeOf: fails("nor this") })

    const { isError, result } = await run(...of(unreadable))

    expect([isError, said(result)]).toEqual([true, "Unknown error"])
  })

  test.each([undefined, null, "text", 7, true, [text("a")]])("a tool that returns %j", async (returned) => {
    const { isError, result } = await run(tool("t", () => returned))
    expect(isError).toBe(true)
    expect(result).toEqual({
      content: [{ type: "text", text: "Tool t returned no result object" }],
      details: {},
    })
  })

  test("a tool that says so itself", async () => {
    const { isError, message, result } = await run(tool("t", () => errorResult("no", { code: 1 })))
    expect([isError, message.isError, message.details, said(result)]).toEqual([true, true, { code: 1 }, "no"])
  })

  test("a tool without an implementation", async () => {
    const { isError } = await run({ ...tool("t"), execute: undefined as never })
    expect(isError).toBe(true)
  })

  test.each([
    { stopReason: "length", cut: {} },
    { stopReason: "error", cut: {} },
    { stopReason: "aborted", cut: {} },
    { stopReason: "toolUse", cut: { argumentsError: "Unexpected end of JSON input" } },
  ] as const)("a call that was cut off: $stopReason, $cut", async ({ stopReason, cut }) => {
    const spy = vi.fn()
    const toolCall = { ...call("1", "t"), ...cut }

    const { isError, result } = await run(
      tool("t", spy, { prepareArguments: spy }),
      { assistantMessage: assistant([toolCall], stopReason), beforeToolCall: spy, afterToolCall: spy },
      toolCall,
    )

    expect([isError, said(result)]).toEqual([
      true,
      "Tool call t was not executed: its arguments were cut off. Issue the call again with complete arguments.",
    ])
    expect(spy).not.toHaveBeenCalled()
  })

  test("a beforeToolCall that throws or rejects", async () => {
    const execute = vi.fn()
    const thrown = await run(tool("t", execute), { beforeToolCall: fails("hook broke") })
    const rejected = await run(tool("t", execute), { beforeToolCall: async () => fails("hook broke")() })

    for (const { isError, result } of [thrown, rejected])
      expect([isError, said(result), result.details]).toEqual([true, "hook broke", {}])
    expect(execute).not.toHaveBeenCalled()
  })

  test("an afterToolCall that throws, keeping the tool's own result in details", async () => {
    const own = textResult("secret", { n: 1 })
    const { isError, result } = await run(
      tool("t", () => own),
      { afterToolCall: fails("hook broke") },
    )

    expect(isError).toBe(true)
    expect(result).toEqual({ content: [{ type: "text", text: "hook broke" }], details: { result: own } })
  })
})

describe("runToolCall takes an odd result", () => {
  test.each([undefined, null, "text", 7, {}])("whose content is %j for an empty one", async (content) => {
    const { isError, message } = await run(tool("t", () => ({ content, details: 1 })))
    expect([isError, message.content, message.details]).toEqual([false, [], 1])
  })

  test("without the blocks that are none", async () => {
    const block = { type: "text", text: "a" }
    const { message } = await run(tool("t", () => ({ content: [null, block, "b", undefined, [block]] })))
    expect(message.content).toEqual([block])
  })

  test("without fields of a wrong type", async () => {
    const { result, isError } = await run(
      tool("t", () => ({ ...text("a"), isError: "no", terminate: 1, extra: true })),
    )
    expect([isError, Object.keys(result)]).toEqual([false, ["content", "details"]])
  })
})

describe("prepareArguments", () => {
  test("sees a copy of the raw arguments, and what it gives is mended and validated", async () => {
    const toolCall = deepFreeze(call("1", "t", { old: "1" }))
    const execute = vi.fn(() => text(""))
    const prepareArguments = (raw: unknown): unknown => {
      const args = raw as Record<string, unknown>
      args.n = args.old
      delete args.old
      return args
    }

    await run(
      tool("t", execute, { prepareArguments, parameters: Type.Object({ n: Type.Number() }) }),
      {},
      toolCall,
    )

    expect(execute.mock.calls[0]?.slice(0, 2)).toEqual(["1", { n: 1 }])
  })

  test("may be asynchronous", async () => {
    const t = tool("t", (_id, args) => text(JSON.stringify(args)), {
      prepareArguments: async () => ({ a: 1 }),
    })
    expect(said((await run(t)).result)).toBe('{"a":1}')
  })
})

describe("beforeToolCall", () => {
  test("is told the validated arguments, which it may change in place", async () => {
    const toolCall = call("1", "t", { n: "1" })
    const t = tool("t", (_id, args) => text(JSON.stringify(args)), {
      parameters: Type.Object({ n: Type.Number() }),
    })
    const beforeToolCall = vi.fn(({ args }): void => {
      expect(args).toEqual({ n: 1 })
      args.n = "not validated again"
    })
    const { signal } = new AbortController()

    const { result } = await run(t, { beforeToolCall, signal }, toolCall)

    expect(beforeToolCall.mock.calls).toEqual([
      [
        { assistantMessage: assistant([toolCall]), toolCall, args: expect.anything(), context: CONTEXT },
        signal,
      ],
    ])
    expect(said(result)).toBe('{"n":"not validated again"}')
  })

  test("replaces the arguments by raw ones: prepared, mended and validated", async () => {
    const parameters = Type.Object({ n: Type.Number() })
    const prepareArguments = (raw: unknown): unknown => ({ ...(raw as object), extra: true })
    const t = tool("t", (_id, args) => text(JSON.stringify(args)), { parameters, prepareArguments })
    const replaced = (args: unknown) => run(t, { beforeToolCall: () => ({ args }) }, call("1", "t", { n: 1 }))

    expect(said((await replaced(deepFreeze({ n: "2" }))).result)).toBe('{"n":2,"extra":true}')
    expect(said((await replaced({ n: "x" })).result)).toContain("- n: expected number")
    expect(said((await replaced(undefined)).result)).toBe('{"n":1,"extra":true}')
  })

  test.each([undefined, null, true, "block", 7, [], {}])(
    "lets the call run when it returns %j",
    async (returned) => {
      const beforeToolCall = async (): Promise<BeforeToolCallResult> => returned as BeforeToolCallResult
      expect(said((await run(tool("t"), { beforeToolCall })).result)).toBe("t")
    },
  )

  test("votes to terminate with a block", async () => {
    const { result } = await run(tool("t"), { beforeToolCall: () => ({ block: true, terminate: true }) })
    expect(result.terminate).toBe(true)
  })
})

describe("afterToolCall", () => {
  test("is told the result and the arguments", async () => {
    const toolCall = call("1", "t", { n: 1 })
    const afterToolCall = vi.fn()
    const assistantMessage = assistant([toolCall])

    await run(tool("t"), { afterToolCall }, toolCall)

    const known = { assistantMessage, toolCall, args: { n: 1 }, context: CONTEXT }
    expect(afterToolCall.mock.calls).toEqual([[{ ...known, result: text("t"), isError: false }, undefined]])
  })

  test.each([
    { change: undefined, gives: {} },
    { change: "garbage", gives: {} },
    { change: {}, gives: {} },
    {
      change: { content: undefined, details: undefined, isError: undefined, terminate: undefined },
      gives: {},
    },
    {
      change: { content: [{ type: "text", text: "new" }] },
      gives: { content: [{ type: "text", text: "new" }] },
    },
    { change: { content: "redacted" }, gives: { content: [] } },
    { change: { details: { b: 2 } }, gives: { details: { b: 2 } } },
    { change: { details: null }, gives: { details: null } },
    { change: { terminate: false }, gives: { terminate: false } },
    { change: { isError: true }, gives: { isError: true } },
  ])("replaces whole fields: $change", async ({ change, gives }) => {
    const own = { content: [{ type: "text", text: "old" }], details: { a: 1 }, terminate: true }
    const { result } = await run(
      tool("t", () => own),
      { afterToolCall: async () => change as never },
    )
    expect(result).toEqual({ ...own, ...gives })
  })

  test("decides whether the result is an error", async () => {
    const forgiven = await run(tool("t", fails("boom")), { afterToolCall: () => ({ isError: false }) })
    const condemned = await run(tool("t"), { afterToolCall: () => ({ isError: true }) })

    expect([forgiven.isError, forgiven.message.isError]).toEqual([false, false])
    expect([condemned.isError, condemned.message.isError]).toEqual([true, true])
  })

  test("is asked about a tool that threw, and about one that timed out", async () => {
    const afterToolCall = vi.fn()

    await run(tool("t", fails("boom")), { afterToolCall })
    const late = run(tool("t", never, { timeoutMs: 10 }), { afterToolCall })
    await vi.advanceTimersByTimeAsync(10)
    await late

    expect(afterToolCall.mock.calls.map(([{ result, isError }]) => [said(result), isError])).toEqual([
      ["boom", true],
      ["Tool t timed out after 10 ms", true],
    ])
  })
})

describe("onUpdate", () => {
  test("gets what the tool reports, until the call has settled", async () => {
    const updates: string[] = []
    let report: ((partial: AgentToolResult) => void) | undefined
    const t = tool("t", async (_id, _args, _signal, onUpdate) => {
      report = onUpdate
      onUpdate?.(text("1"))
      await undefined
      onUpdate?.(text("2"))
      return text("3")
    })

    await run(t, { onUpdate: (partial) => updates.push(said(partial)) })
    report?.(text("4"))

    expect(updates).toEqual(["1", "2"])
  })

  test("gets garbage in a clean shape, and may throw", async () => {
    const updates: unknown[] = []
    const t = tool("t", (_id, _args, _signal, onUpdate) => {
      for (const garbage of [undefined, "text", { content: "text" }]) onUpdate?.(garbage as never)
      return text("done")
    })

    const { result } = await run(t, {
      onUpdate: (partial) => {
        updates.push(partial)
        throw new Error("listener broke")
      },
    })

    expect(said(result)).toBe("done")
    expect(updates).toEqual([
      { content: [], details: {} },
      { content: [], details: {} },
      { content: [], details: undefined },
    ])
  })

  test("may reject, and nobody hears of it", async () => {
    const unhandled = vi.fn()
    process.on("unhandledRejection", unhandled)
    const t = tool("t", async (_id, _args, _signal, onUpdate) => {
      onUpdate?.(text("half"))
      return text("done")
    })

    const { result } = await run(t, { onUpdate: () => Promise.reject(new Error("listener broke")) as never })
    await macrotask()
    process.off("unhandledRejection", unhandled)

    expect(said(result)).toBe("done")
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe("timeoutMs", () => {
  test("ends a call at once, aborts the tool's own signal and drops what comes later", async () => {
    const late = byHand<AgentToolResult>()
    const updates: string[] = []
    let given: AbortSignal | undefined
    let report: ((partial: AgentToolResult) => void) | undefined
    const { signal } = new AbortController()
    const t = tool(
      "t",
      (_id, _args, own, onUpdate) => {
        given = own
        report = onUpdate
        return late.promise
      },
      { timeoutMs: 1000 },
    )

    const running = run(t, { signal, onUpdate: (partial) => updates.push(said(partial)) })
    await vi.advanceTimersByTimeAsync(999)
    expect(given?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const { isError, result } = await running
    report?.(text("late"))
    late.reject(new Error("late"))
    await settle()

    expect([isError, said(result), updates]).toEqual([true, "Tool t timed out after 1000 ms", []])
    expect([given?.aborted, given?.reason.name, signal.aborted]).toEqual([true, "TimeoutError", false])
    expect(getEventListeners(signal, "abort")).toHaveLength(0)
  })

  test("says that it timed out also when the tool heeds the signal", async () => {
    const t = tool(
      "t",
      (_id, _args, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason))
        }),
      { timeoutMs: 10 },
    )
    const running = run(t)
    await vi.advanceTimersByTimeAsync(10)
    expect(said((await running).result)).toBe("Tool t timed out after 10 ms")
  })

  test("gives the tool a signal that follows the run's, and leaves no listener on it", async () => {
    const controller = new AbortController()
    const { signal } = controller
    let given: AbortSignal | undefined
    const t = tool(
      "t",
      (_id, _args, own) => {
        given = own
        controller.abort("stop")
        return text("done")
      },
      { timeoutMs: 1000 },
    )

    const { result } = await run(t, { signal })

    expect([given?.aborted, given?.reason, said(result)]).toEqual([true, "stop", "done"])
    expect(getEventListeners(signal, "abort")).toHaveLength(0)
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
    "of %d means never",
    async (timeoutMs) => {
      const work = byHand<AgentToolResult>()
      const running = run(tool("t", () => work.promise, { timeoutMs }))
      await vi.advanceTimersByTimeAsync(100_000)
      work.resolve(text("done"))
      expect(said((await running).result)).toBe("done")
    },
  )
})

describe("After the signal, runToolCall", () => {
  const aborted = "Tool call aborted"
  const leftBehind = "Tool call aborted. The tool did not stop in time and may still have taken effect."

  test("starts nothing", async () => {
    const spy = vi.fn()
    const { isError, result } = await run(tool("t", spy, { prepareArguments: spy }), {
      signal: AbortSignal.abort(),
      beforeToolCall: spy,
      afterToolCall: spy,
    })
    expect([isError, said(result)]).toEqual([true, aborted])
    expect(spy).not.toHaveBeenCalled()
  })

  test("runs no tool when it fires in beforeToolCall, in time or not", async () => {
    for (const waits of [false, true]) {
      const controller = new AbortController()
      const execute = vi.fn()
      const running = run(tool("t", execute), {
        signal: controller.signal,
        beforeToolCall: () => {
          controller.abort()
          return waits ? never() : undefined
        },
      })
      await vi.advanceTimersByTimeAsync(waits ? 500 : 0)
      expect(said((await running).result)).toBe(aborted)
      expect(execute).not.toHaveBeenCalled()
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
    }
  })

  test("keeps the answer of a hook that blocks within the grace", async () => {
    const controller = new AbortController()
    const { result } = await run(tool("t"), {
      signal: controller.signal,
      beforeToolCall: async () => {
        controller.abort()
        return { block: true, reason: "no" }
      },
    })
    expect(said(result)).toBe("no")
    await vi.advanceTimersByTimeAsync(500)
  })

  test("leaves a validation behind that does not end", async () => {
    const controller = new AbortController()
    const parameters = { "~standard": { version: 1 as const, vendor: "test", validate: never } }
    const running = run(tool("t", undefined, { parameters }), { signal: controller.signal, abortGraceMs: 50 })
    controller.abort()
    await vi.advanceTimersByTimeAsync(50)
    expect(said((await running).result)).toBe(aborted)
  })

  test("leaves a prepareArguments behind that does not end, and starts none for replaced arguments", async () => {
    const controller = new AbortController()
    const { signal } = controller
    const deaf = run(tool("t", undefined, { prepareArguments: never }), { signal })
    const prepareArguments = vi.fn((raw: unknown) => raw)
    const replaced = run(tool("t", undefined, { prepareArguments }), {
      signal,
      beforeToolCall: async () => {
        controller.abort()
        return { args: {} }
      },
    })
    await settle()
    await vi.advanceTimersByTimeAsync(500)

    expect(said((await deaf).result)).toBe(aborted)
    expect(said((await replaced).result)).toBe(aborted)
    expect(prepareArguments).toHaveBeenCalledTimes(1)
  })

  test("keeps the result of a tool that ends within the grace", async () => {
    const controller = new AbortController()
    const work = byHand<AgentToolResult>()
    const running = run(
      tool("t", () => work.promise),
      { signal: controller.signal },
    )
    await settle()
    controller.abort()
    await vi.advanceTimersByTimeAsync(499)
    work.resolve(text("just in time"))
    expect(said((await running).result)).toBe("just in time")
  })

  test("leaves a deaf tool behind when the grace is over, and says that it may have taken effect", async () => {
    const controller = new AbortController()
    const work = byHand<AgentToolResult>()
    const afterToolCall = vi.fn()
    const running = run(
      tool("t", () => work.promise),
      {
        signal: controller.signal,
        abortGraceMs: 100,
        afterToolCall,
      },
    )
    await settle()
    controller.abort()
    await vi.advanceTimersByTimeAsync(100)
    const { isError, result } = await running
    work.reject(new Error("late"))
    await settle()

    expect([isError, said(result)]).toEqual([true, leftBehind])
    expect(afterToolCall).not.toHaveBeenCalled()
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
  })

  test.each([
    { what: "the reason", reject: (signal: AbortSignal) => signal.reason, says: aborted },
    { what: "an AbortError", reject: () => new DOMException("stopped", "AbortError"), says: aborted },
    { what: "an error of its own", reject: () => new Error("disk full"), says: "disk full" },
  ])("says of a tool that then rejects with $what: $says", async ({ reject, says }) => {
    const controller = new AbortController()
    const t = tool(
      "t",
      (_id, _args, signal) =>
        new Promise((_resolve, onReject) => {
          signal?.addEventListener("abort", () => onReject(reject(signal)))
        }),
    )
    const running = run(t, { signal: controller.signal })
    await settle()
    controller.abort()
    await settle()
    expect(said((await running).result)).toBe(says)
  })

  test("withholds a result that afterToolCall can no longer see", async () => {
    const controller = new AbortController()
    const afterToolCall = vi.fn()
    const t = tool("t", () => {
      controller.abort()
      return text("secret")
    })
    const { isError, result } = await run(t, { signal: controller.signal, afterToolCall })

    expect([isError, said(result)]).toEqual([true, aborted])
    expect(afterToolCall).not.toHaveBeenCalled()
  })

  test("waits for an afterToolCall that has begun, for the grace", async () => {
    const finish = async (grace: boolean): Promise<string> => {
      const controller = new AbortController()
      const hook = byHand<{ content: AgentToolResult["content"] }>()
      const running = run(
        tool("t", () => text("secret")),
        {
          signal: controller.signal,
          afterToolCall: () => {
            controller.abort()
            return hook.promise
          },
        },
      )
      await vi.advanceTimersByTimeAsync(grace ? 499 : 500)
      hook.resolve(text("redacted"))
      return said((await running).result)
    }

    expect(await finish(true)).toBe("redacted")
    expect(await finish(false)).toBe(aborted)
  })

  test("has one grace for all stages together", async () => {
    const controller = new AbortController()
    const began = Date.now()
    const running = run(tool("t", never), {
      signal: controller.signal,
      abortGraceMs: 100,
      beforeToolCall: () => {
        setTimeout(() => controller.abort(), 10)
      },
    })
    await vi.advanceTimersByTimeAsync(110)
    expect(said((await running).result)).toBe(leftBehind)
    expect(Date.now() - began).toBe(110)
  })
})
