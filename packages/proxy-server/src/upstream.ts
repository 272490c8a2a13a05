/**
 * Runs one request upstream and says what comes, in the words of the wire.
 *
 * Whatever the StreamFn does, what is said ends with exactly one terminal event. A StreamFn that does not hear an
 * abort is left behind.
 */
import { createProxyEncoder, emptyUsage } from "@heddle/stream"
import type {
  AssistantMessageEvent,
  Model,
  ProxyAssistantMessageEvent,
  SimpleStreamOptions,
  StreamFailure,
  StreamFn,
  Usage,
} from "@heddle/types"
import { toSafeFailure, toSafeMessage } from "./safe-message.ts"

type Stream = Awaited<ReturnType<StreamFn>>

/** Who hears what the upstream says. */
export interface UpstreamListener {
  /** What an event becomes before it is told. Undefined: nothing. */
  readonly translate?:
    | ((event: ProxyAssistantMessageEvent) => ProxyAssistantMessageEvent | undefined)
    | undefined
  /** @param data An event as one line of JSON. Nothing comes after the terminal one. */
  onEvent(data: string, isTerminal: boolean): void
  /** All events that were there have been told, for now. @returns what to wait for before the next ones are made. */
  onPause(): Promise<void> | undefined
  /** What went wrong, unabridged. */
  onError(error: unknown): void
}

/** How long a StreamFn has to end its stream when it is aborted. Milliseconds. */
const ABANDON_MS = 50

/** One request upstream. */
export class Upstream {
  readonly #model: Model
  readonly #listener: UpstreamListener
  readonly #controller = new AbortController()
  readonly #encode = createProxyEncoder()
  #iterator: AsyncIterator<AssistantMessageEvent> | undefined
  #usage: Usage = emptyUsage()
  #ended = false
  #abandon: ReturnType<typeof setTimeout> | undefined

  constructor(model: Model, listener: UpstreamListener) {
    this.#model = model
    this.#listener = listener
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Fires when the answer is not wanted any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** @param call Calls the StreamFn, with {@link signal}. Settles when the upstream has ended; never rejects. */
  async run(call: (options: Pick<SimpleStreamOptions, "signal">) => ReturnType<StreamFn>): Promise<void> {
    try {
      await this.#read(await call({ signal: this.signal }))
      this.fail(BROKEN_OFF, "The stream ended without a done or error event")
    } catch (error) {
      if (!this.#ended && !this.signal.aborted) this.#listener.onError(error)
      this.fail({ code: "server", retryable: true }, "The server failed to answer")
    }
  }

  /** The answer is not wanted: the upstream ends it, or is left behind a moment later. */
  abort(reason: string): void {
    if (this.#ended || this.signal.aborted) return
    this.#abandon = setTimeout(() => this.fail(ABORTED, reason), ABANDON_MS)
    this.#controller.abort(new Error(reason))
  }

  /** Ends the answer here and now, and the upstream with it. Ignored when it has ended. */
  fail(failure: StreamFailure, errorMessage: string): void {
    if (this.#ended) return
    const told = this.signal.aborted ? ABORTED : failure
    const reason = told === ABORTED ? "aborted" : "error"
    this.#say({ type: "error", reason, errorMessage, failure: told, usage: this.#usage })
    this.#controller.abort(new Error(errorMessage))
    this.#leave()
  }

  async #read(stream: Stream): Promise<void> {
    const iterator: AsyncIterator<AssistantMessageEvent> & { take?(): AssistantMessageEvent | undefined } =
      stream[Symbol.asyncIterator]()
    this.#iterator = iterator
    if (this.#ended) return this.#leave()
    for (;;) {
      // What has been made already is told without waiting: it takes less space as text than as events.
      for (let event = iterator.take?.(); event; event = iterator.take?.()) this.#tell(event)
      // A stream that is made by a generator tidies up when its reader says goodbye.
      if (this.#ended) return this.#leave()
      // A StreamFn that does not hear an abort and never waits would leave no time for anything else.
      await (this.signal.aborted ? nextTurn() : this.#listener.onPause())
      const next = await iterator.next()
      if (next.done) return
      this.#tell(next.value)
    }
  }

  #tell(event: AssistantMessageEvent): void {
    if (this.#ended) return
    const encoded: ProxyAssistantMessageEvent | undefined = this.#encode(event)
    if (!encoded) return
    if (encoded.usage) this.#usage = encoded.usage
    if (encoded.type === "error") {
      const { errorMessage, failure } = encoded
      const error = new Error(errorMessage ?? "The upstream failed")
      if (encoded.reason === "error") this.#listener.onError(Object.assign(error, { failure }))
      this.#say({
        ...encoded,
        ...(errorMessage !== undefined && { errorMessage: toSafeMessage(errorMessage, this.#model) }),
        ...(failure !== undefined && { failure: toSafeFailure(failure) }),
      })
    } else this.#say(encoded)
  }

  #say(event: ProxyAssistantMessageEvent): void {
    const told = this.#listener.translate ? this.#listener.translate(event) : event
    if (!told) return
    const data = JSON.stringify(told)
    this.#ended = event.type === "done" || event.type === "error"
    if (this.#ended) clearTimeout(this.#abandon)
    this.#listener.onEvent(data, this.#ended)
  }

  #leave(): void {
    // Whether anybody hears this is the upstream's own business.
    void (async () => this.#iterator?.return?.())().catch(() => {})
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

const BROKEN_OFF: StreamFailure = { code: "protocol", retryable: true }

const ABORTED: StreamFailure = { code: "aborted", retryable: false }
