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
import type { CallScope, PreparedCall } from "./call-scope.ts"
import { executeCall } from "./execute.ts"
import { finalizeCall } from "./finalize.ts"
import { prepareCall } from "./prepare.ts"
import { aborted, type Outcome, toResultMessage } from "./result.ts"
import { DEFAULT_ABORT_GRACE_MS, type ToolCallOptions } from "./run-tool-call.ts"
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
  const { signal } = options
  const controller = new AbortController()
  const follow = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) follow()
  else signal?.addEventListener("abort", follow, { once: true })
  const grace = new AbortGrace(controller.signal, options.abortGraceMs ?? DEFAULT_ABORT_GRACE_MS)

  let emitFailure: { readonly error: unknown } | undefined
  const emit = serialEmit<ToolCallEvent>(
    (event) => (emitFailure ? undefined : options.emit?.(event)),
    (error) => {
      emitFailure ??= { error }
      controller.abort(error)
    },
  )
  const { tools = [], context, shownToolNames } = options
  const scope = { tools, shownToolNames, assistantMessage, context, hooks: options, grace }
  const batch = new Batch({ ...scope, signal: controller.signal }, options, emit)
  for (const group of batch.groups()) await batch.run(group)
  grace.dispose()
  signal?.removeEventListener("abort", follow)
  if (emitFailure) throw emitFailure.error
  return { results: batch.messages, terminate: batch.votesToTerminate() }
}

/** A call on its way to its result. */
interface Entry {
  readonly toolCall: AgentToolCall
  /** Its start event was emitted, so its end event is due. */
  started: boolean
  outcome?: Outcome
}

class Batch {
  readonly messages: ToolResultMessage[] = []
  readonly #scope: CallScope
  readonly #schedule: ToolSchedule
  readonly #emit: Emit<ToolCallEvent>
  readonly #entries: readonly Entry[]
  /** Settles with the newest event, and so with all of them. Absent when nothing is on its way. */
  #delivery: ReturnType<Emit<ToolCallEvent>> = undefined

  constructor(scope: CallScope, schedule: ToolSchedule, emit: Emit<ToolCallEvent>) {
    this.#scope = scope
    this.#schedule = schedule
    this.#emit = emit
    this.#entries = scope.assistantMessage.content
      .filter((block) => block.type === "toolCall")
      .map((toolCall) => ({ toolCall, started: false }))
  }

  /** Cuts the batch: each maximal run of parallel calls together, each sequential call alone. */
  groups(): readonly (readonly Entry[])[] {
    const groups: Entry[][] = []
    let open = false
    for (const entry of this.#entries) {
      const tool = this.#scope.tools.find(({ name }) => name === entry.toolCall.name)
      const parallel = (tool?.executionMode ?? this.#schedule.toolExecution ?? "parallel") === "parallel"
      if (open && parallel) groups.at(-1)?.push(entry)
      else groups.push([entry])
      open = parallel
    }
    return groups
  }

  /** Prepares, runs and finishes a group, to the delivery of its last result. */
  async run(group: readonly Entry[]): Promise<void> {
    const ready: (readonly [Entry, PreparedCall])[] = []
    for (const entry of group) {
      const prepared = await this.#prepare(entry)
      if ("tool" in prepared) ready.push([entry, prepared])
      else this.#settle(entry, prepared)
    }
    if (this.#delivery) await this.#delivery

    const queue = ready.values()
    const finishing: Promise<void>[] = []
    const work = async (): Promise<void> => {
      for (const [entry, call] of queue) {
        const executed = await executeCall(entry.toolCall, call, this.#scope, (partialResult) => {
          const { toolCall } = entry
          this.#delivery = this.#emit({
            type: "tool_execution_update",
            ...named(toolCall),
            args: toolCall.arguments,
            partialResult,
          })
        })
        finishing.push(this.#finish(entry, call, executed))
      }
    }
    const limit = Math.max(1, Math.floor(this.#schedule.maxParallelToolCalls ?? ready.length)) || 1
    await Promise.all(Array.from({ length: Math.min(ready.length, limit) }, work))
    await Promise.all(finishing)
    if (this.#delivery) await this.#delivery
  }

  votesToTerminate(): boolean {
    return (
      this.#entries.length > 0 && this.#entries.every(({ outcome }) => outcome?.result.terminate === true)
    )
  }

  async #prepare(entry: Entry): Promise<PreparedCall | Outcome> {
    if (this.#scope.grace.aborted) return aborted()
    const { toolCall } = entry
    entry.started = true
    this.#delivery = this.#emit({
      type: "tool_execution_start",
      ...named(toolCall),
      args: toolCall.arguments,
    })
    if (this.#delivery) await this.#delivery
    return prepareCall(toolCall, this.#scope)
  }

  async #finish(entry: Entry, call: PreparedCall, executed: Outcome): Promise<void> {
    this.#settle(entry, await finalizeCall(entry.toolCall, call, executed, this.#scope))
  }

  /** Emits what is due now that a call has ended: its end, and every result that waited for it. */
  #settle(entry: Entry, outcome: Outcome): void {
    entry.outcome = outcome
    const early = this.#schedule.toolEndOrder === "completion"
    if (early) this.#end(entry, outcome)
    for (;;) {
      const next = this.#entries[this.messages.length]
      if (!next?.outcome) return
      if (!early) this.#end(next, next.outcome)
      const message = toResultMessage(next.toolCall, next.outcome, (this.#schedule.now ?? Date.now)())
      this.messages.push(message)
      this.#delivery = this.#emit({ type: "message_start", message })
      this.#delivery = this.#emit({ type: "message_end", message })
    }
  }

  #end({ toolCall, started }: Entry, { result, isError }: Outcome): void {
    if (started)
      this.#delivery = this.#emit({ type: "tool_execution_end", ...named(toolCall), result, isError })
  }
}

function named({ id, name }: AgentToolCall): { readonly toolCallId: string; readonly toolName: string } {
  return { toolCallId: id, toolName: name }
}
