/**
 * Writes AWS event streams with what Node.js has on board, so that reader and writer share nothing.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
import { crc32 } from "node:zlib"

/** A header of type string. */
export function stringHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value)
  return rawHeader(name, 7, Buffer.concat([uint16(text.length), text]))
}

/** @param value As it goes over the wire, with its length where the type has one. */
export function rawHeader(name: string, type: number, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([type]), value])
}

/** One message. */
export function frame(headers: readonly Uint8Array[], payload: string | Uint8Array): Buffer {
  const head = Buffer.concat(headers)
  const body = Buffer.from(payload)
  const sizes = Buffer.concat([uint32(16 + head.length + body.length), uint32(head.length)])
  const guarded = Buffer.concat([sizes, uint32(crc32(sizes)), head, body])
  return Buffer.concat([guarded, uint32(crc32(guarded))])
}

/** An event as Bedrock sends it, with padding. */
export function event(type: string, payload: object | string): Buffer {
  const text = typeof payload === "string" ? payload : JSON.stringify({ ...payload, p: "abcdefgh" })
  return frame(
    [
      stringHeader(":event-type", type),
      stringHeader(":content-type", "application/json"),
      stringHeader(":message-type", "event"),
    ],
    text,
  )
}

/** A failure that the service reports inside the stream. */
export function exception(type: string, payload: object | string = {}): Buffer {
  return frame(
    [
      stringHeader(":exception-type", type),
      stringHeader(":content-type", "application/json"),
      stringHeader(":message-type", "exception"),
    ],
    typeof payload === "string" ? payload : JSON.stringify(payload),
  )
}

export const START: Buffer = event("messageStart", { role: "assistant" })

export function delta(index: number, fields: object): Buffer {
  return event("contentBlockDelta", { contentBlockIndex: index, delta: fields })
}

export function stop(reason = "end_turn"): Buffer {
  return event("messageStop", { stopReason: reason })
}

export const USAGE: Buffer = event("metadata", {
  usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
  metrics: { latencyMs: 1 },
})

/** The whole of a short answer: "Hello". */
export const HELLO: readonly Buffer[] = [
  START,
  delta(0, { text: "Hel" }),
  delta(0, { text: "lo" }),
  event("contentBlockStop", { contentBlockIndex: 0 }),
  stop(),
  USAGE,
]

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
