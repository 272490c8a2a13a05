/**
 * The running calls of one state, told as how they came to be.
 *
 * A batch of *n* calls makes 2*n* states; most of them nobody looks at, and the set of none may change
 * afterwards. So states in a row share one list of steps that only grows, of which each sees its part, and
 * the set is made when somebody reads it.
 */
export class CallLog {
  readonly #steps: (readonly [toolCallId: string, starts: boolean])[]
  readonly #length: number
  #ids: ReadonlySet<string> | undefined
  /** Starts less ends. */
  readonly open: number

  private constructor(steps: (readonly [string, boolean])[], open: number) {
    this.#steps = steps
    this.#length = steps.length
    this.open = open
  }

  static of(ids: ReadonlySet<string>): CallLog {
    return new CallLog(
      Array.from(ids, (id) => [id, true]),
      ids.size,
    )
  }

  /** @returns the log with one step more. */
  with(id: string, starts: boolean): CallLog {
    const shared = this.#steps.length === this.#length
    const steps = shared ? this.#steps : this.#steps.slice(0, this.#length)
    steps.push([id, starts])
    return new CallLog(steps, this.open + (starts ? 1 : -1))
  }

  /** The calls that have started and not ended. */
  get ids(): ReadonlySet<string> {
    this.#ids ??= this.#read()
    return this.#ids
  }

  #read(): ReadonlySet<string> {
    const ids = new Set<string>()
    for (const [id, starts] of this.#steps.slice(0, this.#length)) {
      if (starts) ids.add(id)
      else ids.delete(id)
    }
    return ids
  }
}
