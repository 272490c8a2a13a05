/**
 * A request that is turned away, and what its client is told.
 *
 * The body is `{ "error": message, "code": word }`: clients of the original wire show `error` as it is.
 */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }

  toResponse(): Response {
    const body = JSON.stringify({ error: this.message, code: this.code })
    return new Response(body, {
      status: this.status,
      headers: { "content-type": "application/json", "cache-control": "no-store", ...this.headers },
    })
  }
}

/** Too much is going on right now. */
export function busy(message: string): Refused {
  return new Refused(503, "overloaded", message, { "retry-after": "1" })
}
