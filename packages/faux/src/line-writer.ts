import { isPromiseLike } from "./is-promise-like.ts"

/**
 * Where the lines of a recording go: a function, or anything with `write`, such as a file's stream. A promise
 * that it returns is awaited before the next line.
 */
export type RecordingSink = ((line: string) => unknown) | { write(line: string): unknown }

/**
 * Writes one line after the other, and never lets the writing disturb anybody.
 *
 * A recording with a hole is worse than one that stops, so the first failure is the last line.
 */
export class LineWriter {
  readonly #write: (line: string) => unknown
  readonly #onError: ((error: unknown) => void) | undefined
  /** Settles, and never rejects, when every line so far is written. Absent while no sink was ever slow. */
  #tail: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(sink: RecordingSink, onError: ((error: unknown) => void) | undefined) {
    this.#write = typeof sink === "function" ? sink : (line) => sink.write(line)
    this.#onError = onError
  }

  /** Takes the value as it is now. */
  write(value: unknown): void {
    if (this.#failure) return
    try {
      const line = `${JSON.stringify(value)}\n`
      if (this.#tail) this.#tail = this.#tail.then(() => this.#writeLate(line))
      else {
        const written = this.#write(line)
        if (isPromiseLike(written)) this.#tail = this.#settled(written)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Resolves when every line so far is written; rejects with the failure that stopped the recording. */
  async flush(): Promise<void> {
    await this.#tail
    if (this.#failure) throw this.#failure.error
  }

  async #writeLate(line: string): Promise<void> {
    if (this.#failure) return
    try {
      await this.#write(line)
    } catch (error) {
      this.#fail(error)
    }
  }

  async #settled(written: PromiseLike<unknown>): Promise<void> {
    try {
      await written
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#failure = { error }
    try {
      this.#onError?.(error)
    } catch {
      // The listener was told; what it makes of it must not reach the stream either.
    }
  }
}
