/**
 * Reads one stream into one assistant message, whatever the stream does.
 *
 * A stream that throws, stalls, breaks its grammar or ends without a terminal event still gives a message:
 * one that failed, with the content that had arrived. The reader does not know what an abort means for a
 * run; its owner waits for {@link ResponseReader.read} as long as it likes, then calls `leave`.
 *
 * Events that are already there are taken without a promise, and an `emit` that returns none is not awaited.
 */
import { abortMessage, emptyAssistantMessage } from "@heddle/stream"
import type { Emit } from "@heddle/tools"
import type {
  AgentEvent,
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  AssistantMessageEventStream as StreamContract,
  StreamFailure,
  TerminalAssistantMessageEvent,
} from "@heddle/types"
import { errorText } from "./errors.ts"
import { SnapshotCopier } from "./snapshot.ts"

/** The longest time a timer can hold: a longer one would be over at once. Milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** How long a stream may be silent. Milliseconds; undefined, 0 or more than a timer holds: as long as it likes. */
export interface ResponseTimeouts {
  readonly firstEventTimeoutMs?: number | undefined
  readonly streamIdleTimeoutMs?: number | undefined
}

type Read = AsyncIterator<AssistantMessageEvent> & { take?(): AssistantMessageEvent | undefined }

export class ResponseReader {
  readonly #model: Model
  readonly #emit: Emit<AgentEvent>
  readonly #now: () => number
  readonly #firstEventTimeoutMs: number | undefined
  readonly #streamIdleTimeoutMs: number | undefined
  readonly #request: AbortController
  /** Undefined for a stream that promises snapshots. */
  #copier: SnapshotCopier | undefined = new SnapshotCopier()
  #iterator: Read | undefined
  #partial: AssistantMessage | undefined
  #started = false
  #ended = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #resolve: (message: AssistantMessage) => void = () => {}

  /** @param request Aborted on a timeout. When it was aborted from outside, whatever breaks was aborted. */
  constructor(
    model: Model,
    emit: Emit<AgentEvent>,
    now: () => number,
    timeouts: ResponseTimeouts,
    request: AbortController,
  ) {
    this.#model = model
    this.#emit = emit
    this.#now = now
    this.#firstEventTimeoutMs = timeouts.firstEventTimeoutMs
    this.#streamIdleTimeoutMs = timeouts.streamIdleTimeoutMs
    this.#request = request
  }

  /** `message_start` has been emitted. */
  get started(): boolean {
    return this.#started
  }

