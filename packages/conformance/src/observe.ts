/**
 * Calls a StreamFn once and watches what it does, in bounded time whatever it does.
 *
 * Everything here holds for every stream: nothing throws or rejects, the iteration ends after its terminal
 * event and stays ended, `result()` settles with that event's message, delivered events stay as they were.
 * What a case says about the answer is compared in `answer.ts`.
 */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
  StreamFn,
} from "@heddle/types"
import type { AbortPlan, Use } from "./conformance-case.ts"
import { Deadline, LATE } from "./deadline.ts"
import { Deliveries } from "./deliveries.ts"
import { difference, isObject, show } from "./difference.ts"
import { checkEvents } from "./grammar.ts"
import { type Rule, type Violation, violation } from "./violation.ts"

/** One call and how it is watched. */
export interface Watch {
  readonly streamFn: StreamFn
  readonly model: Model
  readonly context: Context
  readonly options: SimpleStreamOptions
  readonly use: Exclude<Use, "twice">
  readonly abort?: AbortPlan | undefined
  /** Settles when a request has reached the other side, or when none came. */
  readonly requested: () => Promise<unknown>
  /** Fires the call's signal. */
  readonly fire: () => void
  readonly deadlineMs: number
  readonly abortDeadlineMs: number
}

/** What a call did. */
export interface Observation {
  readonly events: readonly AssistantMessageEvent[]
  /** What `result()` gave, where it settled. */
  readonly message: AssistantMessage | undefined
  readonly violations: readonly Violation[]
}

/** How long the end of the iteration may come after the terminal event. Milliseconds. */
const SILENCE_MS = 500

/** How long the world is left alone after the end, to see whether something still happens. Milliseconds. */
const AFTERMATH_MS = 10

/** So many events are read in one breath. */
const BREATH = 1024

/** So many events are no answer any more: 1 MiB of arguments in deltas of four characters is less. */
const FLOOD = 400 * BREATH

/** What became of `result()`: undefined when it rejected. */
type Settled = AssistantMessage | typeof LATE | undefined

/** @returns what the call did; never throws. */
export async function observe(watch: Watch): Promise<Observation> {
  const observer = new Observer(watch)
  try {
    await observer.run()
  } finally {
    observer.stop()
  }
  return observer.observation()
}

class Observer {
  readonly #watch: Watch
  readonly #deliveries = new Deliveries()
  readonly #violations: Violation[] = []
  readonly #deadline: Deadline
  #message: AssistantMessage | undefined
  #aborted = false

  constructor(watch: Watch) {
    this.#watch = watch
    this.#deadline = new Deadline(watch.deadlineMs)
  }

