/**
 * The binary framing of AWS event streams.
 *
 * A message is: its length and its headers' length (4 bytes each, big-endian), a CRC-32 of those 8 bytes, the
 * headers, the payload, a CRC-32 of everything before it. A header is: length of the name (1 byte), name, type
 * of the value (1 byte, 7 for a string), length of the value (2 bytes), value.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
import { bytes } from "../wire.ts"

const STRING = 7

/** Length of everything but headers and payload: two lengths and two checksums. */
const OVERHEAD = 16

/** @returns one message of an event stream, with headers of type string. */
export function eventStreamMessage(
  headers: Readonly<Record<string, string>>,
  payload: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const encoded = Object.entries(headers).map(([name, value]) => ({ name: bytes(name), value: bytes(value) }))
  const headersLength = encoded.reduce((sum, { name, value }) => sum + 4 + name.length + value.length, 0)
  const message = new Uint8Array(OVERHEAD + headersLength + payload.length)
  const view = new DataView(message.buffer)
  view.setUint32(0, message.length)
  view.setUint32(4, headersLength)
  view.setUint32(8, crc32(message.subarray(0, 8)))
  let at = 12
  for (const { name, value } of encoded) {
    message[at] = name.length
    message.set(name, at + 1)
    at += 1 + name.length
    message[at] = STRING
    view.setUint16(at + 1, value.length)
    message.set(value, at + 3)
    at += 3 + value.length
  }
  message.set(payload, at)
  view.setUint32(message.length - 4, crc32(message.subarray(0, message.length - 4)))
  return message
}

/** @returns the CRC-32 (IEEE 802.3) of these bytes, as an unsigned number. */
export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of data) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc >>> 0
})
