/**
 * Reads the body of a request as JSON, no further than its limits.
 *
 * Everything is refused as early as it can be: by the headers, then while bytes arrive, then by what they say. A
 * body that is refused is not read on.
 */
import { busy, Refused } from "./refused.ts"

/** How much may be read, and how slowly. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  /** For all bodies of one reader together. */
  readonly maxPendingBodyBytes: number
}

/** Reads bodies; knows how much of all of them is in memory. */
export class BodyReader {
  readonly #limits: BodyLimits
  #pendingBytes = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** @throws {Refused} 400, 408, 413, 415 or 503. */
  async readJson(request: Request): Promise<unknown> {
    const { maxBodyBytes } = this.#limits
    const type = request.headers.get("content-type") ?? ""
    if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
      throw new Refused(415, "unsupported_media_type", "The content type must be application/json")
    }
    const encoding = request.headers.get("content-encoding") ?? "identity"
    if (!/^\s*identity\s*$/i.test(encoding)) {
      throw new Refused(415, "unsupported_media_type", "The body must not be compressed")
    }
    if (Number(request.headers.get("content-length")) > maxBodyBytes) throw tooLarge(maxBodyBytes)
    return parse(await this.#read(request))
  }

  async #read({ body }: Request): Promise<string> {
    if (!body) return ""
    const { maxBodyBytes, maxPendingBodyBytes, bodyTimeoutMs } = this.#limits
    const reader = body.getReader()
    const decoder = new TextDecoder("utf-8", { fatal: true })
    let bytes = 0
    let text = ""
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      void reader.cancel().catch(() => {})
    }, bodyTimeoutMs)
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw new Refused(400, "invalid_request", "The body broke off")
        })
        if (isLate) throw new Refused(408, "timeout", `The body did not arrive within ${bodyTimeoutMs} ms`)
        bytes += value?.byteLength ?? 0
        this.#pendingBytes += value?.byteLength ?? 0
        if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes)
        if (this.#pendingBytes > maxPendingBodyBytes) throw busy("Too many requests are being read")
        text += decode(decoder, value, done)
        if (done) return text
      }
    } finally {
      clearTimeout(timer)
      this.#pendingBytes -= bytes
      void reader.cancel().catch(() => {})
    }
  }
}

function decode(decoder: TextDecoder, value: Uint8Array | undefined, done: boolean): string {
  try {
    return decoder.decode(value, { stream: !done })
  } catch {
    throw new Refused(400, "invalid_request", "The body is not UTF-8")
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The runtime's own message quotes the body.
    throw new Refused(400, "invalid_request", "The body is not JSON")
  }
}

function tooLarge(maxBodyBytes: number): Refused {
  return new Refused(413, "body_too_large", `The body is larger than ${maxBodyBytes} bytes`)
}
