/** How Acme answers, for the fault server: events become bytes, refusals become Acme's error body. */
import type { Beat } from "@heddle/conformance"
import { sse, type Wire } from "@heddle/conformance/node"

export const acmeWire: Wire = {
  name: "Acme",
  contentType: "text/event-stream",
  encode: (beats) => {
    const inputs = new Map<number, string>()
    return beats.flatMap((beat) => encodeBeat(beat, inputs))
  },
  refuse: (_status, says) => ({ contentType: "application/json", body: JSON.stringify({ error: says }) }),
}

function encodeBeat(beat: Beat, inputs: Map<number, string>): Uint8Array[] {
  switch (beat.type) {
    case "delta": {
      const { block, delta } = beat
      if (block.kind === "text") return [sse({ text: delta })]
      inputs.set(block.number, (inputs.get(block.number) ?? "") + delta)
      return []
    }
    case "close": {
      const { kind, number, id, name } = beat.block
      const input = JSON.parse(inputs.get(number) || "{}")
      return kind === "toolCall" ? [sse({ call: { id, name, input } })] : []
    }
    case "stop":
      return [sse({ end: beat.reason === "length" ? "length" : "stop" })]
    case "unknownEvent":
      return [sse({ weather: "fine" })]
    case "garbage":
      return [sse('{"text": "Hel')]
    default:
      return [] // what Acme does not have, its capabilities do not claim
  }
}
