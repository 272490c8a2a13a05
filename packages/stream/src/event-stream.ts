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

type Waiting<TEvent> = (result: IteratorResult<TEvent, undefined>) => void

/** How a stream ended: with a result, or with the error that says why there is none. */
type Outcome<TResult> =
  | { readonly ok: true; readonly result: TResult }
  | { readonly ok: false; readonly error: unknown }

/** One object literal, so that engines know its shape from the first stream on. */
interface State<TEvent, TResult> {
  /** What waits is between head and tail. The places before and behind are used again. */
  queue: (TEvent | undefined)[]
  head: number
  tail: number
  /** The oldest read that waits for an event, and those behind it: hardly anybody reads ahead. */
  waiting: Waiting<TEvent> | undefined
  behind: Waiting<TEvent>[]
  hasReader: boolean
  /** The reader has gone: nothing is kept for it. */
  left: boolean
  /** It went before the end. */
  cancelled: boolean
  onCancel: (() => void)[]
  outcome: Outcome<TResult> | undefined
  result: Promise<TResult> | undefined
  settle: ((outcome: Outcome<TResult>) => void) | undefined
}

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
  readonly #state: State<TEvent, TResult> = {
    queue: [],
    head: 0,
    tail: 0,
    waiting: undefined,
    behind: [],
    hasReader: false,
    left: false,
    cancelled: false,
    onCancel: [],
    outcome: undefined,
    result: undefined,
    settle: undefined,
  }

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
    return this.#state.outcome !== undefined
  }

  /** Hands an event to the reader. Ignored after the end. */
  push(event: TEvent): void {
    const state = this.#state
    if (state.outcome) return
    const isEnd = this.#isEnd(event)
    if (state.waiting) serve(state, { value: event, done: false })
    else if (!state.left) state.queue[state.tail++] = event
    if (isEnd) this.#end(this.#outcomeOf(event))
  }

  /**
   * Ends the stream without an end event. Ignored after the end.
   *
   * @param result What `result()` resolves with. Absent: it rejects with {@link StreamEndedWithoutResultError}.
   */
  end(result?: TResult): void {
    if (this.ended) return
    this.#end(
      result === undefined ? { ok: false, error: new StreamEndedWithoutResultError() } : { ok: true, result },
    )
  }

  /**
   * Settles when the stream has ended. May be asked any number of times, before and after the end. Rejects
   * where there is no result: the stream ended without one, or it could not be extracted.
   */
  result(): Promise<TResult> {
    const state = this.#state
    state.result ??= new Promise((resolve, reject) => {
      const settle = (outcome: Outcome<TResult>) =>
        outcome.ok ? resolve(outcome.result) : reject(outcome.error)
      if (state.outcome) settle(state.outcome)
      else state.settle = settle
    })
    return state.result
  }

  /**
   * Runs the callback once when the reader leaves before the end: at once when it has left already, never
   * when the stream ends first. What a callback throws is thrown where the reader leaves, once all have run.
   */
  onCancel(callback: () => void): void {
    if (this.#state.cancelled) callback()
    else if (!this.ended) this.#state.onCancel.push(callback)
  }

  /** @throws {StreamAlreadyReadError} when there is a reader already. */
  [Symbol.asyncIterator](): BufferedAsyncIterator<TEvent> {
    const state = this.#state
    if (state.hasReader) throw new StreamAlreadyReadError()
    state.hasReader = true
    return {
      next: () => {
        if (state.head < state.tail) return Promise.resolve({ value: takeFrom(state), done: false })
        if (state.outcome || state.left) return Promise.resolve(DONE)
        return new Promise((resolve) => {
          if (state.waiting) state.behind.push(resolve)
          else state.waiting = resolve
        })
      },
      take: () => (state.head < state.tail ? takeFrom(state) : undefined),
      return: async () => {
        this.#leave()
        return DONE
      },
    }
  }

  #outcomeOf(event: TEvent): Outcome<TResult> {
    try {
      return { ok: true, result: this.#extractResult(event) }
    } catch (error) {
      return { ok: false, error }
    }
  }

  #end(outcome: Outcome<TResult>): void {
    const state = this.#state
    state.outcome = outcome
    state.onCancel = []
    serveAll(state)
    state.settle?.(outcome)
  }

  #leave(): void {
    const state = this.#state
    if (state.left) return
    state.left = true
    state.queue = []
    state.head = state.tail = 0
    serveAll(state)
    if (!state.outcome) this.cancel()
  }

  /**
   * Called once, when the reader has left before the end. A subclass that can end the stream itself does.
   *
   * @throws what the first callback that failed threw, when all have run.
   */
  protected cancel(): void {
    const state = this.#state
    state.cancelled = true
    const callbacks = state.onCancel
    state.onCancel = []
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

function takeFrom<TEvent, TResult>(state: State<TEvent, TResult>): TEvent {
  const { queue } = state
  const event = queue[state.head] as TEvent
  queue[state.head++] = undefined
  if (state.head === state.tail) {
    if (state.tail >= COMPACT_AT) state.queue = []
    state.head = state.tail = 0
  } else if (state.head >= COMPACT_AT && state.head * 2 >= state.tail) {
    queue.splice(0, state.head)
    state.tail -= state.head
    state.head = 0
  }
  return event
}

/** Answers the oldest read that waits. */
function serve<TEvent, TResult>(
  state: State<TEvent, TResult>,
  result: IteratorResult<TEvent, undefined>,
): void {
  const resolve = state.waiting
  state.waiting = state.behind.length > 0 ? state.behind.shift() : undefined
  resolve?.(result)
}

function serveAll<TEvent, TResult>(state: State<TEvent, TResult>): void {
  while (state.waiting) serve<TEvent, TResult>(state, DONE)
}
