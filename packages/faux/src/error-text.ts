/** @returns what a thrown value says: also an error of another realm, and one that cannot be read. */
export function errorText(error: unknown): string {
  try {
    const message = (error as Partial<Error> | null | undefined)?.message
    return typeof message === "string" ? message : String(error)
  } catch {
    return "an error without a message"
  }
}
