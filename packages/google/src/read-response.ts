/**
 * Reads a response to its end, chunk by chunk.
 *
 * Google ends a stream that fails with the error in JSON, bare, behind the events: to an event stream's parser
 * those lines mean nothing. So the last bytes of the body are kept, and looked at when it has ended.
 */
import {
  type ByteStream,
  isWireObject,
  readSse,
  type StreamFailureError,
  toStreamFailureError,
} from "@heddle/provider-kit"
import { FAILURE_RULES } from "./failure-rules.ts"
import type { GeminiResponse } from "./send.ts"

/** Longer than any error that has been seen. Bytes. */
const TAIL = 8192

/** Begins a line, which the events never do: theirs begin with `data:`. */
const BARE_ERROR = /(?:^|[\r\n])\s*(\[?\s*\{\s*"error"\s*:[\s\S]*)$/

/**
 * Resolves when the body has ended, or when the signal fired; the body is closed then.
 *
 * @returns the error that stood bare at the end of the body.
 * @throws whatever the connection throws when it drops, and what `onChunk` throws.
 */
export async function readResponse(
  response: GeminiResponse,
  signal: AbortSignal,
  onChunk: (chunk: unknown) => void,
): Promise<StreamFailureError | undefined> {
  if ("chunks" in response) {
    for await (const chunk of response.chunks) {
      if (signal.aborted) return undefined
      onChunk(chunk)
    }
    return undefined
  }
  const tail = new Tail()
  await readSse(response.body && tail.watch(response.body), {
    signal,
    onEvent: (data) => onChunk(data),
    failureRules: FAILURE_RULES,
  })
  return tail.error()
}

/** Keeps the end of what passes. */
class Tail {
  #bytes = new Uint8Array()

  watch(body: ByteStream): ByteStream {
    if (!("getReader" in body)) return body // a replacement's; it has no bare errors
    const reader = body.getReader()
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const { done, value } = await reader.read()
          if (done) return { done: true as const, value: undefined }
          this.#keep(value)
          return { done: false as const, value }
        },
        return: async () => {
          await reader.cancel()
          return { done: true as const, value: undefined }
        },
      }),
    }
  }

  error(): StreamFailureError | undefined {
    const bare = BARE_ERROR.exec(new TextDecoder().decode(this.#bytes))?.[1]
    const parsed = bare === undefined ? undefined : parse(bare)
    const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    return isWireObject(body) ? toStreamFailureError({ body }, FAILURE_RULES) : undefined
  }

  #keep(bytes: Uint8Array): void {
    const kept = Math.min(this.#bytes.length, Math.max(0, TAIL - bytes.length))
    const tail = new Uint8Array(kept + Math.min(bytes.length, TAIL))
    tail.set(this.#bytes.subarray(this.#bytes.length - kept))
    tail.set(bytes.subarray(-TAIL), kept)
    this.#bytes = tail
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
