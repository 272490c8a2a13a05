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
import { difference, isObject, show } from "./difference.ts"
import { checkEvents } from "./grammar.ts"
import { Ledger } from "./ledger.ts"
import { type Rule, type Violation, violation } from "./violation.ts"

/** One call and how it is watched. */
export interface Watch {
  readonly streamFn: StreamFn
  readonly model: Model
  readonly context: Context
  readonly options: SimpleStreamOptions
  readonly use: Exclude<Use, "twice">
  readonly abort?: AbortPlan | undefined
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

const LATE = Symbol("late")

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
  readonly #events: AssistantMessageEvent[] = []
  readonly #violations: Violation[] = []
  readonly #ledger = new Ledger()
  readonly #timers: ReturnType<typeof setTimeout>[] = []
  #message: AssistantMessage | undefined
  #last: readonly unknown[] = []
  #characters = 0
  #abortedAt: number | undefined
  #late: Promise<typeof LATE>
  #expire: () => void = () => {}

  constructor(watch: Watch) {
    this.#watch = watch
    this.#late = new Promise((resolve) => {
      this.#expire = () => resolve(LATE)
    })
    this.#timers.push(setTimeout(this.#expire, watch.deadlineMs))
  }

  observation(): Observation {
    return { events: this.#events, message: this.#message, violations: this.#violations }
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  async run(): Promise<void> {
    const { abort, use } = this.#watch
    if (abort?.when === "beforeCall") this.#abort()
    const stream = await this.#call()
    if (!stream) return
    if (abort?.when === "afterMs") this.#timers.push(setTimeout(() => this.#abort(), abort.milliseconds))
    const early = this.#result(stream)
    const inTime =
      use === "result" || (use === "events" ? await this.#read(stream) : await this.#leave(stream))
    if (!inTime) return this.#giveUp()
    const message = await this.#settled(early)
    if (message === LATE) return this.#report("result", `result() had not settled ${this.#elapsed()}`)
    if (use === "events") await this.#checkResult(stream, message)
    await pause(AFTERMATH_MS)
    this.#message = message
    for (const { label, says } of this.#ledger.changes().slice(0, 3)) {
      const index = Number(label)
      this.#violations.push(
        violation(
          "delivered-unchanged",
          `changed after it was delivered: ${says}`,
          index,
          this.#events[index]?.type,
        ),
      )
    }
    if (use === "events") this.#violations.push(...checkEvents(this.#events))
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
      stream = await Promise.race([returned, this.#late])
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
        const next = await Promise.race([iterator.next(), ended ? this.#silence() : this.#late])
        if (next === LATE) {
          if (ended) this.#report("terminal", "the iteration did not end after the terminal event")
          return ended
        }
        if (next.done) break
        this.#deliver(next.value)
        if (isTerminal(next.value)) {
          ended = true
          if (this.#watch.abort?.when === "afterEnd") this.#abort()
        }
      }
      const after = await Promise.race([iterator.next(), this.#silence()])
      if (after !== LATE && !after.done) this.#deliver(after.value)
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
        const next = await Promise.race([iterator.next(), this.#late])
        if (next === LATE) return false
        if (next.done) break
        this.#deliver(next.value)
        if (isObject(next.value) && "delta" in next.value) break
      }
      this.#limit()
      await Promise.race([Promise.resolve(iterator.return?.()), this.#late])
    } catch (error) {
      this.#report("never-throws", `leaving the stream threw ${describe(error)}`)
    }
    return true
  }

  #deliver(event: AssistantMessageEvent): void {
    const index = this.#events.push(event) - 1
    this.#ledger.record(event, index, "event")
    const loose: unknown = event
    if (isObject(loose)) {
      if (typeof loose.delta === "string") this.#characters += loose.delta.length
      this.#checkIdentity(loose, index)
    }
    const { abort } = this.#watch
    if (abort?.when === "afterCharacters" && this.#characters >= abort.characters) this.#abort()
  }

  /** A UI memoises on blocks: only the one that an event is about may be a new object. */
  #checkIdentity(event: Record<string, unknown>, index: number): void {
    const content = isObject(event.partial) ? event.partial.content : undefined
    if (!Array.isArray(content)) return
    const changed = this.#last.findIndex((block, at) => at !== event.contentIndex && content[at] !== block)
    if (changed !== -1) {
      const says = `block ${changed} is another object than in the snapshot before, though nothing happened to it`
      this.#violations.push(violation("identity", says, index, String(event.type)))
    }
    this.#last = content
  }

  async #result(stream: AssistantMessageEventStream): Promise<AssistantMessage | typeof LATE | undefined> {
    try {
      return await Promise.race([stream.result(), this.#late])
    } catch (error) {
      this.#report("result", `result() rejected with ${describe(error)}`)
      return undefined
    }
  }

  /** A result that is due after the end gets a little time, not the whole deadline. */
  #settled(
    result: Promise<AssistantMessage | typeof LATE | undefined>,
  ): Promise<AssistantMessage | typeof LATE | undefined> {
    return this.#watch.use === "result" ? result : Promise.race([result, this.#silence()])
  }

  async #checkResult(
    stream: AssistantMessageEventStream,
    message: AssistantMessage | undefined,
  ): Promise<void> {
    const terminal = this.#events.find(isTerminal)
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

  #abort(): void {
    if (this.#abortedAt !== undefined) return
    this.#abortedAt = performance.now()
    this.#watch.fire()
    if (this.#watch.abort?.when !== "afterEnd") this.#limit()
  }

  /** From now on the stream has the shorter time of an abort. */
  #limit(): void {
    this.#timers.push(setTimeout(this.#expire, this.#watch.abortDeadlineMs))
  }

  #giveUp(): void {
    this.#report("bounded-time", `the stream had not ended ${this.#elapsed()}; it gave ${this.#soFar()}`)
    this.#watch.fire()
  }

  #elapsed(): string {
    return this.#abortedAt === undefined
      ? `in the ${this.#watch.deadlineMs} ms it was given`
      : `${Math.round(performance.now() - this.#abortedAt)} ms after the abort`
  }

  #soFar(): string {
    const last = this.#events.at(-1)
    return last === undefined ? "no event" : `${this.#events.length} events, the last a ${last.type}`
  }

  #silence(): Promise<typeof LATE> {
    return new Promise((resolve) => {
      this.#timers.push(setTimeout(resolve, Math.min(SILENCE_MS, this.#watch.deadlineMs), LATE))
    })
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
