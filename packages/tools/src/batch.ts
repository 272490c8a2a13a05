/**
 * Runs all tool calls of one message: in groups, with events, to exactly one result for each.
 *
 * Which call runs beside which is decided here, and in what order events come; what happens to one call is
 * in `prepare.ts`, `execute.ts` and `finalize.ts`.
 */
import type {
  AgentEvent,
  AgentToolCall,
  AssistantMessage,
  ToolResultMessage,
  ToolSchedule,
} from "@heddle/types"
import { AbortGrace } from "./abort-grace.ts"
import {
  type CallScope,
  callScope,
  DEFAULT_GRACE_MS,
  type PreparedCall,
  type ToolCallOptions,
} from "./call-scope.ts"
import { executeCall } from "./execute.ts"
import { finalizeCall } from "./finalize.ts"
import { isPromiseLike } from "./plain-data.ts"
import { prepareCall } from "./prepare.ts"
import { aborted, type Outcome, toResultMessage } from "./result.ts"
import { type Emit, serialEmit } from "./serial-emit.ts"

/** The events of a batch. */
export type ToolCallEvent = Extract<
  AgentEvent,
  {
    type:
      | "tool_execution_start"
      | "tool_execution_update"
      | "tool_execution_end"
      | "message_start"
      | "message_end"
  }
>

export interface RunToolCallsOptions extends ToolCallOptions, ToolSchedule {
  /**
   * Told every event, one at a time; a promise holds the next one back. When it throws or rejects, nothing
   * further starts and nothing further is emitted.
   */
  readonly emit?: Emit<ToolCallEvent> | undefined
}

export interface RunToolCallsResult {
  /** One for each call, in the order of the calls. */
  readonly results: ToolResultMessage[]
  /** Every result votes to end the run. */
  readonly terminate: boolean
}

/** What a caller of {@link runBatch} sees to. */
export interface BatchControl {
  /** Also fires when nothing further may start because `emit` has failed. */
  readonly signal: AbortSignal
  /** Waits on the signal. Its owner disposes of it. */
  readonly grace: AbortGrace
  /** Never throws or rejects, and takes one event at a time: made by `serialEmit`. */
  readonly emit: Emit<ToolCallEvent>
}

/** A call on its way to its result. */
interface Entry {
  readonly toolCall: AgentToolCall
  /** Its start event was emitted, so its end event is due. */
  started: boolean
  outcome?: Outcome
}

/**
 * Runs the tool calls of a message.
 *
 * Calls run side by side or one after another as their tools, and `toolExecution`, ask for. Every call gets
 * exactly one result, also when it is blocked, unknown, cut off or aborted. A call that had not started when
 * the signal fired gets its result message and no `tool_execution` events.
 *
 * @throws what `emit` threw first, when every call has its result. Nothing else.
 */
export async function runToolCalls(
  assistantMessage: AssistantMessage,
  options: RunToolCallsOptions,
): Promise<RunToolCallsResult> {
  const { signal, abortGraceMs = DEFAULT_GRACE_MS } = options
  const controller = new AbortController()
  const follow = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) follow()
  else signal?.addEventListener("abort", follow)
  let emitFailure: { readonly error: unknown } | undefined
  const emit = serialEmit<ToolCallEvent>(
    (event) => (emitFailure ? undefined : options.emit?.(event)),
    (error) => {
      emitFailure ??= { error }
      controller.abort(error)
    },
  )
  const grace = new AbortGrace(controller.signal, abortGraceMs)
  const ran = await runBatch(assistantMessage, options, { signal: controller.signal, grace, emit })
  grace.dispose()
  signal?.removeEventListener("abort", follow)
  if (emitFailure) throw emitFailure.error
  return ran
}

/**
 * What {@link runToolCalls} does, for a caller who has all of `control` himself, such as the loop. Never rejects.
 *
 * @param options Without `signal`, `abortGraceMs` and `emit`, which `control` stands for.
 */
