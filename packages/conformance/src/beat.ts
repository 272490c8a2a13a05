/**
 * The steps of a reply, taken apart into the events that a wire has: blocks that open, grow and close.
 *
 * Every encoder works on beats, so none of them has to know how a text is cut into pieces or how the deltas
 * of parallel calls alternate.
 */
import type { Step } from "./scenario.ts"

/** What kind of block a beat is about. */
export type BlockKind = "text" | "thinking" | "redacted" | "toolCall" | "opaque"

/** A block of a reply. `number` counts blocks from 0, in the order they open. */
export interface BeatBlock {
  readonly number: number
  readonly kind: BlockKind
  /** Of a tool call. */
  readonly id?: string
  /** Of a tool call. */
  readonly name?: string
}

/** The smallest thing that happens in a reply. */
export type Beat =
  | { readonly type: "open"; readonly block: BeatBlock }
  | { readonly type: "delta"; readonly block: BeatBlock; readonly delta: string }
  /** For redacted thinking the signature is the payload. */
  | { readonly type: "signature"; readonly block: BeatBlock; readonly signature: string }
  | { readonly type: "close"; readonly block: BeatBlock }
  | Exclude<Step, { type: "say" | "think" | "callTools" | "opaque" }>

/** @returns the steps as beats. */
export function toBeats(steps: readonly Step[]): Beat[] {
  let opened = 0
  return steps.flatMap((step): Beat[] => {
    switch (step.type) {
      case "say":
        return single({ number: opened++, kind: "text" }, pieces(step.text, step.pieces), step)
      case "think": {
        const block = { number: opened++, kind: step.redacted ? "redacted" : "thinking" } as const
        return single(block, pieces(step.text, step.pieces), step)
      }
      case "callTools": {
        const lanes = step.calls.map(({ id, name, arguments: args }) => {
          const text = typeof args === "string" ? args : JSON.stringify(args)
          const block: BeatBlock = { number: opened++, kind: "toolCall", id, name }
          return single(block, pieces(text, step.pieces), step)
        })
        return step.interleaved ? alternate(lanes) : lanes.flat()
      }
      case "opaque":
        return single({ number: opened++, kind: "opaque" }, [], {})
      default:
        return [step]
    }
  })
}

function single(
  block: BeatBlock,
  deltas: readonly string[],
  step: { readonly open?: boolean; readonly signature?: string },
): Beat[] {
  const beats: Beat[] = [{ type: "open", block }]
  for (const delta of deltas) beats.push({ type: "delta", block, delta })
  if (step.signature !== undefined) beats.push({ type: "signature", block, signature: step.signature })
  if (!step.open) beats.push({ type: "close", block })
  return beats
}

/** @returns a text in so many pieces of about equal length, never inside a surrogate pair; none for "". */
export function pieces(text: string, count = 1): string[] {
  if (count <= 1) return text === "" ? [] : [text]
  const size = Math.max(1, Math.ceil(text.length / count))
  const cut: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + size, text.length)
    const last = text.charCodeAt(to - 1)
    if (last >= 0xd800 && last <= 0xdbff && to < text.length) to++
    cut.push(text.slice(from, to))
    from = to
  }
  return cut
}

/**
 * @returns the first of each lane, then the second of each, and so on; the ends last and in order, so that a
 * wire whose calls come whole has them in order too.
 */
function alternate(lanes: readonly (readonly Beat[])[]): Beat[] {
  const longest = Math.max(...lanes.map(({ length }) => length))
  const beats: Beat[] = []
  for (let at = 0; at < longest; at++) {
    for (const lane of lanes) {
      const beat = lane[at]
      if (beat && beat.type !== "close") beats.push(beat)
    }
  }
  return beats.concat(lanes.flatMap((lane) => lane.filter(({ type }) => type === "close")))
}
