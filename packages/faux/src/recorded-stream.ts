/**
 * A stream that somebody listens in on, and that does not notice.
 *
 * The reader gets the very promises and events of the stream behind. Where nobody reads and only `result()`
 * is awaited, this file reads in the reader's place, and keeps what it read for one who comes later.
 */
import type { BufferedAsyncIterator } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream } from "@heddle/types"

/** Who listens in. */
export interface StreamListener {
  event(event: AssistantMessageEvent): void
  /** The stream threw instead of ending. */
  broke(error: unknown): void
  /** The reader does not want the rest. */
  left(): void
}

type Step = IteratorResult<AssistantMessageEvent, undefined>

/** The iterator of any stream; ours can be asked without a promise. */
type Source = AsyncIterator<AssistantMessageEvent, undefined> &
  Partial<Pick<BufferedAsyncIterator<AssistantMessageEvent>, "take">>

const DONE = { value: undefined, done: true } as const

/** See the head of this file. */
export class RecordedStream implements AssistantMessageEventStream {
  readonly #stream: AssistantMessageEventStream & { readonly snapshots?: boolean }
  readonly #listener: StreamListener
  #source: Source | undefined
  #hasReader = false
  /** What was read ahead of the reader. */
  readonly #ahead: (Step | Promise<Step>)[] = []

  constructor(stream: AssistantMessageEventStream, listener: StreamListener) {
    this.#stream = stream
    this.#listener = listener
  }

  /** What the stream behind promises of its events. */
  get snapshots(): boolean {
    return this.#stream.snapshots ?? false
  }

  result(): Promise<AssistantMessage> {
    if (!this.#source) {
      try {
        this.#source = this.#iterate()
        this.#readAhead(this.#source)
      } catch {
        // Somebody reads the stream behind our back: what they read cannot be recorded.
      }
    }
    return this.#stream.result()
  }

  [Symbol.asyncIterator](): Source {
    // A second reader is the stream's own matter; most refuse it.
    if (this.#hasReader) return this.#iterate()
    this.#source ??= this.#iterate()
    this.#hasReader = true
    return this.#reader(this.#source)
  }

  #iterate(): Source {
    return this.#stream[Symbol.asyncIterator]() as Source
  }

  #reader(source: Source): Source {
    return {
      next: () => {
        const step = this.#ahead.shift()
        return step ? Promise.resolve(step) : this.#pull(source)
      },
      ...(source.take && { take: () => this.#take(source) }),
      return: () => {
        this.#listener.left()
        return source.return?.() ?? Promise.resolve(DONE)
      },
    }
  }

  #pull(source: Source): Promise<Step> {
    const step = source.next()
    // Before the reader's own reaction, since it is registered first, and without delaying it.
    Promise.resolve(step).then(
      (result) => result.done || this.#listener.event(result.value),
      (error: unknown) => this.#listener.broke(error),
    )
    return step
  }

  #take(source: Source): AssistantMessageEvent | undefined {
    const [step] = this.#ahead
    if (!step) return this.#takeFrom(source)
    if (step instanceof Promise || step.done) return undefined
    this.#ahead.shift()
    return step.value
  }

  #takeFrom(source: Source): AssistantMessageEvent | undefined {
    const event = source.take?.()
    if (event) this.#listener.event(event)
    return event
  }

  /** Until the stream ends or a reader comes. */
  #readAhead(source: Source): void {
    const step = this.#pull(source)
    this.#ahead.push(step)
    step.then(
      (result) => {
        let event = result.value
        while (event && !this.#hasReader && !isTerminal(event)) {
          event = this.#takeFrom(source)
          if (!event) return this.#readAhead(source)
          this.#ahead.push({ value: event, done: false })
        }
      },
      () => {},
    )
  }
}

function isTerminal(event: AssistantMessageEvent): boolean {
  return event.type === "done" || event.type === "error"
}
