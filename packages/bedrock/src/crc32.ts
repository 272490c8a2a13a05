const TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

/**
 * The CRC-32 of ISO 3309, which guards every part of an AWS event stream.
 *
 * @returns an unsigned 32-bit number.
 */
export function crc32(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff
  for (let index = from; index < to; index++) crc = TABLE[(crc ^ bytes[index]!) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}