export async function runBatch(
  assistantMessage: AssistantMessage,
  options: Omit<RunToolCallsOptions, "signal" | "abortGraceMs" | "emit">,
  { signal, grace, emit: deliver }: BatchControl,
): Promise<RunToolCallsResult> {
  const { toolEndOrder, maxParallelToolCalls = Infinity, now = Date.now } = options
  const scope = callScope(options, assistantMessage, signal, grace)
  /** Settles with the newest event, and so with all of them. Absent when nothing is on its way. */
  let delivery: ReturnType<typeof deliver>
  const emit = (event: ToolCallEvent): void => {
    delivery = deliver(event)
  }

  const entries = assistantMessage.content
    .filter((block) => block.type === "toolCall")
    .map((toolCall): Entry => ({ toolCall, started: false }))
  const results: ToolResultMessage[] = []

  /** Emits what is due now that a call has ended: its end, and every result that waited for it. */
  function settle(entry: Entry, outcome: Outcome): void {
    entry.outcome = outcome
    if (toolEndOrder === "completion") end(entry, outcome)
    for (let next = entries[results.length]; next?.outcome; next = entries[results.length]) {
      if (toolEndOrder !== "completion") end(next, next.outcome)
      const message = toResultMessage(next.toolCall, next.outcome, now())
      results.push(message)
      emit({ type: "message_start", message })
      emit({ type: "message_end", message })
    }
  }

  function end({ toolCall, started }: Entry, { result, isError }: Outcome): void {
    if (started) emit({ type: "tool_execution_end", ...named(toolCall), result, isError })
  }

  /** Prepares, runs and finishes a group, to the delivery of its last result. */
  async function runGroup(group: readonly Entry[]): Promise<void> {
    const ready: (readonly [Entry, PreparedCall])[] = []
    for (const entry of group) {
      const { toolCall } = entry
      if (grace.aborted) {
        settle(entry, aborted())
        continue
      }
      entry.started = true
      emit({ type: "tool_execution_start", ...named(toolCall), args: toolCall.arguments })
      if (delivery) await delivery
      const prepared = await prepareCall(toolCall, scope)
      if ("tool" in prepared) ready.push([entry, prepared])
      else settle(entry, prepared)
    }
    if (delivery) await delivery
    if (ready.length > 0) await executeAll(ready)
    if (delivery) await delivery
  }

  /** Starts as many calls at once as may run; each makes room for another when its tool is done. */
  function executeAll(ready: readonly (readonly [Entry, PreparedCall])[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let started = 0
      let unfinished = ready.length
      const start = (): void => {
        const next = ready[started++]
        if (next) execute(...next, start).then(() => --unfinished || resolve(), reject)
      }
      const places = Math.max(1, Math.floor(maxParallelToolCalls)) || 1
      while (started < Math.min(ready.length, places)) start()
    })
  }

  async function execute(entry: Entry, call: PreparedCall, makeRoom: () => void): Promise<void> {
    const { toolCall } = entry
    const executed = await executeCall(toolCall, call, scope, (partialResult) => {
      const { arguments: args } = toolCall
      emit({ type: "tool_execution_update", ...named(toolCall), args, partialResult })
    })
    makeRoom()
    const outcome = finalizeCall(toolCall, call, executed, scope)
    settle(entry, isPromiseLike(outcome) ? await outcome : outcome)
  }

  for (const group of groupsOf(entries, scope, options)) await runGroup(group)
  const terminate = entries.length > 0 && entries.every(({ outcome }) => outcome?.result.terminate === true)
  return { results, terminate }
}

/** Cuts a batch: each maximal run of parallel calls together, each sequential call alone. */
function groupsOf(
  entries: readonly Entry[],
  { tools }: CallScope,
  { toolExecution }: ToolSchedule,
): Entry[][] {
  const groups: Entry[][] = []
  let open = false
  for (const entry of entries) {
    const tool = tools.find(({ name }) => name === entry.toolCall.name)
    const parallel = (tool?.executionMode ?? toolExecution ?? "parallel") === "parallel"
    if (open && parallel) groups.at(-1)?.push(entry)
    else groups.push([entry])
    open = parallel
  }
  return groups
}

function named({ id, name }: AgentToolCall): { readonly toolCallId: string; readonly toolName: string } {
  return { toolCallId: id, toolName: name }
}
