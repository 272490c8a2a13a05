/**
 * The grammar of a stream of assistant message events, as a check.
 *
 * It reads a finished list of events and says which rule each offending event breaks. What needs more than
 * the list (that events stay as they were delivered, that `result()` agrees, that a stream ends in time) is
 * the runner's.
 *
 * The cost is linear in the events and their text: the text of a growing block is compared when it ends and
 * when it has doubled, in between only its length.
 */
import type { AssistantMessageEvent } from "@heddle/types"
import { type BlockState, checkEnd, checkGrowth } from "./block-events.ts"
import { difference, isObject, show } from "./difference.ts"
import { fold } from "./fold.ts"
import { checkFailure, checkMessage, checkUsage } from "./message-shape.ts"
import { ConformanceError, type Rule, type Violation, violation } from "./violation.ts"

/**
 * Throws where the events of a stream break the grammar of the contract.
 *
 * @throws {ConformanceError} whose message names, for each violation, the rule, the event and its index.
 */
export function assertWellFormed(events: readonly AssistantMessageEvent[]): void {
  const violations = checkEvents(events)
  if (violations.length > 0) throw new ConformanceError("The stream is not well formed", violations)
}

/** @returns every violation of the grammar, in the order of the events; none for a well-formed stream. */
export function checkEvents(events: readonly AssistantMessageEvent[]): Violation[] {
  const grammar = new Grammar()
  for (const event of events) grammar.accept(event)
  return grammar.finish(events)
}

/** The kind of block that an event type is about. */
const BLOCK_KINDS: Readonly<Record<string, BlockState["kind"]>> = {
  text: "text",
  thinking: "thinking",
  toolcall: "toolCall",
  opaque: "opaque",
}

const BLOCK_EVENT = /^(text|thinking|toolcall|opaque)_(start|delta|end)$/

class Grammar {
  readonly #violations: Violation[] = []
  readonly #blocks: BlockState[] = []
  readonly #callIds = new Map<string, number>()
  #index = -1
  #type = "?"
  #started = false
  #terminal: { readonly type: string; readonly index: number } | undefined
  #usage: unknown

  accept(event: unknown): void {
    this.#index++
    this.#type = isObject(event) && typeof event.type === "string" ? event.type : "?"
    if (!isObject(event) || typeof event.type !== "string") {
      this.#report("shape", `is ${show(event)}, no event`)
      return
    }
    if (this.#terminal) {
      const { type, index } = this.#terminal
      this.#report("terminal", `comes after the terminal event ${index} (${type}); nothing may follow it`)
      return
    }
    if (event.type === "start") {
      this.#start(event)
      return
    }
    if (event.type === "done" || event.type === "error") {
      this.#end(event, event.type)
      return
    }
    const [, kind = "", phase = ""] = BLOCK_EVENT.exec(event.type) ?? []
    if (phase === "" || (kind === "opaque" && phase === "delta")) {
      this.#report("shape", "is no type of the contract")
      return
    }
    if (!this.#started) {
      this.#report("start", "comes before start")
      this.#started = true
    }
    this.#block(event, BLOCK_KINDS[kind] ?? "text", phase)
  }

  /** @param events The same events again, to fold them: told only when the grammar holds. */
  finish(events: readonly AssistantMessageEvent[]): Violation[] {
    if (!this.#terminal) {
      const after = this.#index < 0 ? "without any event" : `after event ${this.#index} (${this.#type})`
      this.#violations.push(violation("terminal", `the stream ended ${after}, without done or error`))
    } else if (this.#violations.length === 0) {
      const last = events[this.#terminal.index]
      const message = last?.type === "done" ? last.message : last?.type === "error" ? last.error : undefined
      const differs = difference(message, fold(events), "message")
      if (differs) this.#report("fold", `is not the message that the events tell: ${differs}`)
    }
    return this.#violations
  }

  #start(event: Record<string, unknown>): void {
    if (this.#started) this.#report("start", "comes a second time, or after a block")
    this.#started = true
    if (!checkMessage(event.partial, (says) => this.#report("shape", says))) return
    this.#snapshot(event.partial)
  }

  #block(event: Record<string, unknown>, kind: BlockState["kind"], phase: string): void {
    const index = event.contentIndex
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0) {
      this.#report("shape", `contentIndex is ${show(index)}, no index`)
      return
    }
    const block = phase === "start" ? this.#open(index, kind) : this.#openBlock(index, kind, phase)
    const shown = this.#snapshot(event.partial)?.[index]
    if (!block) return
    const report = (rule: Rule, says: string) => this.#report(rule, says)
    if (phase === "delta") {
      if (typeof event.delta !== "string") {
        this.#report("shape", `delta is ${show(event.delta)}, no string`)
        return
      }
      block.text += event.delta
    }
    if (phase === "end") {
      block.closed = true
      if (kind === "toolCall") this.#callId(event.toolCall, index)
      checkEnd(block, event, shown, report)
    } else checkGrowth(block, shown, phase, report)
  }

  /** Takes the index as it is, so that one gap is told once. */
  #open(index: number, kind: BlockState["kind"]): BlockState {
    const next = this.#blocks.length
    if (index < next)
      this.#report("dense-index", `opens block ${index}, which was opened before; next is ${next}`)
    if (index > next) this.#report("dense-index", `opens block ${index}, but the next one is ${next}`)
    const block: BlockState = { index, kind, text: "", closed: false, compareAt: 1, shown: [] }
    this.#blocks[index] = block
    return block
  }

