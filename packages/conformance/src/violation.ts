/**
 * What a stream did wrong, as data and as an error.
 *
 * A violation names the rule that was broken and, where there is one, the event and its index, so that the
 * author of an adapter finds the line that emitted it. It never carries the event itself: a kit that prints
 * payloads into test logs prints keys sooner or later.
 */

/**
 * A rule of the contract, of its event grammar, or of a case.
 *
 * Of the events, checked by `assertWellFormed`:
 * - `shape`: events, messages and fields have the declared types; optional fields are absent, not undefined.
 * - `start`: `start` comes first and once; only a lone `error` may do without it.
 * - `terminal`: exactly one `done` or `error`, and nothing after it.
 * - `dense-index`: blocks open in order, `contentIndex` without gaps.
 * - `block-order`: deltas and ends belong to a block of their type that is open; every block ends.
 * - `end-matches-deltas`: what an `*_end` says is what the deltas said.
 * - `snapshot`: `partial` is the message so far.
 * - `stop-reason`: event, reason and message agree; a `stop` with tool calls is `toolUse`.
 * - `failure`: failed messages say why, for people and for programs; others do not.
 * - `usage`: counters are disjoint counts, and their sum is right.
 * - `call-id`: every tool call has an id of its own.
 * - `fold`: folding the events gives the message of the terminal event.
 *
 * Of the StreamFn, checked by the runner:
 * - `never-throws`, `never-rejects`: failures arrive in the stream.
 * - `result`: `result()` settles with the message of the terminal event.
 * - `bounded-time`: the stream ends in the time the case allows.
 * - `delivered-unchanged`: a delivered event never changes.
 * - `identity`: blocks that have ended keep their identity between snapshots.
 * - `inputs-untouched`: the caller's model, context and options are never written.
 * - `answer`: the message is what the case says the model said.
 * - `request`: what reached the other side, and how often, is what the case says.
 * - `secret`: no key stands in a message.
 * - `harness`: the case could not be set up; says nothing of the StreamFn.
 */
export type Rule =
  | "shape"
  | "start"
  | "terminal"
  | "dense-index"
  | "block-order"
  | "end-matches-deltas"
  | "snapshot"
  | "stop-reason"
  | "failure"
  | "usage"
  | "call-id"
  | "fold"
  | "never-throws"
  | "never-rejects"
  | "result"
  | "bounded-time"
  | "delivered-unchanged"
  | "identity"
  | "inputs-untouched"
  | "answer"
  | "request"
  | "secret"
  | "harness"

/** One broken rule. */
export interface Violation {
  readonly rule: Rule
  /** Where, what and why, in one sentence that begins with the rule: fit to be read alone. */
  readonly message: string
  /** Position of the event in the stream, from 0. Absent where the rule is not about one event. */
  readonly index?: number
  /** The event's `type`. */
  readonly event?: string
}

/** @returns a violation whose message names the rule, and the event with its index. */
export function violation(rule: Rule, says: string, index?: number, event?: string): Violation {
  if (index === undefined) return { rule, message: `${rule}: ${says}` }
  const name = event ?? "?"
  return { rule, message: `${rule}: event ${index} (${name}): ${says}`, index, event: name }
}

/** How many violations an error message lists; the rest are counted. */
const LISTED = 8

/**
 * Thrown by {@link assertWellFormed}, `fold` and the vitest binding.
 *
 * Its message lists the first violations, one a line; all of them are in {@link violations}.
 */
export class ConformanceError extends Error {
  override readonly name = "ConformanceError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "NOT_CONFORMANT"
  readonly violations: readonly Violation[]

  constructor(subject: string, violations: readonly Violation[]) {
    const listed = violations.slice(0, LISTED).map(({ message }) => `  ${message}`)
    if (violations.length > LISTED) listed.push(`  and ${violations.length - LISTED} more`)
    super(`${subject}:\n${listed.join("\n")}`)
    this.violations = violations
  }
}
