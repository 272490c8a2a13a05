/**
 * How often, and when, a dropped connection is taken up again.
 *
 * The server keeps a stream for about ten seconds. Waits are random, so that clients that were dropped together
 * do not come back together, and all of them fit into that time.
 */

const FIRST_WAIT_MS = 250

/** A connection that always drops after a little progress is given up in the end, too. */
const TOTAL_PER_ROW = 10

/** Decides about the next try. Called with true when a new event has come since the last one. */
export type Reconnects = (progress: boolean) => number | undefined

/**
 * @param most Tries in a row, without a new event in between.
 * @returns milliseconds to wait before each try; undefined: give up.
 */
export function countReconnects(most: number): Reconnects {
  let inARow = 0
  let total = 0
  return (progress) => {
    if (progress) inARow = 0
    return inARow < most && total++ < most * TOTAL_PER_ROW
      ? Math.random() * FIRST_WAIT_MS * 2 ** inARow++
      : undefined
  }
}

/** Whether a refusal to take a stream up again will not change. */
export function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Waits. Resolves early, without a timer left behind, when the signal fires. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener("abort", finish)
  })
}