  #openBlock(index: number, kind: BlockState["kind"], phase: string): BlockState | undefined {
    const block = this.#blocks[index]
    if (!block) {
      this.#report("block-order", `block ${index} was never opened; a *_start has to come first`)
      return undefined
    }
    if (block.kind !== kind) {
      this.#report("block-order", `block ${index} is of type ${block.kind}, not ${kind}`)
      return undefined
    }
    if (block.closed) {
      this.#report("block-order", `block ${index} has ended; a ${phase} may not come after its end`)
      return undefined
    }
    return block
  }

  #callId(toolCall: unknown, index: number): void {
    const id = isObject(toolCall) ? toolCall.id : undefined
    if (typeof id !== "string") return
    const other = this.#callIds.get(id)
    if (id === "") this.#report("call-id", "the call's id is empty; make one up where the vendor gives none")
    else if (other !== undefined) this.#report("call-id", `the id ${show(id)} is that of block ${other} too`)
    this.#callIds.set(id, index)
  }

  /** @returns the content of the snapshot, where it is one. */
  #snapshot(partial: unknown): readonly unknown[] | undefined {
    if (!isObject(partial) || !Array.isArray(partial.content)) {
      this.#report("snapshot", `partial is ${show(partial)}, no message`)
      return undefined
    }
    const { content, stopReason, usage } = partial
    if (content.length !== this.#blocks.length) {
      const opened = this.#blocks.length
      this.#report("snapshot", `partial has ${content.length} blocks where ${opened} were opened`)
    }
    if (stopReason !== "stop") {
      this.#report("snapshot", `partial.stopReason is ${show(stopReason)}; it is "stop" until the end`)
    }
    if (Object.hasOwn(partial, "failure") || Object.hasOwn(partial, "errorMessage")) {
      this.#report("snapshot", "partial has failed already; only the terminal event's message may")
    }
    if (usage !== this.#usage) checkUsage(usage, (says) => this.#report("usage", `partial: ${says}`))
    this.#usage = usage
    return content
  }

  #end(event: Record<string, unknown>, type: "done" | "error"): void {
    this.#terminal = { type, index: this.#index }
    if (!this.#started && type === "done") this.#report("start", "comes before start")
    for (const { index, kind, closed } of this.#blocks.filter(Boolean)) {
      if (!closed)
        this.#report("block-order", `block ${index} (${kind}) is still open; it needs its end first`)
    }
    const message = type === "done" ? event.message : event.error
    if (!checkMessage(message, (says) => this.#report("shape", says))) return
    checkUsage(message.usage, (says) => this.#report("usage", says))
    this.#reason(event.reason, message, type)
  }

  #reason(reason: unknown, message: Record<string, unknown>, type: "done" | "error"): void {
    const allowed = type === "done" ? ["stop", "length", "toolUse"] : ["error", "aborted"]
    if (!allowed.includes(String(reason))) {
      this.#report("stop-reason", `reason is ${show(reason)}, expected ${allowed.join(" or ")}`)
    } else if (message.stopReason !== reason) {
      this.#report(
        "stop-reason",
        `reason is ${show(reason)}, but the message's is ${show(message.stopReason)}`,
      )
    }
    if (type === "error") {
      checkFailure(message, reason, (says) => this.#report("failure", says))
      return
    }
    const content = Array.isArray(message.content) ? message.content : []
    if (reason === "stop" && content.some((block) => isObject(block) && block.type === "toolCall")) {
      this.#report("stop-reason", "reason is stop although there are tool calls; that is toolUse")
    }
    if (Object.hasOwn(message, "failure") || Object.hasOwn(message, "errorMessage")) {
      this.#report("failure", "the message is done and yet says that it failed")
    }
  }

  #report(rule: Rule, says: string): void {
    this.#violations.push(violation(rule, says, this.#index, this.#type))
  }
}
