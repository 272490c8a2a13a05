/**
 * Reads a response to its end, chunk by chunk.
 *
 * Google ends a stream that fails with the error in JSON, bare, behind the events: to an event stream's parser
 * those lines mean nothing. So the last of the body is kept, and looked at when it has ended.
 */
import { isWireObject, readSse, type StreamFailureError, toStreamFailureError } from "@heddle/provider-kit"
import { FAILURE_RULES } from "./failure-rules.ts"
import type { GeminiResponse } from "./send.ts"

/** Longer than any error that has been seen. At least so many characters are kept. */
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
  await readSse(response.body, {
    signal,
    onEvent: (data) => onChunk(data),
    onText: (text) => tail.keep(text),
    failureRules: FAILURE_RULES,
  })
  return tail.error()
}

/** Keeps the end of what passes, in the pieces in which it comes. */
class Tail {
  readonly #pieces: string[] = []
  #length = 0

  keep(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
    for (;;) {
      const rest = this.#length - (this.#pieces[0]?.length ?? 0)
      if (rest < TAIL) return
      this.#pieces.shift()
      this.#length = rest
    }
  }

  error(): StreamFailureError | undefined {
    const bare = BARE_ERROR.exec(this.#pieces.join(""))?.[1]
    const parsed = bare === undefined ? undefined : parse(bare)
    const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    return isWireObject(body) ? toStreamFailureError({ body }, FAILURE_RULES) : undefined
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
