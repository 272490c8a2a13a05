/**
 * A stream whose upstream is in another process, read from the store.
 *
 * It reads ahead by what the store gives at once, and asks for more when that has been read.
 */
import { toFrame } from "./event-log.ts"
import type { EventReader } from "./live-stream.ts"
import type { ResumeStore } from "./resume-store.ts"

/** See the head of this file. */
export class StoredEvents implements EventReader {
  readonly isReplaced = false
  readonly #store: ResumeStore
  readonly #streamId: string
  readonly #onError: (error: unknown) => void
  readonly #gone = new AbortController()
  #position: number
  #text: string | undefined
  #ended = false
  #isReading = false
  onNews = (): void => {}

  /** @param after The number of the last event that the reader has. */
  constructor(store: ResumeStore, streamId: string, after: number, onError: (error: unknown) => void) {
    this.#store = store
    this.#streamId = streamId
    this.#position = after
    this.#onError = onError
    void this.#publish("attached")
  }

  get isDone(): boolean {
    return this.#ended && this.#text === undefined
  }

  read(): string | undefined {
    const text = this.#text
    this.#text = undefined
    if (!this.#ended && !this.#isReading) void this.#readAhead()
    return text
  }

  leave(): void {
    this.#gone.abort()
    void this.#publish("detached")
  }

  async #readAhead(): Promise<void> {
    this.#isReading = true
    try {
      const events = await this.#store.read(this.#streamId, this.#position, this.#gone.signal)
      if (this.#gone.signal.aborted) return
      // What is not kept any more ends the response without a terminal event: a client notices that.
      if (!events?.length) this.#ended = true
      else this.#take(events)
    } catch (error) {
      this.#ended = true
      this.#onError(error)
    } finally {
      this.#isReading = false
    }
    this.onNews()
  }

  #take(events: readonly string[]): void {
    this.#text = events.map((data) => toFrame(++this.#position, data)).join("")
    this.#ended = events.some(isTerminal)
  }

  async #publish(signal: "attached" | "detached"): Promise<void> {
    try {
      await this.#store.publish(this.#streamId, signal)
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** The type is what an event begins with. */
function isTerminal(data: string): boolean {
  return data.startsWith('{"type":"done"') || data.startsWith('{"type":"error"')
}
