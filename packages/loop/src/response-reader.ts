/**
 * Reads one stream into one assistant message, whatever the stream does.
 *
 * A stream that throws, stalls, breaks its grammar or ends without a terminal event still gives a message:
 * one that failed, with the content that had arrived. The reader does not know what an abort means for a
 * run; its owner waits for the message as long as it likes, then calls `leave`.
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
import { copySnapshots, type SnapshotCopier } from "./snapshot.ts"

/** The longest time a timer can hold: a longer one would be over at once. Milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** How long a stream may be silent. Milliseconds; undefined, 0 or more than a timer holds: as long as it likes. */
export interface ResponseTimeouts {
  readonly firstEventTimeoutMs?: number | undefined
  readonly streamIdleTimeoutMs?: number | undefined
}

type Read = AsyncIterator<AssistantMessageEvent> & { take?(): AssistantMessageEvent | undefined }

/** A response that is being read. */
export interface ResponseReader {
  /** `message_start` has been emitted. */
  readonly started: boolean
  /**
   * @param open Sends the request.
   * @returns the message of the terminal event, or one that says what went wrong. Never rejects. Emits
   *   `message_start` and `message_update`, and leaves `message_end` to the owner.
   */
  read(open: () => StreamContract | Promise<StreamContract>): Promise<AssistantMessage>
  /** Ends the message now, as failed; what the stream still says is dropped. */
  leave(stopReason: "error" | "aborted", failure: StreamFailure, errorMessage: string): AssistantMessage
}

/** @param request Aborted on a timeout. When it was aborted from outside, whatever breaks was aborted. */
export function createResponseReader(
  model: Model,
  emit: Emit<AgentEvent>,
  now: () => number,
  { firstEventTimeoutMs, streamIdleTimeoutMs }: ResponseTimeouts,
  request: AbortController,
): ResponseReader {
  /** Undefined for a stream that promises snapshots. */
  let copier: SnapshotCopier | undefined = copySnapshots()
  let iterator: Read | undefined
  let partial: AssistantMessage | undefined
  let started = false
  let ended = false
  /** The event was there when the one before it had been read: its producer had no turn in between. */
  let late = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let resolve: (message: AssistantMessage) => void = () => {}

  /** Settles with the end of the stream. Whoever left before that does not wait for it. */
  async function consume(open: () => StreamContract | Promise<StreamContract>): Promise<void> {
    let doing = "streamFn failed"
    try {
      const opened = open()
      const stream = isPromiseLike(opened) ? await opened : opened
      doing = "The stream could not be read"
      const read: Read | undefined = stream?.[Symbol.asyncIterator]?.()
      if (typeof read?.next !== "function") return broke("streamFn returned no stream")
      iterator = read
      if (ended) return release()
      // Also a stream of another copy of the package, and one that passes on what the stream behind it promises.
      if ((stream as { readonly snapshots?: unknown }).snapshots === true) copier = undefined
      // Helpers of iterators are called the same, and take a number.
      const isBuffered = read.take?.length === 0
      doing = "The stream failed"
      for (;;) {
        let event = isBuffered ? read.take?.() : undefined
        if (event === undefined) {
          const next = await read.next()
          late = false
          if (ended) return
          if (next.done) return broke("The stream ended without a done or error event")
          event = next.value
        }
        if (timer !== undefined) clearTimeout(timer)
        const waiting = handle(event)
        late = !waiting
        if (waiting) await waiting
        if (ended) return
        arm(streamIdleTimeoutMs, "was silent")
      }
    } catch (error) {
      broke(doing, error)
    }
  }

  /** @returns a promise only where `emit` gave one. Unknown and malformed events are skipped. */
  function handle(event: AssistantMessageEvent): void | Promise<void> {
    switch (event?.type) {
      case "start":
        return started ? undefined : start(copier?.message(event.partial) ?? event.partial)
      case "done":
      case "error":
        return terminate(event)
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
        const update = copier?.event(event, late) ?? event
        if (started) partial = update.partial
        else void start(update.partial)
        return emit({ type: "message_update", message: update.partial, assistantMessageEvent: update })
      }
    }
  }

  function start(message: AssistantMessage): void | Promise<void> {
    started = true
    partial = message
    return emit({ type: "message_start", message })
  }

  function terminate(event: TerminalAssistantMessageEvent): void {
    const given = event.type === "done" ? event.message : event.error
    if (!given || !Array.isArray(given.content)) {
      broke(`The stream's ${event.type} event had no message`)
      return
    }
    const message = copier?.message(given) ?? given
    end(message.stopReason === event.reason ? message : { ...message, stopReason: event.reason })
  }

  function broke(what: string, error?: unknown): void {
    if (ended) return
    const { aborted, reason } = request.signal
    if (aborted) leave("aborted", { code: "aborted", retryable: false }, abortMessage(reason))
    else {
      const message = error === undefined ? what : `${what}: ${errorText(error)}`
      leave("error", { code: "protocol", retryable: false }, message)
    }
  }

  function leave(
    stopReason: "error" | "aborted",
    failure: StreamFailure,
    errorMessage: string,
  ): AssistantMessage {
    const message = {
      ...(partial ?? emptyAssistantMessage(model, now())),
      stopReason,
      errorMessage,
      failure,
    }
    end(message)
    return message
  }

  function arm(timeoutMs: number | undefined, what: string): void {
    if (timeoutMs === undefined || !(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      const error = new Error(`The model ${what} for ${timeoutMs} ms`)
      leave("error", { code: "timeout", retryable: true }, error.message)
      request.abort(error)
    }, timeoutMs)
  }

  function end(message: AssistantMessage): void {
    if (ended) return
    ended = true
    clearTimeout(timer)
    release()
    resolve(message)
  }

  /** Tells the producer that nobody reads any more. What it makes of that is not waited for. */
  function release(): void {
    try {
      iterator?.return?.()?.then(undefined, () => {})
    } catch {
      // A producer that cannot be told is left behind like one that does not listen.
    }
  }

  return {
    get started() {
      return started
    },
    read: (open) =>
      new Promise((settle) => {
        resolve = settle
        arm(firstEventTimeoutMs, "gave no event")
        void consume(open)
      }),
    leave,
  }
}

export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === "function"
}
