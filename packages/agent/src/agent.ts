/**
 * The loop turns, the Agent keeps: the transcript, the listeners, the queues, the abort signal, and that there
 * is one run at a time.
 *
 * It knows nothing that the loop's config cannot say. What an event does to the state is `reduce.ts`; what a
 * turn is, and that every run ends, is the loop's.
 */
import { NoPromptsError, runAgentLoop, runAgentLoopContinue } from "@heddle/loop"
import type { AgentEvent, AgentMessage, AgentState, ImageContent, StreamFn } from "@heddle/types"
import type { AgentOptions } from "./agent-options.ts"
import { StateHolder } from "./agent-state.ts"
import {
  AgentBusyError,
  CannotContinueError,
  InvalidMessageError,
  NoModelError,
  NoStreamFnError,
} from "./errors.ts"
import { type AgentListener, callAside, type ListenedRun, Listeners } from "./listeners.ts"
import { MessageQueue } from "./message-queue.ts"
import { toRunConfig } from "./run-config.ts"

/** A run in progress. */
interface Run extends ListenedRun {
  readonly controller: AbortController
  /** Resolves when the run and its awaited listeners have settled. */
  readonly settled: Promise<void>
}

/** The options, as fields. */
export interface Agent extends Omit<AgentOptions, "initialState"> {}

