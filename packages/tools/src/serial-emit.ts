import { isPromiseLike } from "./plain-data.ts"

/** Takes one event. A promise holds back the next one until it has settled. */
export type Emit<TEvent> = (event: TEvent) => void | Promise<void>

/**
 * Calls `emit` for one event at a time, in the order given, whoever calls: parallel tools, their progress
 * reports, or `emit` itself.
 *
 * The returned function never throws and its promises never reject; each failure of `emit` goes to `onError`
 * and the next event is delivered all the same. It returns `undefined` for an event that was delivered at
 * once, so that a caller has something to await only where there is something to wait for.
 */
export function serialEmit<TEvent>(emit: Emit<TEvent>, onError: (error: unknown) => void): Emit<TEvent> {
  /** The last delivery that has not settled; every new event waits behind it. */
  let tail: Promise<void> | undefined
  /** True inside a synchronous call of `emit`, and `leave` is there when that call emitted in turn. */
  let inside = false
  let leave: ((pending: Promise<void> | undefined) => void) | undefined

  function deliver(event: TEvent): Promise<void> | undefined {
    try {
      const result: unknown = emit(event)
      return isPromiseLike(result) ? Promise.resolve(result).then(() => {}, onError) : undefined
    } catch (error) {
      onError(error)
      return undefined
    }
  }

  function queue(delivery: Promise<void>): Promise<void> {
    tail = delivery
    void delivery.then(() => {
      if (tail === delivery) tail = undefined
    })
    return delivery
  }

  return (event) => {
    if (tail) return queue(tail.then(() => deliver(event)))
    if (inside) {
      const outer = new Promise<void>((resolve) => {
        leave = (pending) => resolve(pending)
      })
      return queue(outer.then(() => deliver(event)))
    }
    inside = true
    const pending = deliver(event)
    inside = false
    if (leave) {
      leave(pending)
      leave = undefined
      return pending
    }
    return pending && queue(pending)
  }
}