  /**
   * @param open Sends the request.
   * @returns the message of the terminal event, or one that says what went wrong. Never rejects. Emits
   *   `message_start` and `message_update`, and leaves `message_end` to the owner.
   */
  read(open: () => StreamContract | Promise<StreamContract>): Promise<AssistantMessage> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#arm(this.#firstEventTimeoutMs, "gave no event")
      try {
        const opened = open()
        if (isPromiseLike(opened)) opened.then(this.#attach, (error) => this.#broke("streamFn failed", error))
        else this.#attach(opened)
      } catch (error) {
        this.#broke("streamFn failed", error)
      }
    })
  }

  /** Ends the message now, as failed; what the stream still says is dropped. */
  leave(stopReason: "error" | "aborted", failure: StreamFailure, errorMessage: string): AssistantMessage {
    const partial = this.#partial ?? emptyAssistantMessage(this.#model, this.#now())
    const message = { ...partial, stopReason, errorMessage, failure }
    this.#end(message)
    return message
  }

  readonly #attach = (stream: StreamContract): void => {
    try {
      const iterator: Read | undefined = stream?.[Symbol.asyncIterator]?.()
      if (typeof iterator?.next !== "function") {
        this.#broke("streamFn returned no stream")
        return
      }
      this.#iterator = iterator
      if (this.#ended) {
        this.#release()
        return
      }
      // Also a stream of another copy of the package, and one that passes on what the stream behind it promises.
      if ((stream as { readonly snapshots?: unknown }).snapshots === true) this.#copier = undefined
      this.#next()
    } catch (error) {
      this.#broke("The stream could not be read", error)
    }
  }

  /** Takes what is there, then waits for more. */
  #next(): void {
    const iterator = this.#iterator
    if (!iterator) return
    try {
      for (let event = iterator.take?.(); event !== undefined; event = iterator.take?.()) {
        clearTimeout(this.#timer)
        const waiting = this.#handle(event)
        if (waiting) {
          waiting.then(this.#continue, this.#failed)
          return
        }
        if (this.#ended) return
        this.#arm(this.#streamIdleTimeoutMs, "was silent")
      }
      iterator.next().then(this.#received, this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }

  readonly #continue = (): void => {
    if (this.#ended) return
    this.#arm(this.#streamIdleTimeoutMs, "was silent")
    this.#next()
  }

  readonly #received = (read: IteratorResult<AssistantMessageEvent>): void => {
    if (this.#ended) return
    try {
      if (read.done) {
        this.#broke("The stream ended without a done or error event")
        return
      }
      clearTimeout(this.#timer)
      const waiting = this.#handle(read.value)
      if (waiting) waiting.then(this.#continue, this.#failed)
      else this.#continue()
    } catch (error) {
      this.#failed(error)
    }
  }

  readonly #failed = (error: unknown): void => this.#broke("The stream failed", error)

  /** @returns a promise only where `emit` gave one. Unknown and malformed events are skipped. */
  #handle(event: AssistantMessageEvent): void | Promise<void> {
    switch (event?.type) {
      case "start":
        return this.#started ? undefined : this.#start(this.#copier?.message(event.partial) ?? event.partial)
      case "done":
      case "error":
        this.#terminate(event)
        return
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
      case "opaque_start":
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
      case "text_end":
      case "thinking_end":
      case "toolcall_end":
      case "opaque_end": {
        const update = this.#copier?.event(event) ?? event
        const { partial } = update
        if (this.#started) {
          this.#partial = partial
        } else {
          void this.#start(partial)
        }
        return this.#emit({ type: "message_update", message: partial, assistantMessageEvent: update })
      }
    }
  }

  #start(partial: AssistantMessage): void | Promise<void> {
    this.#started = true
    this.#partial = partial
    return this.#emit({ type: "message_start", message: partial })
  }

  #terminate(event: TerminalAssistantMessageEvent): void {
    const given = event.type === "done" ? event.message : event.error
    if (!given || !Array.isArray(given.content)) {
      this.#broke(`The stream's ${event.type} event had no message`)
      return
    }
    const message = this.#copier?.message(given) ?? given
    this.#end(message.stopReason === event.reason ? message : { ...message, stopReason: event.reason })
  }

  #broke(what: string, error?: unknown): void {
    if (this.#ended) return
    const { aborted, reason } = this.#request.signal
    if (aborted) {
      this.leave("aborted", { code: "aborted", retryable: false }, abortMessage(reason))
      return
    }
    const message = error === undefined ? what : `${what}: ${errorText(error)}`
    this.leave("error", { code: "protocol", retryable: false }, message)
  }

  #arm(timeoutMs: number | undefined, what: string): void {
    if (timeoutMs === undefined || !(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const error = new Error(`The model ${what} for ${timeoutMs} ms`)
      this.leave("error", { code: "timeout", retryable: true }, error.message)
      this.#request.abort(error)
    }, timeoutMs)
  }

  #end(message: AssistantMessage): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    this.#release()
    this.#resolve(message)
  }

  /** Tells the producer that nobody reads any more. What it makes of that is not waited for. */
  #release(): void {
    try {
      this.#iterator?.return?.()?.then(undefined, () => {})
    } catch {
      // A producer that cannot be told is left behind like one that does not listen.
    }
  }
}

function isPromiseLike<T extends object>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function"
}
