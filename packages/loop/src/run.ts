/**
 * One run: turns of request and tools, until nothing continues it.
 *
 * A run ends with exactly one `agent_end`, whatever throws or hangs. Three things can cut it short, and each
 * has its own way out: the caller's signal (nothing starts any more, and what is open is closed as aborted),
 * a failed hook (the run ends with an assistant message that says so), and a failed `emit` (what is open is
 * closed as an error, and the run rejects with the first failure).
 */
import { abortMessage, emptyAssistantMessage } from "@heddle/stream"
import {
  AbortGrace,
  type Emit,
  LEFT_BEHIND,
  type RunToolCallsResult,
  runBatch,
  serialEmit,
} from "@heddle/tools"
import type {
  AgentContext,
  AgentEndReason,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  AssistantMessage,
  Model,
  PrepareNextTurnContext,
  StreamFailure,
  StreamFn,
  ThinkingLevel,
  ToolResultMessage,
} from "@heddle/types"
import { errorText } from "./errors.ts"
import { shownTools, standardMessages, toPlainTool, toStreamOptions } from "./request.ts"
import { createResponseReader, isPromiseLike, type ResponseReader } from "./response-reader.ts"

const DEFAULT_ABORT_GRACE_MS = 500

/** The hooks that are not about one tool call. */
type HookName =
  | "convertToLlm"
  | "getApiKey"
  | "getFollowUpMessages"
  | "getSteeringMessages"
  | "prepareNextTurn"
  | "shouldStopAfterTurn"
  | "transformContext"

/** Hooks that return messages, and whether they have to: without, a request would say something else. */
const RETURNS_MESSAGES: { readonly [Name in HookName]?: boolean } = {
  convertToLlm: true,
  transformContext: true,
  getSteeringMessages: false,
  getFollowUpMessages: false,
}

const NO_CALLS: RunToolCallsResult = { results: [], terminate: false }

/** What of a finished turn decides how the run goes on. */
interface Turn {
  readonly message: AssistantMessage
  readonly toolResults: readonly ToolResultMessage[]
  /** Every result of its batch voted to end the run. */
  readonly terminate: boolean
}

/** A hook threw. Ends the run from wherever it is. */
class HookFailure extends Error {
  constructor(hook: string, error: unknown) {
    super(`${hook} failed: ${errorText(error)}`)
  }
}

/** Runs once: `execute` is called once per instance. */
export class Run {
  readonly #config: AgentLoopConfig
  readonly #streamFn: StreamFn
  readonly #emit: Emit<AgentEvent>
  readonly #now: () => number
  readonly #signals: readonly AbortSignal[]
  /** Fires on the caller's signals, and when `emit` has failed. */
  readonly #abort = new AbortController()
  readonly #signal: AbortSignal = this.#abort.signal
  readonly #grace: AbortGrace
  #emitFailure: { readonly error: unknown } | undefined
  /** The request in progress: it has a signal of its own, because it can also time out. */
  #request: AbortController | undefined
  #reader: ResponseReader | undefined

  #model: Model
  /** Undefined until `prepareNextTurn` says something. */
  #thinkingLevel: ThinkingLevel | undefined
  #systemPrompt: string
  #tools: readonly AgentTool[]
  /** What later requests see. Ours, and only ever appended to. */
  #transcript: AgentMessage[]
  /** What the run gives back. */
  readonly #produced: AgentMessage[] = []
  #turnOpen = false

