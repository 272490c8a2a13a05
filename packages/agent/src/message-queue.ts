import type { AgentMessage, QueueMode } from "@heddle/types"

/**
 * Messages that wait for a run to take them up, oldest first.
 *
 * A drained message is held, and still counts as queued, until it is known to have reached the transcript.
 * So a run that ends between drain and delivery loses nothing.
 */
export class MessageQueue {
  #held: AgentMessage[] = []
  #waiting: AgentMessage[] = []

  get size(): number {
    return this.#held.length + this.#waiting.length
  }

  /** @returns what is queued, held ones first: a copy. */
  peek(): AgentMessage[] {
    return [...this.#held, ...this.#waiting]
  }

  add(message: AgentMessage): void {
    this.#waiting.push(message)
  }

  /** Takes the oldest message, or all of them, and holds what it took. */
  drain(mode: QueueMode | undefined): AgentMessage[] {
    const drained = this.#waiting.splice(0, mode === "all" ? this.#waiting.length : 1)
    this.#held.push(...drained)
    return drained
  }

  /** Lets go of a held message: it has been delivered. Others are ignored. */
  release(message: AgentMessage): void {
    const at = this.#held.indexOf(message)
    if (at >= 0) this.#held.splice(at, 1)
  }

  /** Puts what is still held back to the front. */
  restore(): void {
    this.#waiting = this.peek()
    this.#held = []
  }

  /** Drops everything. What a run has in hand it may still deliver; it does not come back. */
  clear(): void {
    this.#waiting = []
    this.#held = []
  }
}
