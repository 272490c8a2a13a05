/** The iterator of an {@link EventStream}: what is already there can be taken without a promise. */
export interface BufferedAsyncIterator<TEvent> extends AsyncIterator<TEvent, undefined> {
  /** The next event where one is waiting. Undefined says nothing about the end: ask {@link next}. */
  take(): TEvent | undefined
  return(): Promise<IteratorResult<TEvent, undefined>>
}

/** Thrown when a stream that has a reader is read a second time. The first reader is not disturbed. */
export class StreamAlreadyReadError extends Error {
  override readonly name = "StreamAlreadyReadError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "STREAM_ALREADY_READ"

  constructor() {
    super("This stream already has a reader. Read it once and share what you read, or await result().")
  }
}

/** What `result()` rejects with when a stream ended without an end event and without a result. */
export class StreamEndedWithoutResultError extends Error {
  override readonly name = "StreamEndedWithoutResultError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "STREAM_ENDED_WITHOUT_RESULT"

  constructor() {
    super("The stream ended without an end event and without a result. Its producer stopped too early.")
  }
}

/** How a stream ended: with a result, or with the error that says why there is none. */
type Outcome<TResult> =
  | { readonly ok: true; readonly result: TResult }
  | { readonly ok: false; readonly error: unknown }

const DONE = { value: undefined, done: true } as const

/** What is read is dropped from the front of the queue once that much of it is there. */
const COMPACT_AT = 1024

/**
 * A queue of events between one producer and one reader, and a result that is known at its end.
 *
 * Events that were pushed before anybody reads are kept. Pushing and reading cost the same however long the
 * queue is. No promise stands between a pushed event and a reader that uses
 * {@link BufferedAsyncIterator.take}.
 *
 * Leaving `for await` early cancels: the {@link onCancel} callbacks run once, and the producer is expected to
 * end the stream, so that `result()` settles.
 */
export class EventStream<TEvent, TResult> implements AsyncIterable<TEvent> {
  readonly #isEnd: (event: TEvent) => boolean
  readonly #extractResult: (event: TEvent) => TResult
  #queue: (TEvent | undefined)[] = []
  #head = 0
  #waiting: ((result: IteratorResult<TEvent, undefined>) => void)[] = []
  #hasReader = false
  /** The reader has gone: nothing is kept for it. */
  #left = false
  /** It went before the end. */
  #cancelled = false
  #onCancel: (() => void)[] = []
  #outcome: Outcome<TResult> | undefined
  #result: Promise<TResult> | undefined
  #settle: ((outcome: Outcome<TResult>) => void) | undefined

  /**
   * @param isEnd Whether this event is the last one.
   * @param extractResult The stream's result, from its last event.
   */
  constructor(isEnd: (event: TEvent) => boolean, extractResult: (event: TEvent) => TResult) {
    this.#isEnd = isEnd
    this.#extractResult = extractResult
  }

  /** The end event or `end()` has come: no more events are taken. */
  get ended(): boolean {
    return this.#outcome !== undefined
  }

  /** Hands an event to the reader. Ignored after the end. */
  push(event: TEvent): void {
    if (this.#outcome) return
    const isEnd = this.#isEnd(event)
    if (this.#waiting.length > 0) this.#waiting.shift()?.({ value: event, done: false })
    else if (!this.#left) this.#queue.push(event)
    if (isEnd) this.#end(this.#outcomeOf(event))
  }

  /**
   * Ends the stream without an end event. Ignored after the end.
   *
   * @param result What `result()` resolves with. Absent: it rejects with {@link StreamEndedWithoutResultError}.
   */
  end(result?: TResult): void {
    if (this.#outcome) return
    this.#end(
      result === undefined ? { ok: false, error: new StreamEndedWithoutResultError() } : { ok: true, result },
    )
  }

  /**
   * Settles when the stream has ended. May be asked any number of times, before and after the end. Rejects
   * where there is no result: the stream ended without one, or it could not be extracted.
   */
  result(): Promise<TResult> {
    this.#result ??= new Promise((resolve, reject) => {
      const settle = (outcome: Outcome<TResult>) =>
        outcome.ok ? resolve(outcome.result) : reject(outcome.error)
      if (this.#outcome) settle(this.#outcome)
      else this.#settle = settle
    })
    return this.#result
  }

  /**
   * Runs the callback once when the reader leaves before the end: at once when it has left already, never
   * when the stream ends first. What a callback throws is thrown where the reader leaves, once all have run.
   */
  onCancel(callback: () => void): void {
    if (this.#cancelled) callback()
    else if (!this.#outcome) this.#onCancel.push(callback)
  }

  /** @throws {StreamAlreadyReadError} when there is a reader already. */
  [Symbol.asyncIterator](): BufferedAsyncIterator<TEvent> {
    if (this.#hasReader) throw new StreamAlreadyReadError()
    this.#hasReader = true
    return {
      next: () => {
        if (this.#head < this.#queue.length) return Promise.resolve({ value: this.#take(), done: false })
        if (this.#outcome || this.#left) return Promise.resolve(DONE)
        return new Promise((resolve) => this.#waiting.push(resolve))
      },
      take: () => (this.#head < this.#queue.length ? this.#take() : undefined),
      return: async () => {
        this.#leave()
        return DONE
      },
    }
  }

  #take(): TEvent {
    const event = this.#queue[this.#head] as TEvent
    this.#queue[this.#head++] = undefined
    if (this.#head === this.#queue.length) {
      this.#queue.length = 0
      this.#head = 0
    } else if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#queue.length) {
      this.#queue.splice(0, this.#head)
      this.#head = 0
    }
    return event
  }

  #outcomeOf(event: TEvent): Outcome<TResult> {
    try {
      return { ok: true, result: this.#extractResult(event) }
    } catch (error) {
      return { ok: false, error }
    }
  }

  #end(outcome: Outcome<TResult>): void {
    this.#outcome = outcome
    this.#onCancel = []
    for (const resolve of this.#waiting) resolve(DONE)
    this.#waiting = []
    this.#settle?.(outcome)
  }

  #leave(): void {
    if (this.#left) return
    this.#left = true
    this.#queue = []
    this.#head = 0
    for (const resolve of this.#waiting) resolve(DONE)
    this.#waiting = []
    if (!this.#outcome) this.cancel()
  }

  /**
   * Called once, when the reader has left before the end. A subclass that can end the stream itself does.
   *
   * @throws what the first callback that failed threw, when all have run.
   */
  protected cancel(): void {
    this.#cancelled = true
    const callbacks = this.#onCancel
    this.#onCancel = []
    const errors: unknown[] = []
    for (const callback of callbacks) {
      try {
        callback()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
