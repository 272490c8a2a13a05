/** What {@link AbortGrace.wait} gives for work that did not settle in time. */
export const LEFT_BEHIND: unique symbol = Symbol("left behind")

/** The longest time a timer can hold: a longer one would be over at once. Milliseconds. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/**
 * An abort signal, and the time that is left after it.
 *
 * Abort is a race, not a request: what ignores the signal is left behind when the grace is over, so that a
 * deaf tool, hook or stream cannot hold a run. One instance serves everything that waits on one signal, and
 * costs one listener, plus one timer once the signal has fired.
 *
 * It stops nothing by itself; whether something may still *start* is for the caller to ask ({@link aborted}).
 */
export class AbortGrace {
  readonly #signal: AbortSignal | undefined
  readonly #graceMs: number
  readonly #waiting = new Set<(value: typeof LEFT_BEHIND) => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #expired = false

  /** @param graceMs Milliseconds between the signal and giving up. */
  constructor(signal: AbortSignal | undefined, graceMs: number) {
    this.#signal = signal
    this.#graceMs = Math.min(graceMs, MAX_TIMER_MS)
    if (signal?.aborted) this.#begin()
    else signal?.addEventListener("abort", this.#begin, { once: true })
  }

  /** The signal has fired. */
  get aborted(): boolean {
    return this.#signal?.aborted ?? false
  }

  /** The signal has fired, and the grace is over. */
  get expired(): boolean {
    return this.#expired
  }

  /**
   * Settles as the work does, or with {@link LEFT_BEHIND} when the grace is over first. What the work does
   * after that is ignored, its rejection included.
   */
  wait<T>(work: PromiseLike<T>): Promise<T | typeof LEFT_BEHIND> {
    return new Promise((resolve, reject) => {
      // Work handed over too late still gets the chance to show that it has settled already.
      if (this.#expired) queueMicrotask(() => queueMicrotask(() => resolve(LEFT_BEHIND)))
      else this.#waiting.add(resolve)
      work.then(
        (value) => {
          this.#waiting.delete(resolve)
          resolve(value)
        },
        (error) => {
          this.#waiting.delete(resolve)
          reject(error)
        },
      )
    })
  }

  /** Removes the listener and the timer. Work that is still waited for then settles only by itself. */
  dispose(): void {
    this.#signal?.removeEventListener("abort", this.#begin)
    clearTimeout(this.#timer)
  }

  readonly #begin = (): void => {
    this.#timer = setTimeout(() => {
      this.#expired = true
      for (const leaveBehind of this.#waiting) leaveBehind(LEFT_BEHIND)
      this.#waiting.clear()
    }, this.#graceMs)
  }
}
