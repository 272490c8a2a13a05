/** What a vendor's wire is to the fault server: beats become events, refusals become error bodies. */
import type { Beat } from "./beat.ts"

/** The body of an HTTP error, as the vendor writes it. */
export interface RefusalBody {
  readonly contentType: string
  readonly body: string
  /** Beside the retry headers, which the server adds. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * One vendor's wire. Pure: it turns a reply into bytes, and the fault server decides when they travel.
 *
 * Write one to test an adapter for a wire that is not here.
 */
export interface Wire {
  /** For people. */
  readonly name: string
  /** Of a streamed reply. */
  readonly contentType: string
  /**
   * @param beats Without faults of the connection. Where they hold no `stop`, the events end in the middle.
   * @returns one entry per event of the wire.
   */
  readonly encode: (beats: readonly Beat[]) => Uint8Array[]
  /** @param says What the vendor tells people. */
  readonly refuse: (status: number, says: string, retryAfterMs: number | undefined) => RefusalBody
}

/** The parts of a reply that happen on the wire, not to the connection. */
export type WireBeat = Exclude<Beat, { type: "stall" | "cut" }>

const encoder = new TextEncoder()

/** @returns the bytes of a text. */
export function bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** @returns one event of a `text/event-stream`, with the name where it has one. */
export function sse(data: unknown, event?: string): Uint8Array {
  const name = event === undefined ? "" : `event: ${event}\n`
  return bytes(`${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`)
}

/** @returns the tokens that the reply reports; zeros where it reports none. */
export function usageOf(beats: readonly Beat[]): { input: number; output: number; cacheRead: number } {
  const found = beats.find((beat) => beat.type === "usage")
  return { cacheRead: 0, ...(found?.type === "usage" ? found.usage : { input: 0, output: 0 }) }
}

/** @returns why the model stopped; undefined where the reply ends in the middle. */
export function stopOf(beats: readonly Beat[]): "stop" | "length" | "toolUse" | "filter" | undefined {
  const found = beats.find((beat) => beat.type === "stop")
  return found?.type === "stop" ? found.reason : undefined
}