  constructor(
    context: AgentContext,
    config: AgentLoopConfig,
    emit: Emit<AgentEvent>,
    signals: readonly (AbortSignal | undefined)[],
    streamFn: StreamFn,
  ) {
    this.#config = config
    this.#streamFn = streamFn
    this.#now = () => {
      try {
        return config.now?.() ?? Date.now()
      } catch {
        // Closing a run takes timestamps too, so a clock that fails must not keep it from ending.
        return Date.now()
      }
    }
    this.#model = config.model
    this.#systemPrompt = context.systemPrompt
    this.#tools = context.tools ?? []
    this.#transcript = [...context.messages]
    this.#emit = serialEmit(emit, (error) => {
      this.#emitFailure ??= { error }
      this.#stop(error)
      // There is nobody to stream to.
      this.#reader?.leave(...this.#interruption())
    })
    this.#signals = signals.filter((signal) => signal !== undefined)
    this.#grace = new AbortGrace(this.#signal, config.abortGraceMs ?? DEFAULT_ABORT_GRACE_MS)
    for (const signal of this.#signals) {
      if (signal.aborted) this.#stop(signal.reason)
      else signal.addEventListener("abort", this.#onSignal, { once: true })
    }
  }

  readonly #onSignal = (event: Event): void => this.#stop((event.target as AbortSignal).reason)

  /** From now on nothing may start: no request, no tool, no hook. */
  #stop(reason: unknown): void {
    this.#abort.abort(reason)
    this.#request?.abort(reason)
  }

  get #stopped(): boolean {
    return this.#signal.aborted
  }

  /** @returns the prompts and all that the run produced. Rejects only with the first failure of `emit`. */
  async execute(prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
    let reason: AgentEndReason
    try {
      await this.#emit({ type: "agent_start" })
      await this.#openTurn()
      for (const prompt of prompts) await this.#deliver(prompt)
      reason = await this.#takeTurns()
    } catch (error) {
      await this.#closeAsFailed(errorText(error))
      reason = "error"
    }
    if (this.#emitFailure) reason = "error"
    else if (this.#stopped) reason = "aborted"
    await this.#emit({ type: "agent_end", messages: [...this.#produced], reason })
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#onSignal)
    this.#grace.dispose()
    if (this.#emitFailure) throw this.#emitFailure.error
    return this.#produced
  }

  async #takeTurns(): Promise<AgentEndReason> {
    let pending = await this.#poll("getSteeringMessages")
    for (;;) {
      const turn = await this.#takeTurn(pending)
      const { stopReason } = turn.message
      if (stopReason === "error" || stopReason === "aborted") return stopReason

      const finished = this.#describe(turn)
      if (await this.#call("shouldStopAfterTurn", (hook) => hook(finished, this.#signal))) return "stopped"

      pending = await this.#poll("getSteeringMessages")
      const answers = turn.toolResults.length > 0 && !turn.terminate
      if (!answers && pending.length === 0) {
        pending = await this.#poll("getFollowUpMessages")
        if (pending.length === 0) return turn.terminate ? "terminated" : "completed"
      }
      if (this.#stopped) return "aborted"

      const update = await this.#call("prepareNextTurn", (hook) => hook(finished, this.#signal))
      if (update?.model) this.#model = update.model
      if (update?.thinkingLevel) this.#thinkingLevel = update.thinkingLevel
      if (update?.context) {
        this.#systemPrompt = update.context.systemPrompt
        this.#transcript = [...update.context.messages]
        this.#tools = update.context.tools ?? []
      }
      if (this.#stopped) return "aborted"
      await this.#openTurn()
    }
  }

  /** From the messages that were queued for it to its `turn_end`. */
  async #takeTurn(pending: readonly AgentMessage[]): Promise<Turn> {
    for (const message of pending) {
      // What is not delivered stays with whoever queued it.
      if (this.#stopped) break
      await this.#deliver(message)
    }
    const message = await this.#answer()
    const { stopReason, content } = message
    const callsTools =
      stopReason !== "error" && stopReason !== "aborted" && content.some((block) => block.type === "toolCall")
    const { results, terminate } = callsTools ? await this.#runTools(message) : NO_CALLS
    await this.#closeTurn(message, results)
    return { message, toolResults: results, terminate }
  }

  /** From the hooks before the request to the end of its message. */
  async #answer(): Promise<AssistantMessage> {
    const transcript = this.#transcript
    const transformed =
      (await this.#call("transformContext", (hook) => hook([...transcript], this.#signal))) ?? transcript
    const messages =
      (await this.#call("convertToLlm", (hook) => hook([...transformed]))) ?? standardMessages(transformed)
    const apiKey = await this.#call("getApiKey", (hook) => hook(this.#model.provider))
    if (this.#stopped) return this.#deliver(this.#interrupted())

    const shown = shownTools(this.#tools, transcript)
    const context = {
      ...(this.#systemPrompt !== "" && { systemPrompt: this.#systemPrompt }),
      messages,
      ...(shown.length > 0 && { tools: shown.map(toPlainTool) }),
    }
    const request = new AbortController()
    const reader = createResponseReader(this.#model, this.#emit, this.#now, this.#config, request)
    this.#request = request
    this.#reader = reader
    const read = await this.#grace.wait(
      reader.read(() => {
        const options = toStreamOptions(this.#config, apiKey, this.#thinkingLevel, request.signal)
        return this.#streamFn(this.#model, context, options)
      }),
    )
    const message = read === LEFT_BEHIND ? reader.leave(...this.#interruption()) : read
    this.#request = this.#reader = undefined
    return this.#deliver(message, reader.started)
  }

  async #runTools(message: AssistantMessage): Promise<RunToolCallsResult> {
    const config = this.#config
    const { beforeToolCall, afterToolCall, toolExecution, maxParallelToolCalls, toolEndOrder } = config
    const batch = await runBatch(
      message,
      {
        tools: this.#tools,
        context: this.#contextForHooks(beforeToolCall !== undefined || afterToolCall !== undefined),
        beforeToolCall: beforeToolCall?.bind(config),
        afterToolCall: afterToolCall?.bind(config),
        toolExecution,
        maxParallelToolCalls,
        toolEndOrder,
        now: this.#now,
        shownToolNames: shownTools(this.#tools, this.#transcript).map((tool) => tool.name),
      },
      { signal: this.#signal, grace: this.#grace, emit: this.#emit },
    )
    this.#append(...batch.results)
    return batch
  }

  /** A transcript that a hook may keep is a copy; where no hook looks, none is made. */
  #contextForHooks(copy: boolean): AgentContext {
    return {
      systemPrompt: this.#systemPrompt,
      messages: copy ? [...this.#transcript] : this.#transcript,
      tools: this.#tools,
    }
  }

  /** What the hooks between turns are told. The copies are made when a hook looks at them, and once. */
  #describe({ message, toolResults }: Turn): PrepareNextTurnContext {
    let context: AgentContext | undefined
    let newMessages: readonly AgentMessage[] | undefined
    const copyContext = () => this.#contextForHooks(true)
    const copyProduced = () => [...this.#produced]
    return {
      message,
      toolResults,
      get context() {
        context ??= copyContext()
        return context
      },
      get newMessages() {
        newMessages ??= copyProduced()
        return newMessages
      },
    }
  }

  async #poll(hook: "getSteeringMessages" | "getFollowUpMessages"): Promise<readonly AgentMessage[]> {
    return (await this.#call(hook, (get) => get())) ?? []
  }

  /**
   * Asks one hook. Not there, not allowed to start any more, or left behind after the signal: undefined. A
   * hook that fails because it was told to stop has not failed.
   */
  #call<TName extends HookName, TResult>(
    name: TName,
    ask: (hook: NonNullable<AgentLoopConfig[TName]>) => TResult | Promise<TResult>,
  ): Promise<TResult | undefined> | undefined {
    const hook = this.#config[name]
    if (!hook || this.#stopped) return undefined
    return this.#ask(name, () => ask(hook.bind(this.#config) as NonNullable<AgentLoopConfig[TName]>))
  }

  async #ask<TResult>(name: HookName, ask: () => TResult | Promise<TResult>): Promise<TResult | undefined> {
    try {
      const asked = ask()
      const answer = isPromiseLike(asked) ? await this.#grace.wait(asked) : asked
      if (answer === LEFT_BEHIND) return undefined
      const owes = name in RETURNS_MESSAGES && (RETURNS_MESSAGES[name] || answer != null)
      if (owes && !Array.isArray(answer)) throw new TypeError("it returned no array")
      return answer
    } catch (error) {
      if (this.#stopped) return undefined
      throw new HookFailure(name, error)
    }
  }

  async #closeAsFailed(errorMessage: string): Promise<void> {
    if (!this.#turnOpen) await this.#openTurn()
    const failure: StreamFailure = { code: "unknown", retryable: false }
    const empty = emptyAssistantMessage(this.#model, this.#now())
    await this.#closeTurn(await this.#deliver({ ...empty, stopReason: "error", errorMessage, failure }), [])
  }

  /** Why the run was cut short: what its messages say about it. */
  #interruption(): ["error" | "aborted", StreamFailure, string] {
    if (!this.#emitFailure) {
      return ["aborted", { code: "aborted", retryable: false }, abortMessage(this.#abort.signal.reason)]
    }
    const why = errorText(this.#emitFailure.error)
    return ["error", { code: "unknown", retryable: false }, `A listener failed: ${why}`]
  }

  #interrupted(): AssistantMessage {
    const [stopReason, failure, errorMessage] = this.#interruption()
    return { ...emptyAssistantMessage(this.#model, this.#now()), stopReason, errorMessage, failure }
  }

  async #openTurn(): Promise<void> {
    this.#turnOpen = true
    await this.#emit({ type: "turn_start" })
  }

  async #closeTurn(message: AssistantMessage, toolResults: readonly ToolResultMessage[]): Promise<void> {
    this.#turnOpen = false
    await this.#emit({ type: "turn_end", message, toolResults })
  }

  /** The end of a message, and its start where the stream did not come to that. */
  async #deliver<TMessage extends AgentMessage>(message: TMessage, started = false): Promise<TMessage> {
    this.#append(message)
    if (!started) await this.#emit({ type: "message_start", message })
    await this.#emit({ type: "message_end", message })
    return message
  }

  #append(...messages: readonly AgentMessage[]): void {
    this.#transcript.push(...messages)
    this.#produced.push(...messages)
  }
}
