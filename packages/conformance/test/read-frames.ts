/** Reads AWS event streams, with the checksums of zlib: independent of what wrote them. */
import { crc32 } from "node:zlib"

export interface Frame {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** @throws when a length or a checksum is wrong. */
export function readFrames(stream: Uint8Array): Frame[] {
  const frames: Frame[] = []
  for (let from = 0; from < stream.length; ) {
    const view = new DataView(stream.buffer, stream.byteOffset + from)
    const length = view.getUint32(0)
    const bytes = stream.subarray(from, from + length)
    if (bytes.length !== length) throw new Error("The stream ends inside a frame")
    if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8)) throw new Error("The prelude checksum is wrong")
    if (crc32(bytes.subarray(0, length - 4)) !== view.getUint32(length - 4)) {
      throw new Error("The message checksum is wrong")
    }
    const headersEnd = 12 + view.getUint32(4)
    const payload = new TextDecoder().decode(bytes.subarray(headersEnd, length - 4))
    frames.push({ headers: readHeaders(bytes.subarray(12, headersEnd)), payload })
    from += length
  }
  return frames
}

function readHeaders(bytes: Uint8Array): Record<string, string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const headers: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + view.getUint8(at)
    const name = new TextDecoder().decode(bytes.subarray(at + 1, nameEnd))
    if (view.getUint8(nameEnd) !== 7) throw new Error(`The header ${name} is no string`)
    const valueEnd = nameEnd + 3 + view.getUint16(nameEnd + 1)
    headers[name] = new TextDecoder().decode(bytes.subarray(nameEnd + 3, valueEnd))
    at = valueEnd
  }
  return headers
}