  observation(): Observation {
    return { events: this.#deliveries.events, message: this.#message, violations: this.#violations }
  }

  stop(): void {
    this.#deadline.stop()
  }

  async run(): Promise<void> {
    const { abort, use } = this.#watch
    if (abort?.when === "beforeCall") this.#abort()
    const stream = await this.#call()
    if (!stream) return
    if (abort?.when === "afterMs") this.#abortIn(abort.milliseconds)
    else if (abort?.when === "requested") {
      void this.#watch.requested().then(() => this.#abortIn(abort.milliseconds))
    }
    const early = this.#result(stream)
    const inTime =
      use === "result" || (use === "events" ? await this.#read(stream) : await this.#leave(stream))
    if (inTime) await this.#finish(stream, early)
    else this.#giveUp()
    this.#violations.push(...this.#deliveries.violations())
    if (use !== "events") return
    const grammar = checkEvents(this.#deliveries.events)
    this.#violations.push(...grammar.filter(({ rule }) => inTime || rule !== "terminal"))
  }

  async #finish(stream: AssistantMessageEventStream, early: Promise<Settled>): Promise<void> {
    const message = await this.#settled(early)
    if (message === LATE) this.#report("result", `result() had not settled ${this.#elapsed()}`)
    else {
      if (this.#watch.use === "events") await this.#checkResult(stream, message)
      this.#message = message
    }
    await pause(AFTERMATH_MS)
  }

  async #call(): Promise<AssistantMessageEventStream | undefined> {
    const { streamFn, model, context, options } = this.#watch
    let returned: ReturnType<StreamFn>
    try {
      returned = streamFn(model, context, options)
    } catch (error) {
      this.#report("never-throws", `the call threw ${describe(error)}; a failure arrives in the stream`)
      return undefined
    }
    let stream: AssistantMessageEventStream | typeof LATE
    try {
      stream = await Promise.race([returned, this.#deadline.late])
    } catch (error) {
      this.#report(
        "never-rejects",
        `the call rejected with ${describe(error)}; a failure arrives in the stream`,
      )
      return undefined
    }
    if (stream === LATE) {
      this.#report("bounded-time", `the call had not given a stream ${this.#elapsed()}`)
      return undefined
    }
    if (
      !isObject(stream) ||
      typeof stream[Symbol.asyncIterator] !== "function" ||
      typeof stream.result !== "function"
    ) {
      this.#report("shape", `the call gave ${show(stream)}, no stream of events with result()`)
      return undefined
    }
    return stream
  }

  /** @returns whether the stream ended in time. */
  async #read(stream: AssistantMessageEventStream): Promise<boolean> {
    let ended = false
    try {
      const iterator = stream[Symbol.asyncIterator]()
      for (;;) {
        const next = await Promise.race([iterator.next(), ended ? this.#silence() : this.#deadline.late])
        if (next === LATE) {
          if (ended) this.#report("terminal", "the iteration did not end after the terminal event")
          return ended
        }
        if (next.done) break
        if (!(await this.#deliver(next.value))) return false
        if (isTerminal(next.value)) {
          ended = true
          if (this.#watch.abort?.when === "afterEnd") this.#abort()
        }
      }
      const after = await Promise.race([iterator.next(), this.#silence()])
      if (after !== LATE && !after.done) await this.#deliver(after.value)
    } catch (error) {
      this.#report("never-throws", `reading the stream threw ${describe(error)} after ${this.#soFar()}`)
    }
    return true
  }

  /** Reads to the first delta and leaves, as a `break` in `for await` does. */
  async #leave(stream: AssistantMessageEventStream): Promise<boolean> {
    try {
      const iterator = stream[Symbol.asyncIterator]()
      for (;;) {
        const next = await Promise.race([iterator.next(), this.#deadline.late])
        if (next === LATE) return false
        if (next.done) break
        if (!(await this.#deliver(next.value))) return false
        if (isObject(next.value) && "delta" in next.value) break
      }
      this.#limit()
      await Promise.race([Promise.resolve(iterator.return?.()), this.#deadline.late])
    } catch (error) {
      this.#report("never-throws", `leaving the stream threw ${describe(error)}`)
    }
    return true
  }

  /** @returns whether to go on: a stream that never pauses would keep the deadline's timer from firing. */
  async #deliver(event: AssistantMessageEvent): Promise<boolean> {
    this.#deliveries.add(event)
    const { abort } = this.#watch
    const { characters, events } = this.#deliveries
    if (abort?.when === "afterCharacters" && characters >= abort.characters) this.#abort()
    if (events.length % BREATH !== 0) return true
    await pause(0)
    return !this.#deadline.expired && events.length < FLOOD
  }

  async #result(stream: AssistantMessageEventStream): Promise<Settled> {
    try {
      return await Promise.race([stream.result(), this.#deadline.late])
    } catch (error) {
      this.#report("result", `result() rejected with ${describe(error)}`)
      return undefined
    }
  }

  /** A result that is due after the end gets a little time, not the whole deadline. */
  #settled(result: Promise<Settled>): Promise<Settled> {
    return this.#watch.use === "events" ? Promise.race([result, this.#silence()]) : result
  }

  async #checkResult(
    stream: AssistantMessageEventStream,
    message: AssistantMessage | undefined,
  ): Promise<void> {
    const terminal = this.#deliveries.events.find(isTerminal)
    if (!terminal || message === undefined) return
    const expected = terminal.type === "done" ? terminal.message : terminal.error
    const differs = difference(message, expected, "the message")
    if (differs) this.#report("result", `result() is not the message of the terminal event: ${differs}`)
    const again = await Promise.race([this.#result(stream), this.#silence()])
    if (again === LATE) this.#report("result", "result() did not settle when it was asked after the end")
    else if (again !== undefined && difference(again, message)) {
      this.#report("result", "result() gave another message when it was asked again")
    }
  }

  #abortIn(milliseconds: number): void {
    this.#deadline.after(milliseconds, () => this.#abort())
  }

  #abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#watch.fire()
    if (this.#watch.abort?.when !== "afterEnd") this.#limit()
  }

  /** From now on the stream has the shorter time of an abort. */
  #limit(): void {
    this.#deadline.shorten(this.#watch.abortDeadlineMs)
  }

  #giveUp(): void {
    this.#report("bounded-time", `the stream had not ended ${this.#elapsed()}; it gave ${this.#soFar()}`)
    this.#watch.fire()
  }

  #elapsed(): string {
    const { deadlineMs, abortDeadlineMs } = this.#watch
    return this.#aborted ? `within ${abortDeadlineMs} ms of the abort` : `within ${deadlineMs} ms`
  }

  #soFar(): string {
    const last = this.#deliveries.events.at(-1)
    return last === undefined
      ? "no event"
      : `${this.#deliveries.events.length} events, the last a ${last.type}`
  }

  #silence(): Promise<typeof LATE> {
    return this.#deadline.passed(Math.min(SILENCE_MS, this.#watch.deadlineMs))
  }

  #report(rule: Rule, says: string): void {
    this.#violations.push(violation(rule, says))
  }
}

function isTerminal(
  event: AssistantMessageEvent,
): event is Extract<AssistantMessageEvent, { type: "done" | "error" }> {
  return isObject(event) && (event.type === "done" || event.type === "error")
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : show(error)
}
