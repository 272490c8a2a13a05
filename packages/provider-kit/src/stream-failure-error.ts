import type { StreamFailure } from "@heddle/types"

/**
 * Thrown inside an adapter to end its stream: by a mapping that met a vendor's error event, by a reader whose
 * body broke off.
 *
 * It never leaves the adapter: `defineAdapter` turns it into the stream's `error` event, or into another try
 * when nothing has been delivered yet.
 */
export class StreamFailureError extends Error {
  override readonly name = "StreamFailureError"
  /** Stable across versions and realms. */
  readonly code = "STREAM_FAILURE"
  readonly failure: StreamFailure

  constructor(failure: StreamFailure, message: string) {
    super(message)
    this.failure = failure
  }
}

/**
 * The other side broke the rules of its wire.
 *
 * @param message What was seen, without the payload.
 */
export function protocolError(message: string): StreamFailureError {
  return new StreamFailureError({ code: "protocol", retryable: true }, message)
}
