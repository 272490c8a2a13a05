/**
 * Copies a stream into a store while it is made, and hears from there what readers in other processes want.
 *
 * Events are written behind: a store that is slow slows nobody, and one that fails costs no more than the chance to
 * come back to another process.
 */
import type { LiveStream } from "./live-stream.ts"
import type { ResumeStore } from "./resume-store.ts"

/** See the head of this file. */
export class StoreCopy {
  readonly #store: ResumeStore
  readonly #streamId: string
  readonly #graceMs: number
  readonly #onError: (error: unknown) => void
  #waiting: string[] = []
  #isWriting = false
  #isComplete = false
  #failed = false
  #unsubscribe: (() => void) | undefined

  constructor(
    store: ResumeStore,
    streamId: string,
    { graceMs, onError }: { readonly graceMs: number; readonly onError: (error: unknown) => void },
  ) {
    this.#store = store
    this.#streamId = streamId
    this.#graceMs = graceMs
    this.#onError = onError
  }

  /** Begins the copy. */
  async open(stream: LiveStream): Promise<void> {
    try {
      await this.#store.create(this.#streamId, stream.owner)
      this.#unsubscribe = await this.#store.subscribe(this.#streamId, (signal) => {
        if (signal === "abort") stream.abort("The client aborted")
        else stream.attachRemote(signal === "attached" ? 1 : -1)
      })
    } catch (error) {
      this.#fail(error)
    }
  }

  write(data: string, isTerminal: boolean): void {
    if (this.#failed) return
    this.#waiting.push(data)
    this.#isComplete ||= isTerminal
    if (!this.#isWriting) void this.#flush()
  }

  /** Nobody can come back for the stream any more. */
  close(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    if (!this.#isComplete) void this.#expire()
  }

  async #flush(): Promise<void> {
    this.#isWriting = true
    try {
      while (this.#waiting.length > 0) {
        const events = this.#waiting
        this.#waiting = []
        await this.#store.append(this.#streamId, events)
      }
      if (this.#isComplete) await this.#expire()
    } catch (error) {
      this.#fail(error)
    }
    this.#isWriting = false
  }

  async #expire(): Promise<void> {
    try {
      await this.#store.expire(this.#streamId, this.#graceMs)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#failed = true
    this.#waiting = []
    this.#onError(error)
  }
}
