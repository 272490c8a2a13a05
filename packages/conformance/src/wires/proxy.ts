/** The wire between `@heddle/proxy-server` and `@heddle/proxy-client`. */
import type { ProxyAssistantMessageEvent, StreamFailure, Usage } from "@heddle/types"
import type { Beat, BeatBlock } from "../beat.ts"
import { bytes, stopOf, usageOf, type Wire } from "../wire.ts"

/** Heddle's own wire. Usage comes with the terminal event only. */
export const proxyWire: Wire = {
  name: "Heddle proxy",
  contentType: "text/event-stream",
  encode: (beats) => {
    const usage = toUsage(beats)
    const stop = stopOf(beats)
    const signatures = new Map(
      beats.flatMap((beat) =>
        beat.type === "signature" ? [[beat.block.number, beat.signature] as const] : [],
      ),
    )
    const events: (ProxyAssistantMessageEvent | string)[] = [
      { type: "start" },
      ...beats.flatMap((beat) => encodeBeat(beat, usage, signatures)),
    ]
    if (stop === "filter") {
      events.push(failed({ code: "content_filter", retryable: false }, "The model refuses to answer", usage))
    } else if (stop) events.push({ type: "done", reason: stop, usage })
    return events.map((event, id) =>
      bytes(`id: ${id}\ndata: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`),
    )
  },
  refuse: (_status, says) => ({
    contentType: "application/json",
    body: JSON.stringify({ error: { message: says } }),
  }),
}

function encodeBeat(
  beat: Beat,
  usage: Usage,
  signatures: ReadonlyMap<number, string>,
): (ProxyAssistantMessageEvent | string)[] {
  switch (beat.type) {
    case "open":
      return [open(beat.block)]
    case "delta":
      return beat.block.kind === "opaque" || beat.block.kind === "redacted"
        ? []
        : [{ type: DELTA[beat.block.kind], contentIndex: beat.block.number, delta: beat.delta }]
    case "close":
      return [close(beat.block, signatures.get(beat.block.number))]
    case "overloaded":
      return [failed({ code: "overloaded", retryable: true }, "Overloaded", usage)]
    case "unknownEvent":
      return ['{"type":"future_event","future":[1]}']
    case "garbage":
      return ['{"type":"text_del']
    default:
      return []
  }
}

const DELTA = { text: "text_delta", thinking: "thinking_delta", toolCall: "toolcall_delta" } as const

function open({ kind, number: contentIndex, id = "", name = "" }: BeatBlock): ProxyAssistantMessageEvent {
  if (kind === "toolCall") return { type: "toolcall_start", contentIndex, id, toolName: name }
  if (kind === "opaque") return { type: "opaque_start", contentIndex }
  return { type: kind === "text" ? "text_start" : "thinking_start", contentIndex }
}

/** Signatures have no event of their own: the end of the block carries them. */
function close(
  { kind, number: contentIndex }: BeatBlock,
  signature: string | undefined,
): ProxyAssistantMessageEvent {
  if (kind === "toolCall") return { type: "toolcall_end", contentIndex }
  if (kind === "opaque") {
    const content = { type: "opaque", kind: "server_tool", data: { done: true } } as const
    return { type: "opaque_end", contentIndex, content }
  }
  return {
    type: kind === "text" ? "text_end" : "thinking_end",
    contentIndex,
    ...(signature !== undefined && { contentSignature: signature }),
    ...(kind === "redacted" && { redacted: true }),
  }
}

function failed(failure: StreamFailure, errorMessage: string, usage: Usage): ProxyAssistantMessageEvent {
  return { type: "error", reason: "error", errorMessage, failure, usage }
}

function toUsage(beats: readonly Beat[]): Usage {
  const { input, output, cacheRead } = usageOf(beats)
  return {
    input,
    output,
    cacheRead,
    cacheWrite: 0,
    totalTokens: input + output + cacheRead,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  }
}
