import type { ReplyPart } from "./script.ts"

/** Numbers the calls of a script, so that the same script makes the same ids: `call_1`, `call_2`, … */
export class ToolCallIds {
  readonly #taken = new Set<string>()
  #count = 0

  /** The ids stated in these parts are given to no other call. */
  reserve(parts: readonly ReplyPart[]): void {
    for (const part of parts) if (part.type === "callTool" && part.id !== undefined) this.#taken.add(part.id)
  }

  next(): string {
    let id: string
    do id = `call_${++this.#count}`
    while (this.#taken.has(id))
    return id
  }
}
