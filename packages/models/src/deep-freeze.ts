/** Freezes plain data and all that is in it. @returns the same object. */
export function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner)
  }
  return Object.freeze(value)
}
