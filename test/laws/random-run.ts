/**
 * Runs of the loop as fast-check likes them: a model, tools, hooks and listeners that do anything, at any
 * time, and a protocol of what started when.
 */
import {
  callTool,
  cut,
  fail,
  faux,
  fauxModel,
  hang,
  malformed,
  type Reply,
  say,
  stop,
  think,
  wait,
} from "@heddle/faux"
import { runAgentLoop } from "@heddle/loop"
import { defineTool } from "@heddle/tools"
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  Context,
  StreamFn,
} from "@heddle/types"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { vi } from "vitest"

/** Longer than anything a plan can wait for. At this time at the latest every run is aborted. */
export const LAST_ABORT_MS = 20_000
export const GRACE_MS = 500

const HOOKS = [
  "transformContext",
  "convertToLlm",
  "getApiKey",
  "getSteeringMessages",
  "getFollowUpMessages",
  "shouldStopAfterTurn",
  "prepareNextTurn",
  "beforeToolCall",
  "afterToolCall",
] as const
type Hook = (typeof HOOKS)[number]
type Fault = "throws" | "rejects" | "hangs" | "is slow"

export interface Plan {
  readonly turns: readonly TurnPlan[]
  readonly hookFault: { readonly hook: Hook; readonly at: number; readonly how: Fault } | undefined
  readonly emitFault: { readonly at: number; readonly how: "throws" | "rejects" } | undefined
  /** Milliseconds that each event takes its listener. */
  readonly emitMs: number
  readonly abortAtMs: number
  readonly toolExecution: "parallel" | "sequential"
  readonly toolEndOrder: "source" | "completion"
  readonly maxParallelToolCalls: number | undefined
  readonly steering: readonly number[]
}

interface TurnPlan {
  readonly calls: readonly { readonly tool: string; readonly ms: number }[]
  readonly ending: "well" | "length" | "fail" | "hang" | "cut" | "slow" | Parameters<typeof malformed>[0]
}

const ms = fc.integer({ min: 0, max: 300 })

const turn: fc.Arbitrary<TurnPlan> = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom(
        "works",
        "works",
        "throws",
        "deaf",
        "polite",
        "late",
        "times_out",
        "updates",
        "unknown",
        "invalid",
        "blocked",
        "cut_off",
      ),
      ms,
    }),
    { maxLength: 5 },
  ),
  ending: fc.constantFrom(
    ...([
      "well",
      "well",
      "well",
      "well",
      "length",
      "fail",
      "hang",
      "cut",
      "slow",
      "iterator-throws",
      "no-terminal",
    ] as const),
    ...(["after-terminal", "no-result", "no-start", "ignores-abort", "mutates", "throw", "reject"] as const),
  ),
})

export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  hookFault: fc.option(
    fc.record({
      hook: fc.constantFrom(...HOOKS),
      at: fc.integer({ min: 0, max: 4 }),
      how: fc.constantFrom<Fault>("throws", "rejects", "hangs", "is slow"),
    }),
    { nil: undefined },
  ),
  emitFault: fc.option(
    fc.record({
      at: fc.integer({ min: 0, max: 60 }),
      how: fc.constantFrom("throws" as const, "rejects" as const),
    }),
    { nil: undefined, freq: 3 },
  ),
  emitMs: fc.constantFrom(0, 0, 0, 3),
  abortAtMs: fc.oneof(fc.integer({ min: 0, max: 1500 }), fc.constant(LAST_ABORT_MS)),
  toolExecution: fc.constantFrom("parallel" as const, "parallel" as const, "sequential" as const),
  toolEndOrder: fc.constantFrom("source" as const, "completion" as const),
  maxParallelToolCalls: fc.constantFrom(undefined, 1, 2),
  steering: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 5 }),
})

