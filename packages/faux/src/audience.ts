import type { AssistantMessageBuilder } from "@heddle/stream"

/**
 * Whether anybody still wants the message that is being made.
 *
 * The caller's signal aborts the message the moment it fires; a reader that leaves does so through the
 * builder. Whatever the producer waits for, it waits for it together with {@link gone}, and so stops in
 * bounded time.
 */
export class Audience {
  readonly #gone = new AbortController()
  readonly #signal: AbortSignal | undefined
  readonly #onAbort: () => void

  constructor(message: AssistantMessageBuilder, signal: AbortSignal | undefined) {
    this.#signal = signal
    this.#onAbort = () => {
      message.abort(signal?.reason)
      this.#gone.abort()
    }
    message.stream.onCancel(() => this.#gone.abort())
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener("abort", this.#onAbort)
  }

  /** Fires when the message was aborted or its reader left. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** The message has ended: lets go of the caller's signal, which may live much longer. */
  dismiss(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort)
  }
}
