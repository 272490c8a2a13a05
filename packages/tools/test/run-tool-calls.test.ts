import { getEventListeners } from "node:events"
import type { AgentTool, AgentToolResult } from "@heddle/types"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type RunToolCallsOptions, runToolCalls, type ToolCallEvent } from "../src/index.ts"
import {
  assistant,
  byHand,
  CONTEXT,
  call,
  deepFreeze,
  said,
  sequence,
  settle,
  start,
  text,
  tool,
} from "./support.ts"

const never = (): Promise<never> => new Promise(() => {})

/** A tool whose calls end when the test says so, by the id of the call. */
function manual(name: string, more: Partial<AgentTool> = {}) {
  const calls = new Map<string, ReturnType<typeof byHand<AgentToolResult>>>()
  const of = (id: string) => {
    const work = calls.get(id) ?? byHand<AgentToolResult>()
    calls.set(id, work)
    return work
  }
  const running: string[] = []
  return {
    tool: tool(
      name,
      (id) => {
        running.push(id)
        return of(id).promise
      },
      more,
    ),
    /** Ids in the order in which they began. */
    running,
    async end(id: string): Promise<void> {
      of(id).resolve(text(`done ${id}`))
      await settle()
    },
  }
}

/** A message that calls tools by name; the calls have ids 1, 2, 3… */
function calling(...names: string[]) {
  return assistant(names.map((name, index) => call(String(index + 1), name)))
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe("runToolCalls", () => {
  test("emits start, end and result of a call, with everything about it", async () => {
    const message = deepFreeze(assistant([call("1", "t", { n: "1" })]))
    const parameters = { type: "object", properties: { n: { type: "number" } } }
    const t = tool("t", (_id, args) => ({ ...text(JSON.stringify(args)), details: { a: 1 } }), { parameters })

    const { events, running } = start(message, { tools: [t], now: () => 7 })
    const { results, terminate } = await running

    const content = [{ type: "text", text: '{"n":1}' }]
    const result = {
      role: "toolResult",
      toolCallId: "1",
      toolName: "t",
      content,
      details: { a: 1 },
      isError: false,
      timestamp: 7,
    }
    expect(results).toEqual([result])
    expect(terminate).toBe(false)
    expect(events).toEqual([
      { type: "tool_execution_start", toolCallId: "1", toolName: "t", args: { n: "1" } },
      {
        type: "tool_execution_end",
        toolCallId: "1",
        toolName: "t",
        result: { content, details: { a: 1 } },
        isError: false,
      },
      { type: "message_start", message: result },
      { type: "message_end", message: result },
    ])
  })

  test("does nothing for a message without calls", async () => {
    const { events, running } = start(assistant([{ type: "text", text: "Hello" }]), { tools: [] })
    expect(await running).toEqual({ results: [], terminate: false })
    expect(events).toEqual([])
  })

  test("ignores all blocks but tool calls", async () => {
    const message = assistant([
      { type: "thinking", thinking: "" },
      call("1", "t"),
      { type: "opaque", kind: "server_tool_use", data: {} },
      call("2", "t"),
    ])
    const { running, sequence } = start(message, { tools: [tool("t")] })
    await running
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2")
  })

  test("works without emit", async () => {
    const { results } = await runToolCalls(calling("t", "t"), { tools: [tool("t")], context: CONTEXT })
    expect(results.map(said)).toEqual(["t", "t"])
  })

  test("gives hooks the same transcript for the whole batch", async () => {
    const seen: unknown[] = []
    const hook = ({ context, assistantMessage }: { context: unknown; assistantMessage: unknown }): void => {
      seen.push(context, assistantMessage)
    }
    const message = calling("t", "t")
    await start(message, { tools: [tool("t")], beforeToolCall: hook, afterToolCall: hook }).running
    expect(new Set(seen)).toEqual(new Set([CONTEXT, message]))
    expect(seen).toHaveLength(8)
  })

  test("answers two calls with the same id", async () => {
    const message = assistant([call("1", "a"), call("1", "b")])
    const { results } = await start(message, { tools: [tool("a"), tool("b")] }).running
    expect(results.map(said)).toEqual(["a", "b"])
  })
})

describe("Parallel calls", () => {
  test("end in source order by default, each as soon as it and all before it are done", async () => {
    const t = manual("t")
    const { running, sequence } = start(calling("t", "t", "t"), { tools: [t.tool] })
    await settle()
    expect(sequence()).toBe("T1 T2 T3")

    await t.end("2")
    expect(sequence()).toBe("T1 T2 T3")
    await t.end("1")
    expect(sequence()).toBe("T1 T2 T3 E1 R1 /R1 E2 R2 /R2")
    await t.end("3")
    expect(sequence()).toBe("T1 T2 T3 E1 R1 /R1 E2 R2 /R2 E3 R3 /R3")
    expect((await running).results.map(said)).toEqual(["done 1", "done 2", "done 3"])
  })

  test("end as they complete where that is asked for, their results still in source order", async () => {
    const t = manual("t")
    const { running, sequence } = start(calling("t", "t", "t"), {
      tools: [t.tool],
      toolEndOrder: "completion",
    })
    await settle()

    await t.end("3")
    expect(sequence()).toBe("T1 T2 T3 E3")
    await t.end("1")
    expect(sequence()).toBe("T1 T2 T3 E3 E1 R1 /R1")
    await t.end("2")
    expect(sequence()).toBe("T1 T2 T3 E3 E1 R1 /R1 E2 R2 /R2 R3 /R3")
    expect((await running).results.map(said)).toEqual(["done 1", "done 2", "done 3"])
  })

  test("are prepared one at a time in source order, and run when all are prepared", async () => {
    const log: string[] = []
    const first = byHand<void>()
    const t = tool("t", (id) => {
      log.push(`run ${id}`)
      return text("")
    })
    const { running, sequence } = start(calling("t", "t"), {
      tools: [t],
      beforeToolCall: async ({ toolCall }) => {
        log.push(`before ${toolCall.id}`)
        if (toolCall.id === "1") await first.promise
      },
      afterToolCall: ({ toolCall }) => {
        log.push(`after ${toolCall.id}`)
      },
    })
    await settle()
    expect([sequence(), log]).toEqual(["T1", ["before 1"]])

    first.resolve()
    await running
    expect(log).toEqual(["before 1", "before 2", "run 1", "run 2", "after 1", "after 2"])
  })

  test("ask afterToolCall as each finishes", async () => {
    const t = manual("t")
    const after: string[] = []
    const { running } = start(calling("t", "t"), {
      tools: [t.tool],
      afterToolCall: ({ toolCall }) => {
        after.push(toolCall.id)
      },
    })
    await settle()
    await t.end("2")
    expect(after).toEqual(["2"])
    await t.end("1")
    await running
  })

  test.each([
    { limit: 2, begin: ["1", "2"] },
    { limit: 1, begin: ["1"] },
    { limit: 0, begin: ["1"] },
    { limit: 2.9, begin: ["1", "2"] },
    { limit: Number.NaN, begin: ["1"] },
    { limit: Number.POSITIVE_INFINITY, begin: ["1", "2", "3"] },
    { limit: undefined, begin: ["1", "2", "3"] },
  ])("run at most $limit at once", async ({ limit, begin }) => {
    const t = manual("t")
    const { running } = start(calling("t", "t", "t"), { tools: [t.tool], maxParallelToolCalls: limit })
    await settle()
    expect(t.running).toEqual(begin)

    for (const id of ["1", "2", "3"]) await t.end(id)
    await running
    expect(t.running).toEqual(["1", "2", "3"])
  })

  test("take the place of one that has run, also while its afterToolCall still works", async () => {
    const t = manual("t")
    const hook = byHand<void>()
    const { running } = start(calling("t", "t"), {
      tools: [t.tool],
      maxParallelToolCalls: 1,
      afterToolCall: () => hook.promise,
    })
    await settle()
    await t.end("1")
    expect(t.running).toEqual(["1", "2"])
    hook.resolve()
    await t.end("2")
    await running
  })
})

describe("Sequential calls", () => {
  test("are done to their result before the next one starts", async () => {
    const t = manual("t")
    const { running, sequence } = start(calling("t", "t"), { tools: [t.tool], toolExecution: "sequential" })
    await settle()
    expect(sequence()).toBe("T1")
    await t.end("1")
    expect(sequence()).toBe("T1 E1 R1 /R1 T2")
    await t.end("2")
    await running
    expect(sequence()).toBe("T1 E1 R1 /R1 T2 E2 R2 /R2")
  })

  test("cut a batch into groups, each finished before the next begins", async () => {
    const p = manual("p")
    const s = manual("s", { executionMode: "sequential" })
    const { running, sequence } = start(calling("p", "p", "s", "s", "p"), { tools: [p.tool, s.tool] })
    await settle()
    expect(sequence()).toBe("T1 T2")
    await p.end("2")
    await p.end("1")
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2 T3")
    await s.end("3")
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2 T3 E3 R3 /R3 T4")
    await s.end("4")
    await p.end("5")
    await running
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2 T3 E3 R3 /R3 T4 E4 R4 /R4 T5 E5 R5 /R5")
  })

  test("leave a tool parallel that says so itself", async () => {
    const p = manual("p", { executionMode: "parallel" })
    const { running, sequence } = start(calling("p", "p"), { tools: [p.tool], toolExecution: "sequential" })
    await settle()
    expect(sequence()).toBe("T1 T2")
    await p.end("1")
    await p.end("2")
    await running
  })
})

describe("A call that fails at once", () => {
  test("waits its turn in source order", async () => {
    const t = manual("t")
    const { running, sequence } = start(calling("t", "none"), { tools: [t.tool] })
    await settle()
    expect(sequence()).toBe("T1 T2")
    await t.end("1")
    await running
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2")
  })

  test("ends at once where there is none before it, and in order of completion", async () => {
    const t = manual("t")
    const source = start(calling("none", "t"), { tools: [t.tool] })
    const completion = start(calling("t", "none"), { tools: [t.tool], toolEndOrder: "completion" })
    await settle()
    expect(source.sequence()).toBe("T1 E1 R1 /R1 T2")
    expect(completion.sequence()).toBe("T1 T2 E2")
    await t.end("1")
    await t.end("2")
    await completion.running
    await source.running
    expect(completion.sequence()).toBe("T1 T2 E2 E1 R1 /R1 R2 /R2")
  })

  test("does not keep its siblings from running", async () => {
    const { running } = start(calling("none", "t", "none"), {
      tools: [tool("t")],
      beforeToolCall: () => ({ block: true, reason: "no" }),
      shownToolNames: [],
    })
    expect((await running).results.map(said)).toEqual([
      "Tool none not found. No tools are available.",
      "no",
      "Tool none not found. No tools are available.",
    ])
  })

  test("of a message that was cut off is one of all its calls", async () => {
    const execute = vi.fn()
    const message = assistant([call("1", "t"), call("2", "none")], "length")
    const { running, sequence } = start(message, { tools: [tool("t", execute)] })
    const { results } = await running
    expect(sequence()).toBe("T1 E1 R1 /R1 T2 E2 R2 /R2")
    expect(results.map(said)).toEqual([
      "Tool call t was not executed: its arguments were cut off. Issue the call again with complete arguments.",
      "Tool call none was not executed: its arguments were cut off. Issue the call again with complete arguments.",
    ])
    expect(execute).not.toHaveBeenCalled()
  })
})

describe("Updates", () => {
  test("come at once, before the end of their call, with its raw arguments", async () => {
    const work = byHand<AgentToolResult>()
    let late: ((partial: AgentToolResult) => void) | undefined
    const t = tool("t", (_id, _args, _signal, onUpdate) => {
      late = onUpdate
      onUpdate?.(text("half"))
      return work.promise
    })
    const message = assistant([call("1", "t", { n: "1" }), call("2", "none")])
    const { events, running, sequence } = start(message, { tools: [t] })
    await settle()
    expect(sequence()).toBe("T1 T2 U1")
    expect(events.at(-1)).toEqual({
      type: "tool_execution_update",
      toolCallId: "1",
      toolName: "t",
      args: { n: "1" },
      partialResult: text("half"),
    })

    late?.(text("more"))
    work.resolve(text("done"))
    await running
    late?.(text("too late"))
    expect(sequence()).toBe("T1 T2 U1 U1 E1 R1 /R1 E2 R2 /R2")
  })

  test("come before the end also where emit is slow", async () => {
    const events: ToolCallEvent[] = []
    const t = tool("t", (_id, _args, _signal, onUpdate) => {
      for (const part of ["1", "2", "3"]) onUpdate?.(text(part))
      return text("done")
    })
    const running = runToolCalls(calling("t"), {
      tools: [t],
      context: CONTEXT,
      emit: async (event) => {
        await vi.advanceTimersByTimeAsync(0)
        events.push(event)
      },
    })
    await running
    expect(sequence(events)).toBe("T1 U1 U1 U1 E1 R1 /R1")
  })

  test("do not change when the tool goes on with their objects", async () => {
    const partial = { content: [{ type: "text" as const, text: "1" }], details: { step: 1 } }
    const t = tool("t", (_id, _args, _signal, onUpdate) => {
      for (let step = 1; step < 3; step++) {
        partial.details.step = step
        partial.content[0] = { type: "text", text: String(step) }
        onUpdate?.(partial)
      }
      return text("done")
    })
    const { events, running } = start(calling("t"), { tools: [t] })
    await running
    expect(events.flatMap((event) => ("partialResult" in event ? event.partialResult : []))).toEqual([
      { content: [{ type: "text", text: "1" }], details: { step: 1 } },
      { content: [{ type: "text", text: "2" }], details: { step: 2 } },
    ])
  })
})

describe("The vote to terminate", () => {
  const yes = tool("yes", () => ({ ...text(""), terminate: true }))
  const no = tool("no")
  const odd = tool("odd", () => ({ ...text(""), terminate: "yes" }))

  test.each([
    { names: ["yes"], terminate: true },
    { names: ["yes", "yes"], terminate: true },
    { names: ["yes", "no"], terminate: false },
    { names: ["yes", "none"], terminate: false },
    { names: ["odd"], terminate: false },
    { names: [], terminate: false },
  ])("of $names is $terminate", async ({ names, terminate }) => {
    const { running } = start(calling(...names), { tools: [yes, no, odd] })
    expect((await running).terminate).toBe(terminate)
  })

  test("counts a block that votes, and what afterToolCall says", async () => {
    const blocked = start(calling("no"), {
      tools: [no],
      beforeToolCall: () => ({ block: true, terminate: true }),
    })
    const changed = start(calling("no"), { tools: [no], afterToolCall: () => ({ terminate: true }) })
    const revoked = start(calling("yes"), { tools: [yes], afterToolCall: () => ({ terminate: false }) })
    const votes = await Promise.all([blocked.running, changed.running, revoked.running])
    expect(votes.map(({ terminate }) => terminate)).toEqual([true, true, false])
  })
})

describe("emit", () => {
  test("is awaited before a call is prepared, before calls run and before the next group", async () => {
    const log: string[] = []
    const gates: (() => void)[] = []
    const t = tool("t", () => {
      log.push("run")
      return text("")
    })
    const running = runToolCalls(calling("none", "t", "none"), {
      tools: [t],
      context: CONTEXT,
      emit: (event) => {
        log.push(sequence([event]))
        return new Promise<void>((resolve) => gates.push(resolve))
      },
      beforeToolCall: () => {
        log.push("before")
      },
    })
    let finished = false
    void running.then(() => {
      finished = true
    })
    const steps: string[] = []
    while (!finished) {
      await settle()
      steps.push(log.splice(0).join("+"))
      gates.shift()?.()
      await settle()
    }
    expect(steps.join(" ")).toBe("T1 E1 R1 /R1 T2 before+T3 run+E2 R2 /R2 E3 R3 /R3")
  })

  test("is never called while an earlier call is pending", async () => {
    let pending = 0
    let most = 0
    const t = tool("t", async (_id, _args, _signal, onUpdate) => {
      onUpdate?.(text("a"))
      await undefined
      onUpdate?.(text("b"))
      return text("")
    })
    await runToolCalls(calling("t", "t", "t"), {
      tools: [t],
      context: CONTEXT,
      emit: async () => {
        most = Math.max(most, ++pending)
        await undefined
        pending--
      },
    })
    expect(most).toBe(1)
  })

  test.each([
    {
      how: "throws",
      raise: (error: Error): never => {
        throw error
      },
    },
    { how: "rejects", raise: (error: Error) => Promise.reject(error) },
  ])(
    "that $how stops the batch: nothing starts, nothing is emitted, and the first error is thrown",
    async ({ raise }) => {
      const execute = vi.fn(() => text(""))
      const hook = vi.fn()
      const events: ToolCallEvent[] = []
      const running = runToolCalls(calling("t", "t", "t"), {
        tools: [tool("t", execute)],
        context: CONTEXT,
        beforeToolCall: hook,
        emit: (event) => {
          events.push(event)
          if (sequence([event]) === "T2") return raise(new Error("listener broke"))
        },
      })
      await expect(running).rejects.toThrow("listener broke")
      expect(sequence(events)).toBe("T1 T2")
      expect(hook).toHaveBeenCalledTimes(1)
      expect(execute).not.toHaveBeenCalled()
    },
  )

  test("that fails while tools run aborts them, and leaves a deaf one behind", async () => {
    let given: AbortSignal | undefined
    const deaf = tool("deaf", (_id, _args, signal) => {
      given = signal
      return never()
    })
    const running = runToolCalls(calling("t", "deaf"), {
      tools: [tool("t"), deaf],
      context: CONTEXT,
      emit: (event) => {
        if (event.type === "tool_execution_end") throw new Error("listener broke")
      },
    })
    const caught = running.catch((error: Error) => error.message)
    await settle()
    expect(given?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(500)
    expect(await caught).toBe("listener broke")
  })
})

describe("After the signal, a batch", () => {
  const results = async (running: ReturnType<typeof runToolCalls>): Promise<string[]> =>
    (await running).results.map(said)
  const aborted = "Tool call aborted"

  test("that has not begun has results only", async () => {
    const execute = vi.fn()
    const { running, sequence } = start(calling("t", "none"), {
      tools: [tool("t", execute)],
      signal: AbortSignal.abort(),
    })
    expect(await results(running)).toEqual([aborted, aborted])
    expect(sequence()).toBe("R1 /R1 R2 /R2")
    expect(execute).not.toHaveBeenCalled()
  })

  test("starts no call after the one whose start event fired it", async () => {
    const controller = new AbortController()
    const hook = vi.fn()
    const events: ToolCallEvent[] = []
    const running = runToolCalls(calling("t", "t"), {
      tools: [tool("t")],
      context: CONTEXT,
      signal: controller.signal,
      beforeToolCall: hook,
      emit: (event) => {
        events.push(event)
        if (event.type === "tool_execution_start") controller.abort()
      },
    })
    expect(await results(running)).toEqual([aborted, aborted])
    expect(sequence(events)).toBe("T1 E1 R1 /R1 R2 /R2")
    expect(hook).not.toHaveBeenCalled()
  })

  test("runs no tool of a group that is not prepared", async () => {
    const controller = new AbortController()
    const execute = vi.fn()
    const { running, sequence } = start(calling("t", "t", "t"), {
      tools: [tool("t", execute)],
      signal: controller.signal,
      beforeToolCall: ({ toolCall }) => {
        if (toolCall.id === "2") controller.abort()
      },
    })
    expect(await results(running)).toEqual([aborted, aborted, aborted])
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2 R3 /R3")
    expect(execute).not.toHaveBeenCalled()
  })

  test("keeps what has settled, leaves deaf tools behind, and starts no further group", async () => {
    const controller = new AbortController()
    const t = manual("t")
    const deaf = tool("deaf", never)
    const { running, sequence } = start(calling("t", "deaf", "t", "s"), {
      tools: [t.tool, deaf, tool("s", undefined, { executionMode: "sequential" })],
      signal: controller.signal,
      abortGraceMs: 200,
    })
    await settle()
    await t.end("1")
    controller.abort()
    await vi.advanceTimersByTimeAsync(199)
    await t.end("3")
    expect(sequence()).toBe("T1 T2 T3 E1 R1 /R1")
    await vi.advanceTimersByTimeAsync(1)

    expect(await results(running)).toEqual([
      "done 1",
      "Tool call aborted. The tool did not stop in time and may still have taken effect.",
      "done 3",
      aborted,
    ])
    expect(sequence()).toBe("T1 T2 T3 E1 R1 /R1 E2 R2 /R2 E3 R3 /R3 R4 /R4")
  })

  test("starts no call that waited for its place", async () => {
    const controller = new AbortController()
    const t = manual("t")
    const { running, sequence } = start(calling("t", "t"), {
      tools: [t.tool],
      signal: controller.signal,
      maxParallelToolCalls: 1,
    })
    await settle()
    controller.abort()
    await t.end("1")
    expect(await results(running)).toEqual(["done 1", aborted])
    expect(t.running).toEqual(["1"])
    expect(sequence()).toBe("T1 T2 E1 R1 /R1 E2 R2 /R2")
    await vi.advanceTimersByTimeAsync(500)
  })

  test("drops the late updates of a tool that was left behind", async () => {
    const controller = new AbortController()
    let report: ((partial: AgentToolResult) => void) | undefined
    const deaf = tool("deaf", (_id, _args, _signal, onUpdate) => {
      report = onUpdate
      return never()
    })
    const { running, sequence } = start(calling("deaf"), { tools: [deaf], signal: controller.signal })
    await settle()
    controller.abort()
    report?.(text("within the grace"))
    await vi.advanceTimersByTimeAsync(500)
    await running
    report?.(text("after it"))
    expect(sequence()).toBe("T1 U1 E1 R1 /R1")
  })

  test("shows the tool the caller's reason", async () => {
    const controller = new AbortController()
    const t = tool("t", (_id, _args, signal) => {
      controller.abort("because")
      return text(String(signal?.reason))
    })
    const { running } = start(calling("t"), { tools: [t], signal: controller.signal })
    expect(await results(running)).toEqual(["because"])
  })

  test("leaves no listener on it, however the batch ends", async () => {
    const { signal } = new AbortController()
    const tools = [tool("t", undefined, { timeoutMs: 50 }), tool("late", never, { timeoutMs: 50 })]
    const batch = start(calling("t", "late", "none"), { tools, signal })
    await settle()
    await vi.advanceTimersByTimeAsync(50)
    await batch.running
    const broken = runToolCalls(calling("t"), {
      tools,
      context: CONTEXT,
      signal,
      emit: () => Promise.reject(new Error("listener broke")),
    })
    await expect(broken).rejects.toThrow()
    expect(getEventListeners(signal, "abort")).toHaveLength(0)
  })
})

describe("For every batch,", () => {
  const one = fc.record({
    kind: fc.constantFrom("parallel", "sequential", "none", "fails", "blocked", "invalid", "timeout"),
    latency: fc.nat(20),
    updates: fc.nat(2),
  })
  const batch = fc.record({
    calls: fc.array(one, { maxLength: 8 }),
    toolEndOrder: fc.constantFrom<"source" | "completion">("source", "completion"),
    maxParallelToolCalls: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    slowEmit: fc.boolean(),
    abortAfter: fc.option(fc.nat(30), { nil: undefined }),
  })

  test("every call has one result, in source order, and events keep their rules", async () => {
    await fc.assert(
      fc.asyncProperty(batch, async ({ calls, slowEmit, abortAfter, ...schedule }) => {
        const tools = calls.map(
          ({ kind, latency, updates }, index): AgentTool => ({
            ...tool(`t${index}`),
            executionMode: kind === "sequential" ? "sequential" : "parallel",
            ...(kind === "timeout" && { timeoutMs: 5 }),
            ...(kind === "invalid" && { parameters: { required: ["missing"] } }),
            async execute(_id, _args, _signal, onUpdate) {
              for (let update = 0; update < updates; update++) onUpdate?.(text("update"))
              await new Promise((resolve) => setTimeout(resolve, latency))
              onUpdate?.(text("update"))
              if (kind === "fails") throw new Error("failed")
              return text(`result ${index}`)
            },
          }),
        )
        const events: ToolCallEvent[] = []
        const controller = new AbortController()
        const options: RunToolCallsOptions = {
          tools: tools.filter((_, index) => calls[index]?.kind !== "none"),
          context: CONTEXT,
          signal: controller.signal,
          abortGraceMs: 3,
          beforeToolCall: ({ toolCall }) =>
            calls[Number(toolCall.id)]?.kind === "blocked" ? { block: true } : undefined,
          emit: (event) => {
            events.push(event)
            return slowEmit ? new Promise((resolve) => setTimeout(resolve, 1)) : undefined
          },
          ...schedule,
        }
        if (abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter)

        const message = assistant(calls.map((_, index) => call(String(index), `t${index}`)))
        const running = runToolCalls(message, options)
        await vi.runAllTimersAsync()
        const { results } = await running

        expect(results.map(({ toolCallId }) => toolCallId)).toEqual(calls.map((_, index) => String(index)))
        expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
        const shortened = events.map((event) => sequence([event]))
        expect(shortened.filter((each) => each.startsWith("R"))).toEqual(calls.map((_, index) => `R${index}`))
        calls.forEach(({ kind }, index) => {
          const own = shortened.filter((each) => each.replace(/^\D+/, "") === String(index)).join(" ")
          expect(own).toMatch(new RegExp(`^(T${index} (U${index} )*E${index} )?R${index} /R${index}$`))
          if (kind === "sequential" && own.startsWith("T")) {
            const before = shortened.slice(0, shortened.indexOf(`T${index}`))
            expect(before.filter((each) => each.startsWith("/R"))).toHaveLength(index)
          }
        })
        if (schedule.toolEndOrder === "source") {
          const ends = shortened.filter((each) => each.startsWith("E"))
          expect(ends).toEqual([...ends].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))))
          for (const end of ends)
            expect(shortened[shortened.indexOf(end) + 1]).toMatch(new RegExp(`^R${end.slice(1)}$|^U`))
        }
      }),
      { numRuns: 150 },
    )
  })
})
