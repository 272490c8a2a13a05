/**
 * One try of a request: its signal, and the time its response has to begin.
 *
 * Nobody may be waited for longer than allowed, obedient or not, and nothing may stay behind: neither a timer
 * nor a listener.
 */
import { StreamFailureError } from "./stream-failure-error.ts"

/** See the head of this file. */
export interface Attempt {
  /** Fires with the parent and when the time is up. */
  readonly signal: AbortSignal
  /**
   * Waits for a response to begin.
   *
   * @param discard Gets a response that comes when nobody waits for it any more.
   * @throws {StreamFailureError} `timeout` when the time is up; whatever `sent` rejects with.
   */
  begin<T>(sent: Promise<T>, discard: (late: T) => void): Promise<T>
  /** Stops the request and closes what there is of its response. */
  cancel(): void
  /** Lets go of the parent. */
  release(): void
}

/** @param timeoutMs Milliseconds until the response must have begun; absent or not positive: no limit. */
export function startAttempt(parent: AbortSignal, timeoutMs: number | undefined): Attempt {
  const controller = new AbortController()
  const forward = (): void => controller.abort(parent.reason)
  if (parent.aborted) forward()
  else parent.addEventListener("abort", forward, { once: true })
  return {
    signal: controller.signal,
    begin: (sent, discard) => begin(sent, discard, controller, timeoutMs),
    cancel: () => controller.abort(),
    release: () => parent.removeEventListener("abort", forward),
  }
}

function begin<T>(
  sent: Promise<T>,
  discard: (late: T) => void,
  controller: AbortController,
  timeoutMs: number | undefined,
): Promise<T> {
  const { signal } = controller
  return new Promise((resolve, reject) => {
    let waiting = true
    const settle = (settled: () => void): void => {
      waiting = false
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      settled()
    }
    const stop = (): void => settle(() => reject(signal.reason))
    const expire = (): void => {
      settle(() => reject(timeoutError(timeoutMs)))
      controller.abort(timeoutError(timeoutMs))
    }
    const hasLimit = timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < 2 ** 31
    const timer = hasLimit ? setTimeout(expire, timeoutMs) : undefined
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
    sent.then(
      (response) => (waiting ? settle(() => resolve(response)) : discard(response)),
      (error: unknown) => waiting && settle(() => reject(error)),
    )
  })
}

function timeoutError(timeoutMs: number | undefined): StreamFailureError {
  return new StreamFailureError(
    { code: "timeout", retryable: true },
    `The response did not begin within ${timeoutMs} ms.`,
  )
}
