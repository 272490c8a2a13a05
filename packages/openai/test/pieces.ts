/** @returns the bytes in pieces of this size; the last may be shorter. */
export function inPiecesOf(size: number, bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}

/** @param borders In any order. */
export function cutAt(borders: readonly number[], bytes: Uint8Array): Uint8Array[] {
  const sorted = [0, ...borders, bytes.length].toSorted((one, other) => one - other)
  return sorted.slice(1).map((border, index) => bytes.subarray(sorted[index], border))
}
