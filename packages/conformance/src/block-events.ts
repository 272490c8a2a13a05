/**
 * What the events of one content block say against each other: deltas, snapshots and the end.
 *
 * It does not decide whether an event may come at all; see `grammar.ts`.
 */
import { difference, isObject, show } from "./difference.ts"
import { parseArguments } from "./fold.ts"
import { checkBlock } from "./message-shape.ts"
import type { Rule } from "./violation.ts"

/** What is known of a block while its events are read. */
export interface BlockState {
  readonly index: number
  readonly kind: "text" | "thinking" | "toolCall" | "opaque"
  /** What its deltas add up to. */
  text: string
  closed: boolean
  /** At this length of {@link text} the snapshot is compared as a whole again. */
  compareAt: number
  /** Arguments that snapshots showed on the way. */
  readonly shown: unknown[]
}

type Report = (rule: Rule, says: string) => void

/** Checks the snapshot of a block that was opened or has grown. */
export function checkGrowth(block: BlockState, shown: unknown, phase: string, report: Report): void {
  if (!checkKind(block, shown, report)) return
  const sample = phase === "delta" && block.text.length >= block.compareAt
  if (sample) block.compareAt = 2 * block.text.length
  if (block.kind === "toolCall") {
    const { arguments: args } = shown
    if (!isObject(args) || Array.isArray(args)) {
      report("snapshot", `partial.content[${block.index}].arguments is ${show(args)}, no JSON object`)
    } else if (sample) block.shown.push(args)
    return
  }
  if (block.kind === "opaque") return
  const text = block.kind === "text" ? shown.text : shown.thinking
  if (typeof text !== "string" || text.length !== block.text.length || (sample && text !== block.text)) {
    report(
      "snapshot",
      `partial does not hold what the deltas add up to: ${difference(text, block.text, "it")}`,
    )
  }
}

/** Checks a block's end event against its deltas, and the snapshot against the end. */
export function checkEnd(
  block: BlockState,
  event: Record<string, unknown>,
  shown: unknown,
  report: Report,
): void {
  const finished = finishedBlock(block, event, report)
  if (finished === undefined) return
  checkBlock(finished, "the block", (says) => report("shape", says))
  if (!checkKind(block, shown, report)) return
  const differs = difference(shown, finished, `partial.content[${block.index}]`)
  if (differs) report("snapshot", `the snapshot is not the finished block: ${differs}`)
}

/** @returns the block that the end event and the deltas describe together. */
function finishedBlock(block: BlockState, event: Record<string, unknown>, report: Report): unknown {
  if (block.kind === "opaque") return event.content
  if (block.kind === "toolCall") {
    if (isObject(event.toolCall)) checkArguments(block, event.toolCall, report)
    return event.toolCall
  }
  for (const field of ["signature", "redacted"]) {
    if (Object.hasOwn(event, field) && event[field] === undefined) {
      report("shape", `${field} is undefined; an optional field is absent when it has no value`)
    }
  }
  if (event.content !== block.text) {
    report("end-matches-deltas", `${difference(event.content, block.text, "content")} by the deltas`)
    return undefined
  }
  const signature = event.signature
  if (block.kind === "text") {
    return { type: "text", text: block.text, ...(signature !== undefined && { textSignature: signature }) }
  }
  return {
    type: "thinking",
    thinking: block.text,
    ...(signature !== undefined && { thinkingSignature: signature }),
    ...(event.redacted !== undefined && { redacted: event.redacted }),
  }
}

function checkArguments(block: BlockState, call: Record<string, unknown>, report: Report): void {
  if (call.argumentsError !== undefined) return
  const parsed = parseArguments(block.text)
  if (parsed === undefined) {
    const says = "the deltas are not the JSON of an object, and toolCall.argumentsError does not say so"
    report("end-matches-deltas", says)
    return
  }
  const differs = difference(call.arguments, parsed, "toolCall.arguments")
  if (differs) {
    report("end-matches-deltas", `${differs} by the deltas`)
    return
  }
  for (const shown of block.shown) {
    if (!isPrefix(shown, parsed)) {
      report("snapshot", "an earlier partial showed arguments that are no prefix of the final ones")
      return
    }
  }
}

/** @returns whether a value may have been read off the beginning of the other's JSON. */
function isPrefix(shown: unknown, whole: unknown): boolean {
  if (typeof shown === "string") return typeof whole === "string" && whole.startsWith(shown)
  if (!isObject(shown)) return shown === whole
  if (!isObject(whole) || Array.isArray(shown) !== Array.isArray(whole)) return false
  return Object.keys(shown).every((key) => Object.hasOwn(whole, key) && isPrefix(shown[key], whole[key]))
}

function checkKind(block: BlockState, shown: unknown, report: Report): shown is Record<string, unknown> {
  if (isObject(shown) && shown.type === block.kind) return true
  const is = isObject(shown) ? `of type ${show(shown.type)}` : show(shown)
  report("snapshot", `partial.content[${block.index}] is ${is}, expected type ${block.kind}`)
  return false
}
