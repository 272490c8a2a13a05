/**
 * Waits. Resolves, and never rejects, after so many milliseconds or as soon as the signal fires; nothing of
 * it is left behind then.
 */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** {@link Sleep} by the global timer, which tests can fake. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    signal.addEventListener("abort", wake)
  })
}

/** @returns what the value settles with, or undefined when the signal fires first. */
export function unlessFired<T>(
  value: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(undefined)
    const settled = Promise.resolve(value).finally(() => signal?.removeEventListener("abort", give))
    settled.then(resolve, reject)
    if (signal?.aborted) give()
    else signal?.addEventListener("abort", give)
  })
}

/** Resolves when the signal has fired. */
export async function fired(signal: AbortSignal): Promise<void> {
  await unlessFired(new Promise(() => {}), signal)
}
