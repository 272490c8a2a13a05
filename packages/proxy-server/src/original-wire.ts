/**
 * Says an answer to clients that were written before the protocol had a number.
 *
 * They put a block where its index says, and know no blocks of a vendor's own: those are left out, and the others
 * close up. Everything else is either as it always was, or a field more, which they do not look at.
 */
import type { ProxyAssistantMessageEvent } from "@heddle/types"

/** @returns what makes of each event of one stream, in their order, the one for such a client; undefined: none. */
export function createOriginalWire(): (
  event: ProxyAssistantMessageEvent,
) => ProxyAssistantMessageEvent | undefined {
  const leftOut: number[] = []
  return (event) => {
    if (event.type === "opaque_start") leftOut.push(event.contentIndex)
    if (event.type === "opaque_start" || event.type === "opaque_end") return undefined
    if (leftOut.length === 0 || !("contentIndex" in event)) return event
    const before = leftOut.filter((index) => index < event.contentIndex).length
    return { ...event, contentIndex: event.contentIndex - before }
  }
}
