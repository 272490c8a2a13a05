/**
 * Ids of tool calls for hosts that give none, and the way to tell them from ids that a host gave.
 *
 * Most Gemini hosts name a call by its position, the contract by an id that is unique in the transcript. What was
 * made up here is not sent back: a host that gave no id does not expect one.
 */

const PREFIX = "local_"

/** @returns `local_` and 24 random hexadecimal digits. */
export function createToolCallId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return PREFIX + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Whether the id was made by {@link createToolCallId}. */
export function isMadeUp(id: string): boolean {
  return id.startsWith(PREFIX)
}
