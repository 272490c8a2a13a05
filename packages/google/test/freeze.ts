/** Freezes plain data and everything in it, so that a write to it throws. Schemas of libraries are left alone. */
export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && isPlain(value) && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

function isPlain(value: object): boolean {
  return (
    Array.isArray(value) || (Object.getPrototypeOf(value) === Object.prototype && !("~standard" in value))
  )
}
