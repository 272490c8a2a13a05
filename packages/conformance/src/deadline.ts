/** Stands for whatever did not come in time. */
export const LATE: unique symbol = Symbol("late")

/**
 * The timers of one observation, in real time: a hang is only seen by waiting.
 *
 * All of them end with {@link stop}.
 */
export class Deadline {
  /** Resolves at the earliest of the times that were set. */
  readonly late: Promise<typeof LATE>
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #expire: () => void = () => {}
  #expired = false
  #stopped = false

  constructor(milliseconds: number) {
    this.late = new Promise((resolve) => {
      this.#expire = () => {
        this.#expired = true
        resolve(LATE)
      }
    })
    this.shorten(milliseconds)
  }

  get expired(): boolean {
    return this.#expired
  }

  /** From now on there is only so much time left. */
  shorten(milliseconds: number): void {
    this.after(milliseconds, this.#expire)
  }

  /** Calls back later, unless everything is over by then. */
  after(milliseconds: number, callback: () => void): void {
    if (!this.#stopped) this.#timers.add(setTimeout(callback, milliseconds))
  }

  /** Resolves after a while: to race with something that should come sooner. */
  passed(milliseconds: number): Promise<typeof LATE> {
    return new Promise((resolve) => this.after(milliseconds, () => resolve(LATE)))
  }

  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
