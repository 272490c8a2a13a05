/**
 * Reads the events of one response of the proxy.
 *
 * Chunks go straight from the body's reader through one decoder into a callback parser: no pipes and no `await`
 * per event. It knows framing only; what an event says is the caller's.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { networkFailureOf, ProxyFailure } from "./proxy-failure.ts"
import { readText } from "./read-text.ts"

/** In characters. A generated picture takes a tenth of it. */
const LONGEST_EVENT = 128 * 1024 * 1024

/**
 * @param onText Bytes have come, heartbeats included.
 * @param onEvent Gets every event. The one at the very end may be cut: `isRest`.
 * @returns why there is no more to read, for the case that the answer is not complete. Never rejects.
 */
export async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onText: () => void,
  onEvent: (event: EventSourceMessage, isRest: boolean) => void,
): Promise<ProxyFailure> {
  let isRest = false
  const parser = createParser({ maxBufferSize: LONGEST_EVENT, onEvent: (event) => onEvent(event, isRest) })
  try {
    await readText(reader, (text) => {
      onText()
      parser.feed(text)
    })
    isRest = true
    // The last line may lack its end, and the last event its blank line.
    parser.feed("\n\n")
    return new ProxyFailure("protocol", "The proxy's stream ended without a done or error event")
  } catch (error) {
    return networkFailureOf(error)
  }
}
