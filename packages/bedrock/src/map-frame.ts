/**
 * Finds the events in what carries them: frames of the wire, or the objects that the SDK makes of them.
 *
 * Failures have a place of their own in either. What an event means is `map-event.ts`.
 */
import { protocolError, type StreamFailureError, toStreamFailureError } from "@heddle/provider-kit"
import type { EventMapper } from "./map-event.ts"
import type { Frame } from "./read-frames.ts"
import { isWireObject, type WireObject } from "./wire.ts"

const utf8 = new TextDecoder()

/** @throws {StreamFailureError} what the service reports, classified; `protocol` for what is not JSON. */
export function mapFrame({ headers, payload }: Frame, mapper: EventMapper): void {
  const { ":message-type": kind, ":event-type": type = "" } = headers
  if (kind === "exception") {
    throw toException(headers[":exception-type"] ?? "an exception", parse(payload) ?? utf8.decode(payload))
  }
  if (kind === "error") {
    throw toException(headers[":error-code"] ?? "an error", { message: headers[":error-message"] })
  }
  const event = parse(payload)
  if (event !== undefined) mapper.event(type, event)
  else if (headers[":content-type"] === "application/json") throw protocolError(NOT_JSON)
}

const NOT_JSON = "Bedrock sent an event that is not JSON"

function parse(payload: Uint8Array): unknown {
  if (payload.length === 0) return {}
  try {
    return JSON.parse(utf8.decode(payload))
  } catch {
    return undefined
  }
}

/** For a client that is a double. Each event is an object with one member: its type. */
export async function readEvents(
  events: AsyncIterable<unknown>,
  mapper: EventMapper,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of events) {
    if (signal.aborted) return
    if (isWireObject(event)) mapMembers(event, mapper)
  }
}

function mapMembers(event: WireObject, mapper: EventMapper): void {
  for (const [type, payload] of Object.entries(event)) {
    if (type.endsWith("Exception") && payload !== undefined) throw toException(type, payload)
    mapper.event(type, payload)
  }
}

/**
 * What the service reports in the middle of a stream, ready to be thrown.
 *
 * @param type For example `throttlingException`.
 * @param payload Its body, with a `message`.
 */
function toException(type: string, payload: unknown): StreamFailureError {
  return toStreamFailureError({ names: [type], body: payload, messages: [`Bedrock reported ${type}.`] })
}
