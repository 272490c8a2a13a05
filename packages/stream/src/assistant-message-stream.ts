import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream as Contract,
  Model,
  StreamFailure,
  Usage,
} from "@heddle/types"
import { blockEnd } from "./block-end.ts"
import { EventStream } from "./event-stream.ts"

/** What of a model stands on the messages it answers. */
export type ModelIdentity = Pick<Model, "api" | "provider" | "id">

/** What a stream may be told about its events. */
export interface AssistantMessageEventStreamOptions {
  /**
   * The producer promises that no event changes after it was pushed, `partial` included, so that a reader may
   * keep events without copying them. Default false; the streams of `AssistantMessageBuilder` promise it.
   */
  readonly snapshots?: boolean
}

/** What the stream has to know of its events where it fails by itself. */
interface State {
  partial: AssistantMessage | undefined
  /** Blocks that were started and not ended. */
  readonly open: Set<number>
}

/** What an event may have. */
interface Fields {
  readonly type: string
  readonly partial?: AssistantMessage
  readonly contentIndex?: number
  readonly delta?: string
}

const UNKNOWN_MODEL: ModelIdentity = { api: "unknown", provider: "unknown", id: "unknown" }

/** @returns usage of which nothing is known. */
export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  }
}

/** @returns a message without content, the state before a model has said anything. */
export function emptyAssistantMessage(model: ModelIdentity, timestamp: number): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp,
  }
}

/** @returns what to tell a person about an abort, whatever was given as its reason. Never throws. */
export function abortMessage(reason: unknown): string {
  let text: unknown
  try {
    // An error may be one of another realm.
    text = typeof reason === "object" ? (reason as Partial<Error> | null)?.message : reason
  } catch {
    // A reason that cannot be read says nothing.
  }
  return typeof text === "string" && text !== "" ? text : "The request was aborted"
}

/**
 * The class behind the contract's `AssistantMessageEventStream`.
 *
 * Whatever its producer does, a reader gets exactly one terminal event and `result()` resolves: ending the
 * stream without one makes an `error` event with `failure.code` `"protocol"`, and a reader that leaves early
 * makes an aborted message of what had arrived.
 */
export class AssistantMessageEventStream
  extends EventStream<AssistantMessageEvent, AssistantMessage>
  implements Contract
{
  /** See {@link AssistantMessageEventStreamOptions.snapshots}. */
  readonly snapshots: boolean
  readonly #model: ModelIdentity
  readonly #state: State = { partial: undefined, open: new Set() }

  /** @param model Named on messages that the stream has to make up before any event came. */
  constructor(model: ModelIdentity = UNKNOWN_MODEL, options: AssistantMessageEventStreamOptions = {}) {
    super(
      (event) => event.type === "done" || event.type === "error",
      (event) => {
        if (event.type === "done") return event.message
        if (event.type === "error") return event.error
        return event.partial
      },
    )
    this.#model = model
    this.snapshots = options.snapshots ?? false
  }

  override push(event: AssistantMessageEvent): void {
    const { type, partial, contentIndex, delta }: Fields = event
    const state = this.#state
    if (partial) state.partial = partial
    if (contentIndex !== undefined && delta === undefined) {
      if (type.endsWith("_start")) state.open.add(contentIndex)
      else state.open.delete(contentIndex)
    }
    super.push(event)
  }

  /**
   * Ends the stream. Ignored after a terminal event.
   *
   * @param message Becomes the terminal event. Absent: the stream fails as one that broke off.
   */
  override end(message?: AssistantMessage): void {
    if (this.ended) return
    if (message === undefined) {
      this.#fail("error", "The stream ended without a done or error event", {
        code: "protocol",
        retryable: true,
      })
    } else if (message.stopReason === "error" || message.stopReason === "aborted") {
      this.push({ type: "error", reason: message.stopReason, error: message })
    } else {
      this.push({ type: "done", reason: message.stopReason, message })
    }
  }

  protected override cancel(): void {
    try {
      super.cancel()
    } finally {
      if (!this.ended) {
        this.#fail("aborted", "The reader left the stream", { code: "aborted", retryable: false })
      }
    }
  }

  #fail(reason: "error" | "aborted", errorMessage: string, failure: StreamFailure): void {
    const partial = this.#state.partial ?? emptyAssistantMessage(this.#model, Date.now())
    for (const index of this.#state.open) {
      const content = partial.content[index]
      if (content) this.push(blockEnd(content, index, partial))
    }
    this.push({ type: "error", reason, error: { ...partial, stopReason: reason, errorMessage, failure } })
  }
}

/** Makes an {@link AssistantMessageEventStream}, for producers that write their events themselves. */
export function createAssistantMessageEventStream(
  model?: ModelIdentity,
  options?: AssistantMessageEventStreamOptions,
): AssistantMessageEventStream {
  return new AssistantMessageEventStream(model, options)
}
