import type { AgentEvent } from "@heddle/types"

/**
 * Hears every event of an agent.
 *
 * @param signal The run's signal: it fires on `abort()`.
 */
export type AgentListener = (event: AgentEvent, signal: AbortSignal) => void | Promise<void>

/** What listeners are told about the run, and what they may do to it. */
export interface ListenedRun {
  readonly signal: AbortSignal
  /** What the first listener that failed threw. A run that has one is to end. */
  failure?: { readonly error: unknown }
}

interface Subscription {
  /** Gone once unsubscribed. */
  listener: AgentListener | undefined
}

/**
 * Listeners in the order they came, called for one event at a time.
 *
 * A listener added while an event is being delivered gets the next one first; a removed one gets nothing
 * more. The same function added twice is two listeners.
 */
export class Listeners {
  #subscriptions: readonly Subscription[] = []

  /** @returns removes the listener; calling it again does nothing. */
  add(listener: AgentListener): () => void {
    const subscription: Subscription = { listener }
    this.#subscriptions = [...this.#subscriptions, subscription]
    return () => {
      subscription.listener = undefined
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription)
    }
  }

  /**
   * Calls each listener when the one before it has settled. All are called, whatever they do; then it throws
   * what the first that ever failed in this run threw.
   *
   * @returns a promise only where a listener returned one.
   */
  callInTurn(event: AgentEvent, run: ListenedRun): Promise<void> | undefined {
    const failed = (error: unknown): void => {
      run.failure ??= { error }
    }
    let pending: Promise<void> | undefined
    for (const subscription of this.#subscriptions) {
      const call = () => subscription.listener?.(event, run.signal)
      pending = pending ? pending.then(() => callAside(call, failed)) : callAside(call, failed)
    }
    if (pending) return pending.then(() => throwFailure(run))
    throwFailure(run)
    return undefined
  }

  /** Calls each listener and waits for none. */
  notify(event: AgentEvent, signal: AbortSignal, onError: (error: unknown, event: AgentEvent) => void): void {
    for (const subscription of this.#subscriptions) {
      callAside(
        () => subscription.listener?.(event, signal),
        (error) => onError(error, event),
      )
    }
  }
}

function throwFailure({ failure }: ListenedRun): void {
  if (failure) throw failure.error
}

/**
 * Calls something whose failure, now or later, goes to `onError` and nowhere else.
 *
 * @param onError Must not throw.
 * @returns a promise only where the call gave one. It never rejects.
 */
export function callAside(call: () => unknown, onError: (error: unknown) => void): Promise<void> | undefined {
  try {
    const result = call()
    return isPromiseLike(result) ? Promise.resolve(result).then(() => {}, onError) : undefined
  } catch (error) {
    onError(error)
    return undefined
  }
}

export function isPromiseLike<T>(value: T): value is T & PromiseLike<Awaited<T>> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function"
}
