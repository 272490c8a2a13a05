/**
 * The body of a response: events as they come, and a heartbeat while none do.
 *
 * It is written when its consumer asks for more, not before, so a slow connection is felt all the way up. A consumer
 * that takes nothing of what is there for too long is gone, whatever its connection says.
 */
import type { EventReader } from "./live-stream.ts"

/** How a body is written. */
export interface EventBodyOptions {
  /** How long it may be silent. Milliseconds; 0 means for ever. */
  readonly heartbeatMs: number
  /** How long its consumer may take nothing. Milliseconds. */
  readonly readTimeoutMs: number
}

/** A comment: every reader of events skips it. */
const HEARTBEAT = ": heartbeat\n\n"

/** See the head of this file. */
export class EventBody {
  readonly stream: ReadableStream<Uint8Array>
  readonly #reader: EventReader
  readonly #options: EventBodyOptions
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Tells the consumer, who waits, that there is something. */
  #answer: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false

  constructor(reader: EventReader, options: EventBodyOptions) {
    this.#reader = reader
    this.#options = options
    this.stream = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => this.#end(),
      },
      { highWaterMark: 0 },
    )
    reader.onNews = () => this.#hear()
    this.#expectPull()
  }

  /** The connection is gone. */
  drop(reason: string): void {
    if (this.#ended) return
    this.#end()
    this.#controller?.error(new Error(reason))
  }

  #pull(): Promise<void> | undefined {
    clearTimeout(this.#timer)
    if (this.#ended || this.#write()) return undefined
    const { heartbeatMs } = this.#options
    if (heartbeatMs > 0) this.#timer = setTimeout(() => this.#beat(), heartbeatMs)
    return new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  #hear(): void {
    if (this.#reader.isReplaced) this.drop("The stream is read elsewhere")
    // A consumer that is busy gets what is there when it comes back.
    else if (this.#answer && this.#write()) this.#settle()
  }

  /** @returns whether the consumer has something to go on with. */
  #write(): boolean {
    const text = this.#reader.read()
    if (text !== undefined) this.#enqueue(text)
    if (this.#reader.isDone) {
      this.#end()
      this.#controller?.close()
    }
    return text !== undefined || this.#ended
  }

  #beat(): void {
    this.#enqueue(HEARTBEAT)
    this.#settle()
  }

  #enqueue(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text))
    this.#expectPull()
  }

  #expectPull(): void {
    const { readTimeoutMs } = this.#options
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => this.drop(`The client took nothing for ${readTimeoutMs} ms`),
      readTimeoutMs,
    )
  }

  #settle(): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    this.#settle()
    this.#reader.leave()
  }
}
