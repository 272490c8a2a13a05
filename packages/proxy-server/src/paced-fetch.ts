/**
 * Makes a fetch whose response bodies wait.
 *
 * What an adapter reads it turns into events at once, so the place to slow a vendor down is the body it reads.
 */

/** @param room What to wait for before more of a body is read; undefined: nothing. */
export function pacedFetch(
  fetch: typeof globalThis.fetch,
  room: () => Promise<void> | undefined,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await room()
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
    const paced = new Response(body, response)
    Object.defineProperty(paced, "url", { value: response.url })
    return paced
  }
}
