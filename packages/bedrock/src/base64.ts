/**
 * Turns base64 into bytes and back, in browsers, workers and Node.js alike.
 *
 * The SDK takes bytes where the wire and our messages have base64: pictures, and thinking that is encrypted.
 */

/** Few enough to be the parameters of one call. */
const CHUNK = 8192

/** @returns undefined for what is not base64. */
export function toBytes(base64: string): Uint8Array | undefined {
  let binary: string
  try {
    binary = atob(base64)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

export function toBase64(bytes: Uint8Array): string {
  let binary = ""
  for (let from = 0; from < bytes.length; from += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(from, from + CHUNK))
  }
  return btoa(binary)
}

/** @returns the base64 of what two pieces of base64 stand for, one after the other. */
export function joinBase64(head: string, tail: string): string {
  if (head === "" || tail === "") return head + tail
  const [first, second] = [toBytes(head), toBytes(tail)]
  if (!first || !second) return head
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return toBase64(joined)
}
