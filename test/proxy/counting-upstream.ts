/**
 * A model that counts: each of its deltas is the next number, so that a lost or a doubled one shows.
 *
 * It makes an event when it is asked for one. What it is to do stands in the system prompt.
 */
import { emptyAssistantMessage } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Context, StreamFn } from "@heddle/types"

export interface Count {
  /** How many numbers. */
  readonly upTo: number
  /** Where it fails instead of going on. */
  readonly failAt?: number
}

export function contextOf(count: Count): Context {
  return { systemPrompt: JSON.stringify(count), messages: [] }
}

/** What the model says when it comes this far. */
export function saying(upTo: number): string {
  let text = ""
  for (let number = 0; number < upTo; number++) text += `${number} `
  return text
}

export function countingUpstream() {
  const counted = { started: 0, ended: 0, deltas: 0, listeners: 0 }

  const streamFn: StreamFn = (model, { systemPrompt = "{}" }, options) => {
    const { upTo, failAt = Number.POSITIVE_INFINITY } = JSON.parse(systemPrompt) as Count
    const partial: AssistantMessage = emptyAssistantMessage(model, 7)
    const signal = options?.signal
    counted.started++
    return {
      async *[Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent> {
        let aborted = false
        const hear = () => {
          aborted = true
        }
        signal?.addEventListener("abort", hear)
        counted.listeners++
        try {
          yield { type: "start", partial }
          yield { type: "text_start", contentIndex: 0, partial }
          for (let number = 0; number < upTo && number < failAt && !aborted; number++) {
            counted.deltas++
            yield { type: "text_delta", contentIndex: 0, delta: `${number} `, partial }
            // Others want to be served, too.
            if (number % 100 === 99) await new Promise((resolve) => setImmediate(resolve))
          }
          if (aborted || failAt < upTo) {
            const error = { ...partial, stopReason: "error", errorMessage: "The model stumbled" } as const
            const failure = { code: "server", retryable: true } as const
            yield { type: "error", reason: aborted ? "aborted" : "error", error: { ...error, failure } }
          } else yield { type: "done", reason: "stop", message: partial }
        } finally {
          signal?.removeEventListener("abort", hear)
          counted.listeners--
          counted.ended++
        }
      },
      result: () => Promise.reject(new Error("The proxy reads events")),
    }
  }
  return { streamFn, counted }
}
