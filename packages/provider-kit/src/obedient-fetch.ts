/**
 * Makes a fetch that always stops when it is told to.
 *
 * A fetch that ignores its signal (a wrapper, a polyfill, a mock) would keep the SDK that called it waiting,
 * with its timers, and the process with them. What such a fetch does later is its own business; a response
 * that comes too late is closed unread.
 */

/**
 * @param signal Rejects every pending call with its reason.
 * @param onSettled Told what a call rejected with, before the signal fired; undefined when it did not.
 * @param dropped Names of headers, in lower case, that no request may carry, whoever added them.
 */
export function obedientFetch(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  onSettled: (error: unknown) => void = () => {},
  dropped: readonly string[] = [],
): typeof globalThis.fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener("abort", stop, { once: true })
      const settle = (settled: () => void): void => {
        signal.removeEventListener("abort", stop)
        settled()
      }
      // Called inside a promise chain so that a fetch that throws rejects like any other.
      Promise.resolve()
        .then(() => fetch(input, withoutHeaders(init, dropped)))
        .then(
          (response) => {
            if (signal.aborted) void response.body?.cancel?.().catch(() => {})
            else onSettled(undefined)
            settle(() => resolve(response))
          },
          (error: unknown) => {
            if (!signal.aborted) onSettled(error)
            settle(() => reject(error))
          },
        )
    })
}

function withoutHeaders(init: RequestInit | undefined, dropped: readonly string[]): RequestInit | undefined {
  if (!init?.headers || dropped.length === 0) return init
  const headers = new Headers(init.headers)
  for (const name of dropped) headers.delete(name)
  return { ...init, headers }
}