/**
 * A conversation with a model that can use tools.
 *
 * All {@link AgentOptions} are public writable fields too, read at each use.
 *
 * `prompt()` and `continue()` resolve when a run has ended, also when it failed or was aborted: then
 * `state.errorMessage` says why. They reject for what is wrong at the call (an error with a stable `code`) and
 * with what a `subscribe()` listener threw.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor assigns what the options hold
export class Agent {
  readonly #steering = new MessageQueue()
  readonly #followUps = new MessageQueue()
  readonly #listeners = new Listeners()
  readonly #observers = new Listeners()
  readonly #state: StateHolder
  #run: Run | undefined

  /** @throws {@link NoStreamFnError} */
  constructor(options: AgentOptions) {
    const { initialState, ...fields } = options ?? {}
    if (!fields.streamFn) throw new NoStreamFnError()
    this.#state = new StateHolder(initialState, () => this.#run !== undefined)
    Object.assign(this, fields)
    this.steeringMode ??= "one-at-a-time"
    this.followUpMode ??= "one-at-a-time"
  }

  /**
   * What the agent is and does right now: one object, always current. Settings assigned during a run take
   * effect at its next turn, `messages` at the next run.
   */
  get state(): AgentState {
    return this.#state.view
  }

  /** The signal of the run in progress. */
  get signal(): AbortSignal | undefined {
    return this.#run?.signal
  }

  /**
   * Puts text (with pictures), a message or several before the model, and runs to the end.
   *
   * Rejects with {@link AgentBusyError} during a run, {@link NoPromptsError} for an empty list,
   * {@link InvalidMessageError}, {@link NoModelError}, or what a barrier listener threw.
   */
  prompt(text: string, images?: readonly ImageContent[]): Promise<void>
  prompt(message: AgentMessage): Promise<void>
  prompt(messages: readonly AgentMessage[]): Promise<void>
  async prompt(
    input: string | AgentMessage | readonly AgentMessage[],
    images: readonly ImageContent[] = [],
  ): Promise<void> {
    if (this.#run) throw new AgentBusyError("prompt")
    const prompts = isList(input)
      ? input.map((message) => this.#toMessage(message))
      : [this.#toMessage(input, images)]
    if (prompts.length === 0) throw new NoPromptsError()
    await this.#start(prompts)
  }

  /**
   * Goes on from the transcript as it is. From an assistant message: with what one drain of the steering
   * queue gives, else one of the follow-up queue.
   *
   * Rejects with {@link AgentBusyError} during a run, {@link CannotContinueError} when there is nothing to
   * answer, {@link NoModelError}, or what a barrier listener threw.
   */
  async continue(): Promise<void> {
    if (this.#run) throw new AgentBusyError("continue")
    const tail = this.#state.current.messages.at(-1)
    if (!tail) throw new CannotContinueError()
    if (tail.role !== "assistant") return this.#start()
    const steering = this.#steering.drain(this.steeringMode)
    if (steering.length > 0) return this.#start(steering, true)
    const followUps = this.#followUps.drain(this.followUpMode)
    if (followUps.length === 0) throw new CannotContinueError(tail.role)
    return this.#start(followUps)
  }

  /**
   * Queues a message for the next turn boundary of a run. Never wakes an idle agent.
   *
   * @throws {@link InvalidMessageError}
   */
  steer(message: string | AgentMessage): void {
    this.#steering.add(this.#toMessage(message))
  }

  /**
   * Queues a message for when a run has nothing else left to do. Never wakes an idle agent.
   *
   * @throws {@link InvalidMessageError}
   */
  followUp(message: string | AgentMessage): void {
    this.#followUps.add(this.#toMessage(message))
  }

  /** Drops queued steering messages. One that a run has already taken up may still be delivered. */
  clearSteeringQueue(): void {
    this.#steering.clear()
  }

  /** Drops queued follow-up messages. One that a run has already taken up may still be delivered. */
  clearFollowUpQueue(): void {
    this.#followUps.clear()
  }

  /** Drops what both queues hold, as {@link clearSteeringQueue} and {@link clearFollowUpQueue} do. */
  clearAllQueues(): void {
    this.#steering.clear()
    this.#followUps.clear()
  }

  /** Whether a message waits in either queue. One counts until its `message_start`. */
  hasQueuedMessages(): boolean {
    return this.#steering.size + this.#followUps.size > 0
  }

  /** What waits in the queues, oldest first: copies. */
  peekQueuedMessages(): { steering: AgentMessage[]; followUp: AgentMessage[] } {
    return { steering: this.#steering.peek(), followUp: this.#followUps.peek() }
  }

  /**
   * Adds a listener that the run waits for: each event goes to one listener after the other, once the state
   * shows it, and the run goes on when the last has settled.
   *
   * A listener that throws or rejects stops the run, which then ends with an error; all listeners still get
   * every event. One that never settles holds the run, also after an abort: it has the signal. Neither
   * `waitForIdle()` nor `prompt()` can be awaited in one.
   *
   * @returns removes the listener.
   */
  subscribe(listener: AgentListener): () => void {
    return this.#listeners.add(listener)
  }

  /**
   * Adds a listener that nothing waits for and that cannot fail the run. What it throws or rejects with goes
   * to `onObserverError`. Observers get an event before `subscribe()` listeners do.
   *
   * @returns removes the listener.
   */
  observe(listener: AgentListener): () => void {
    return this.#observers.add(listener)
  }

  /** Aborts the run in progress, if there is one. The reason becomes `signal.reason`. */
  abort(reason?: unknown): void {
    this.#run?.controller.abort(reason)
  }

  /**
   * Resolves when no run is in progress and its awaited listeners have settled; never rejects. Awaited inside
   * a `subscribe()` listener it waits for itself.
   */
  waitForIdle(): Promise<void> {
    return this.#run?.settled ?? Promise.resolve()
  }

  /**
   * Clears transcript, queues and error. Keeps everything else: prompt, model, level, tools, listeners.
   *
   * @throws {@link AgentBusyError} during a run.
   */
  reset(): void {
    if (this.#run) throw new AgentBusyError("reset")
    this.clearAllQueues()
    this.#state.reset()
  }

  /**
   * @param prompts Absent: the run continues from the transcript.
   * @param drained The prompts are a drain of the steering queue, so the first poll gives nothing.
   */
  async #start(prompts?: readonly AgentMessage[], drained = false): Promise<void> {
    const { systemPrompt, tools, messages, model, thinkingLevel } = this.#state.current
    if (!model) {
      this.#restoreQueues()
      throw new NoModelError()
    }
    const controller = new AbortController()
    const { signal } = controller
    let settle = () => {}
    const settled = new Promise<void>((resolve) => {
      settle = resolve
    })
    const run: Run = { controller, signal, settled }
    this.#run = run

    let skipPoll = drained
    const config = toRunConfig(this, this.#state, model, thinkingLevel, {
      getSteeringMessages: () => {
        if (!skipPoll) return this.#steering.drain(this.steeringMode)
        skipPoll = false
        return []
      },
      getFollowUpMessages: () => this.#followUps.drain(this.followUpMode),
    })
    const context = { systemPrompt, messages, tools }
    const emit = (event: AgentEvent) => this.#emit(event, run)
    const streamFn: StreamFn = (...request) => this.streamFn(...request)
    try {
      await (prompts
        ? runAgentLoop(prompts, context, config, emit, signal, streamFn)
        : runAgentLoopContinue(context, config, emit, signal, streamFn))
    } catch (error) {
      // The last event may be what a listener failed at, and then no event has said so.
      this.#state.apply({
        type: "agent_end",
        messages: [],
        reason: "error",
        errorMessage: listenerFailure(error),
      })
      throw error
    } finally {
      this.#restoreQueues()
      this.#run = undefined
      settle()
    }
  }

  /** Not async: an event that no listener waits for costs the loop no `await`. */
  #emit(event: AgentEvent, run: Run): Promise<void> | undefined {
    if (event.type === "message_start") {
      this.#steering.release(event.message)
      this.#followUps.release(event.message)
    } else if (event.type === "agent_end") this.#restoreQueues()
    const told = this.#explain(event, run)
    this.#state.apply(told)
    this.#observers.notify(told, run.signal, this.#reportObserver)
    return this.#listeners.callInTurn(told, run)
  }

  /** Adds to the last event what cut the run short, where no message has said so. */
  #explain(event: AgentEvent, run: Run): AgentEvent {
    if (event.type !== "agent_end") return event
    const known = this.#state.current.errorMessage
    let errorMessage: string | undefined
    if (run.failure) errorMessage = listenerFailure(run.failure.error)
    else if (event.reason === "aborted") errorMessage = known ?? textOf(run.signal.reason)
    return errorMessage === known || errorMessage === undefined ? event : { ...event, errorMessage }
  }

  #restoreQueues(): void {
    this.#steering.restore()
    this.#followUps.restore()
  }

  #toMessage(input: string | AgentMessage, images: readonly ImageContent[] = []): AgentMessage {
    if (typeof input !== "string") {
      if (typeof input?.role !== "string") throw new InvalidMessageError(input)
      return input
    }
    return {
      role: "user",
      content: [{ type: "text", text: input }, ...images],
      timestamp: (this.now ?? Date.now)(),
    }
  }

  readonly #reportObserver = (error: unknown, event: AgentEvent): void => {
    callAside(
      () => (this.onObserverError ?? reportToHost)(error, event),
      () => {},
    )
  }
}

function reportToHost(error: unknown): void {
  if (typeof reportError === "function") reportError(error)
  else console.error(error)
}

/** In the words of the loop, which says so where an assistant message is open. */
function listenerFailure(error: unknown): string {
  return `A listener failed: ${textOf(error) ?? "it threw something that is no error"}`
}

/** Also of an error of another realm. Not everything that is thrown can be read. */
function textOf(reason: unknown): string | undefined {
  try {
    const text = typeof reason === "object" ? (reason as Partial<Error> | null)?.message : reason
    return typeof text === "string" && text !== "" ? text : undefined
  } catch {
    return undefined
  }
}

function isList<T>(input: string | T | readonly T[]): input is readonly T[] {
  return Array.isArray(input)
}
