/**
 * Replays the events of a ConverseStream onto the builder.
 *
 * Blocks are numbered by the wire. Calls have a start event, text and reasoning begin with their first delta,
 * and some servers leave out the start of the message, or the usage, or send it before the stop. So nothing is
 * expected, and nothing is final before {@link EventMapper.end}.
 *
 * Whatever an event holds that is not understood is passed over.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
import { protocolError, StreamFailureError } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { joinBase64 } from "./base64.ts"
import { base64Of, OpaqueBlocks } from "./opaque-blocks.ts"
import { toEnding } from "./stop-reason.ts"
import { toUsageReport } from "./usage.ts"
import { countOf, isWireObject, objectOf, textOf, type WireObject } from "./wire.ts"

/** Maps one response. */
export interface EventMapper {
  /** The model has said why it stopped: what is still to come may be missing without harm. */
  readonly finished: boolean
  /**
   * One event of the body. Anything may be passed.
   *
   * @param type For example `contentBlockDelta`.
   */
  event(type: string, payload: unknown): void
  /**
   * The body has ended: makes the terminal event.
   *
   * @throws {StreamFailureError} when the answer is not complete, or ended for a reason that is a failure.
   */
  end(): void
}

/**
 * @param responseId The id of the request at AWS, which is all the id that a response has.
 * @returns a mapper that writes to this builder; for one response only.
 */
export function createMapper(message: AssistantMessageBuilder, responseId = ""): EventMapper {
  return new ConverseMapper(message, responseId)
}

class ConverseMapper implements EventMapper {
  readonly #message: AssistantMessageBuilder
  readonly #responseId: string
  readonly #opaque: OpaqueBlocks
  readonly #citations = new Map<number, WireObject[]>()
  readonly #redacted = new Map<number, string>()
  /** Calls of whose input nothing has arrived. */
  readonly #silent = new Set<number>()
  /** One of them that has stopped: whether it has no arguments or was cut off shows in what follows. */
  #unsure: number | undefined
  #begun = false
  #finish = ""

  constructor(message: AssistantMessageBuilder, responseId: string) {
    this.#message = message
    this.#responseId = responseId
    this.#opaque = new OpaqueBlocks(message)
  }

  get finished(): boolean {
    return this.#finish !== ""
  }

  event(type: string, payload: unknown): void {
    if (!isWireObject(payload)) return
    const index = countOf(payload.contentBlockIndex) ?? 0
    switch (type) {
      case "messageStart":
        this.#begin()
        return
      case "contentBlockStart":
        this.#begin()
        this.#start(index, objectOf(payload.start))
        return
      case "contentBlockDelta":
        this.#begin()
        this.#delta(index, objectOf(payload.delta))
        return
      case "contentBlockStop":
        this.#stop(index)
        return
      case "messageStop":
        this.#begin()
        this.#finishReason(textOf(payload.stopReason))
        return
      case "metadata":
        this.#begin()
        this.#metadata(payload)
    }
  }

  end(): void {
    if (!this.finished) throw protocolError(UNFINISHED)
    const ending = toEnding(this.#finish)
    if ("failure" in ending) {
      throw new StreamFailureError(ending.failure, `${ending.says} (stopReason: ${this.#finish}).`)
    }
    this.#message.done(ending.reason)
  }

  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    this.#message.responseId(this.#responseId)
  }

  #start(index: number, start: WireObject): void {
    this.#closeUnsure()
    if (this.#opaque.start(index, start) || !isWireObject(start.toolUse)) return
    const { toolUseId: id, name } = start.toolUse
    this.#silent.add(index)
    this.#message.toolCall(index, { id: textOf(id), name: textOf(name) })
  }

  #delta(index: number, delta: WireObject): void {
    if (index !== this.#unsure) this.#closeUnsure()
    if (this.#opaque.delta(index, delta)) return
    if (typeof delta.text === "string") this.#message.text(index, delta.text)
    if (isWireObject(delta.citation)) this.#citation(index, delta.citation)
    if (isWireObject(delta.reasoningContent)) this.#reasoning(index, delta.reasoningContent)
    if (isWireObject(delta.toolUse)) this.#input(index, delta.toolUse.input)
  }

  /** It may stand before the text that it is about. */
  #citation(index: number, citation: WireObject): void {
    const citations = [...(this.#citations.get(index) ?? []), citation]
    this.#citations.set(index, citations)
    this.#message.text(index, "")
    this.#message.signature(index, JSON.stringify({ citations }))
  }

  #reasoning(index: number, { text, signature, redactedContent }: WireObject): void {
    if (typeof text === "string") this.#message.thinking(index, text)
    if (typeof signature === "string" && signature !== "") {
      this.#message.thinking(index, "")
      this.#message.signature(index, signature)
    }
    const redacted = base64Of(redactedContent)
    if (redacted === "") return
    const whole = joinBase64(this.#redacted.get(index) ?? "", redacted)
    this.#redacted.set(index, whole)
    this.#message.redactedThinking(index, whole)
  }

  #input(index: number, input: unknown): void {
    if (input !== "") this.#silent.delete(index)
    if (typeof input === "string") this.#message.toolInput(index, input)
    else if (isWireObject(input)) this.#message.toolArguments(index, input)
  }

  #stop(index: number): void {
    if (index !== this.#unsure) this.#closeUnsure()
    if (this.#opaque.stop(index)) return
    if (this.#silent.has(index)) this.#unsure = index
    else this.#message.close(index)
  }

  /** The model has gone on, so it had finished the call. */
  #closeUnsure(): void {
    if (this.#unsure === undefined) return
    this.#message.close(this.#unsure)
    this.#silent.delete(this.#unsure)
    this.#unsure = undefined
  }

  #finishReason(word: string): void {
    if (word === "" || word === this.#finish) return
    this.#finish = word
    this.#message.rawStopReason(word)
  }

  /** A prompt router says which model it chose; nothing else says who answers. */
  #metadata({ usage, trace }: WireObject): void {
    if (isWireObject(usage)) this.#message.usage(toUsageReport(usage))
    const model = textOf(objectOf(objectOf(trace).promptRouter).invokedModelId)
    if (model !== "") this.#message.responseModel(model)
  }
}

const UNFINISHED = "The response ended before the model had finished: no messageStop arrived."