/** A plan in which everything goes well, but for how long it takes. */
export const calmPlan: fc.Arbitrary<Plan> = anyPlan.map((plan) => ({
  ...plan,
  turns: plan.turns.map(({ calls }) => ({
    calls: calls.map((call) => ({ ...call, tool: "works" })),
    ending: "well" as const,
  })),
  hookFault: undefined,
  emitFault: undefined,
  abortAtMs: LAST_ABORT_MS,
}))

/** What a run did. */
export interface Protocol {
  readonly events: readonly AgentEvent[]
  /** Requests, tools and hooks, each when it started. */
  readonly started: readonly { readonly what: string; readonly afterAbort: boolean }[]
  readonly requests: readonly Context[]
  /** Milliseconds from the abort to the end of the run; negative when it ended before. */
  readonly settledAfterAbortMs: number
  readonly messages: readonly AgentMessage[] | undefined
  readonly error: unknown
}

/** Plays a plan on fake timers, to its end. */
export async function play(plan: Plan, freeze: <T>(value: T) => T = (value) => value): Promise<Protocol> {
  vi.useFakeTimers({ now: 0 })
  try {
    return await playOnFakeTimers(plan, freeze)
  } finally {
    vi.useRealTimers()
  }
}

async function playOnFakeTimers(plan: Plan, freeze: <T>(value: T) => T): Promise<Protocol> {
  const controller = new AbortController()
  const { signal } = controller
  const events: AgentEvent[] = []
  const started: { what: string; afterAbort: boolean }[] = []
  const requests: Context[] = []
  const start = (what: string) => void started.push({ what, afterAbort: signal.aborted })

  const scripted = faux([
    ...plan.turns.map(toReply),
    say("Nothing more."),
    say("Nothing more."),
    say("Nothing more."),
  ])
  const streamFn: StreamFn = (model, context, options) => {
    start("request")
    requests.push(structuredClone(context))
    return scripted(model, context, options)
  }
  const startedAt = Date.now()
  setTimeout(() => controller.abort("time is up"), plan.abortAtMs)

  let settledAt = Number.NaN
  const context: AgentContext = freeze({ systemPrompt: "", messages: [], tools: makeTools(start) })
  const running = runAgentLoop(
    freeze([{ role: "user" as const, content: "go", timestamp: 0 }]),
    context,
    freeze(makeConfig(plan, start)),
    makeEmit(plan, events),
    signal,
    streamFn,
  )
    .then(
      (messages) => ({ messages, error: undefined }),
      (error: unknown) => ({ messages: undefined, error }),
    )
    .finally(() => {
      settledAt = Date.now()
    })
  await vi.advanceTimersByTimeAsync(LAST_ABORT_MS + 10_000)
  if (Number.isNaN(settledAt))
    throw new Error(`The run never settled; its last event was ${events.at(-1)?.type}`)
  const outcome = await running
  return {
    events,
    started,
    requests,
    settledAfterAbortMs: settledAt - startedAt - plan.abortAtMs,
    ...outcome,
  }
}

function makeEmit(plan: Plan, events: AgentEvent[]) {
  return (event: AgentEvent): void | Promise<void> => {
    const at = events.push(event) - 1
    if (plan.emitFault?.at === at) {
      if (plan.emitFault.how === "throws") throw new Error("listener failed")
      return Promise.reject(new Error("listener failed"))
    }
    return plan.emitMs > 0 ? new Promise((resolve) => setTimeout(resolve, plan.emitMs)) : undefined
  }
}

