/**
 * Reads a recorded body the simplest way there is, to have something to compare the adapter with.
 *
 * It shares no code with it: it checks no sums, knows nothing of blocks, closes nothing, and adds up what it finds.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: recorded JSON has no type

export interface NaiveReading {
  readonly text: string
  readonly thinking: string
  /** Signatures and encrypted thinking, in their order. */
  readonly signatures: readonly string[]
  readonly citations: readonly unknown[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly stop: string | undefined
  readonly usage: any
}

export interface NaiveEvent {
  readonly type: string
  readonly payload: any
  /** Where it ends in the body. */
  readonly end: number
}

const EVENT_TYPE = ":event-type"

/** @returns the messages that are whole. */
export function eventsOf(body: Uint8Array): NaiveEvent[] {
  const bytes = Buffer.from(body)
  const events: NaiveEvent[] = []
  for (let at = 0; bytes.length - at >= 12; ) {
    const end = at + bytes.readUInt32BE(at)
    const payloadStart = at + 12 + bytes.readUInt32BE(at + 4)
    if (end > bytes.length) break
    const headers = bytes.toString("latin1", at + 12, payloadStart)
    const value = headers.indexOf(EVENT_TYPE) + EVENT_TYPE.length + 3 // type of the value, and its length
    const type = headers.slice(value, value + headers.charCodeAt(value - 1))
    events.push({ type, payload: JSON.parse(bytes.toString("utf8", payloadStart, end - 4)), end })
    at = end
  }
  return events
}

/** @param body The body, or the beginning of one. */
export function readNaively(body: Uint8Array): NaiveReading {
  let text = ""
  let thinking = ""
  let stop: string | undefined
  let usage: any
  const signatures: string[] = []
  const citations: unknown[] = []
  const calls = new Map<number, { id: string; name: string; input: string }>()
  for (const { payload } of eventsOf(body)) {
    stop = payload.stopReason ?? stop
    usage = payload.usage ?? usage
    const { contentBlockIndex: index, start, delta } = payload
    if (start?.toolUse) calls.set(index, { id: start.toolUse.toolUseId, name: start.toolUse.name, input: "" })
    if (!delta) continue
    text += delta.text ?? ""
    thinking += delta.reasoningContent?.text ?? ""
    signatures.push(
      ...[delta.reasoningContent?.signature, delta.reasoningContent?.redactedContent].filter(Boolean),
    )
    if (delta.citation) citations.push(delta.citation)
    if (delta.toolUse) calls.get(index)!.input += delta.toolUse.input
  }
  return { text, thinking, signatures, citations, calls: [...calls.values()], stop, usage }
}
