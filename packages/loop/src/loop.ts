/**
 * The entry points: two ways to watch a run, each from new prompts or from the transcript as it is.
 *
 * `agentLoop` and `agentLoopContinue` tell what happens and do not wait for who listens. `runAgentLoop` and
 * `runAgentLoopContinue` await every call of `emit` before the next step.
 */
import { EventStream } from "@heddle/stream"
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage, StreamFn } from "@heddle/types"
import { checkStart } from "./errors.ts"
import { Run } from "./run.ts"

/**
 * Starts a run with new prompts and streams its events.
 *
 * Leaving `for await` early aborts the run. `result()` resolves with the prompts and all that the run
 * produced, and never rejects.
 *
 * @param signal Aborts the run, as `config.signal` does.
 * @param streamFn Wins over `config.streamFn`.
 * @throws {NoPromptsError} when `prompts` is empty.
 * @throws {IncompleteConfigError} when there is no StreamFn or no model.
 */
export function agentLoop(
  prompts: readonly AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  return observe(prompts, context, config, signal, checkStart(prompts, context, config, streamFn))
}

/**
 * Continues from the transcript as it is and streams the run's events; otherwise as {@link agentLoop}.
 *
 * The result does not repeat what was there.
 *
 * @throws {CannotContinueError} when the transcript is empty or ends with an assistant message.
 */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  return observe([], context, config, signal, checkStart(undefined, context, config, streamFn))
}

/**
 * Starts a run with new prompts, awaiting each `emit` before the next step.
 *
 * @param emit Never called while an earlier call is pending. When it throws or rejects, the run closes what
 *   is open, emits `agent_end`, and the returned promise rejects with that first error.
 * @returns the prompts and all that the run produced. Rejects as {@link agentLoop} throws.
 */
export async function runAgentLoop(
  prompts: readonly AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: (event: AgentEvent) => void | Promise<void>,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  const chosen = checkStart(prompts, context, config, streamFn)
  return new Run(context, config, emit, [signal, config.signal], chosen).execute(prompts)
}

/** Continues from the transcript as it is; otherwise as {@link runAgentLoop}. Rejects as {@link agentLoopContinue} throws. */
export async function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: (event: AgentEvent) => void | Promise<void>,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  const chosen = checkStart(undefined, context, config, streamFn)
  return new Run(context, config, emit, [signal, config.signal], chosen).execute([])
}

function observe(
  prompts: readonly AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal: AbortSignal | undefined,
  streamFn: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  const events = new EventStream<AgentEvent, AgentMessage[]>(
    (event) => event.type === "agent_end",
    (event) => (event.type === "agent_end" ? [...event.messages] : []),
  )
  const left = new AbortController()
  events.onCancel(() => left.abort("The reader left the run"))
  const run = new Run(
    context,
    config,
    (event) => events.push(event),
    [signal, config.signal, left.signal],
    streamFn,
  )
  void run.execute(prompts)
  return events
}