function makeConfig(plan: Plan, start: (what: string) => void): AgentLoopConfig {
  const calls = new Map<Hook, number>()
  let polls = 0
  /** A hook that does what it should, but for the one fault of the plan. */
  const hook =
    <TArguments extends unknown[], TResult>(name: Hook, well: (...given: TArguments) => TResult) =>
    (...given: TArguments): TResult | Promise<TResult> => {
      start(name)
      const call = calls.get(name) ?? 0
      calls.set(name, call + 1)
      const { hookFault } = plan
      if (hookFault?.hook !== name || hookFault.at !== call) return well(...given)
      if (hookFault.how === "throws") throw new Error("hook failed")
      if (hookFault.how === "rejects") return Promise.reject(new Error("hook failed"))
      if (hookFault.how === "hangs") return new Promise(() => {})
      return new Promise((resolve) => setTimeout(() => resolve(well(...given)), 200))
    }
  return {
    model: fauxModel(),
    now: () => 0,
    abortGraceMs: GRACE_MS,
    toolExecution: plan.toolExecution,
    toolEndOrder: plan.toolEndOrder,
    maxParallelToolCalls: plan.maxParallelToolCalls,
    transformContext: hook("transformContext", (messages: readonly AgentMessage[]) => messages),
    convertToLlm: hook("convertToLlm", (messages: readonly AgentMessage[]) => messages as never),
    getApiKey: hook("getApiKey", () => "key"),
    getSteeringMessages: hook("getSteeringMessages", () =>
      Array.from({ length: plan.steering[polls++] ?? 0 }, () => ({
        role: "user" as const,
        content: "steer",
        timestamp: 0,
      })),
    ),
    getFollowUpMessages: hook("getFollowUpMessages", () => []),
    shouldStopAfterTurn: hook("shouldStopAfterTurn", () => false),
    prepareNextTurn: hook("prepareNextTurn", () => undefined),
    beforeToolCall: hook("beforeToolCall", ({ toolCall }: { toolCall: { name: string } }) =>
      toolCall.name === "blocked" ? { block: true } : undefined,
    ),
    afterToolCall: hook("afterToolCall", () => undefined),
  }
}

function makeTools(start: (what: string) => void): AgentTool[] {
  const done = { content: [{ type: "text" as const, text: "done" }], details: {} }
  const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const parameters = Type.Object({ ms: Type.Number() })
  type Execute = (ms: number, signal: AbortSignal | undefined, update: () => void) => Promise<typeof done>
  const make = (name: string, execute: Execute, timeoutMs?: number) =>
    defineTool({
      name,
      label: name,
      description: name,
      parameters,
      ...(timeoutMs !== undefined && { timeoutMs }),
      execute: (_id, args, signal, onUpdate) => {
        start(`tool ${name}`)
        return execute(args.ms, signal, () => onUpdate?.(done))
      },
    })
  return [
    make("works", (ms) => later(ms).then(() => done)),
    make("blocked", (ms) => later(ms).then(() => done)),
    make("invalid", (ms) => later(ms).then(() => done)),
    make("cut_off", (ms) => later(ms).then(() => done)),
    make("throws", (ms) => later(ms).then(() => Promise.reject(new Error("tool failed")))),
    make("deaf", () => new Promise(() => {})),
    make("late", (ms) => later(ms * 100).then(() => done)),
    make("times_out", () => new Promise(() => {}), 50),
    make(
      "polite",
      (_ms, signal) =>
        new Promise((_, reject) =>
          signal?.addEventListener("abort", () => reject(new Error("told to stop"))),
        ),
    ),
    make("updates", async (ms, _signal, update) => {
      update()
      await later(ms)
      update()
      // Reports that come after its end are dropped.
      setTimeout(update, 5)
      return done
    }),
  ]
}

function toReply({ calls, ending }: TurnPlan): Reply {
  const asked = calls.map(({ tool, ms }): Reply => {
    if (tool === "cut_off") return callTool("cut_off", '{"ms":')
    return callTool(tool, tool === "invalid" ? { ms: "soon" } : { ms })
  })
  const said = [think("hm"), say("Let me see."), ...asked]
  switch (ending) {
    case "well":
      return said
    case "length":
      return [...said, stop("length")]
    case "fail":
      return [...said, fail({ code: "server" })]
    case "hang":
      return [...said, hang()]
    case "cut":
      return [...said, cut()]
    case "slow":
      return [think("hm"), wait(250), ...said]
    default:
      return [malformed(ending), ...said]
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
