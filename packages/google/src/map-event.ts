/**
 * Replays the chunks of a Gemini answer onto the builder.
 *
 * A chunk brings parts, and parts have no keys: they are counted. Neighbours of one kind continue one block of
 * text or thinking, anything else closes it; so does a signature, which belongs to what stands before it and to
 * nothing behind.
 *
 * Content may come after a finish reason, and finish reasons with every chunk, so nothing is final before
 * {@link ResponseMapper.end}. Whatever a chunk holds that is not understood is passed over.
 *
 * @see https://ai.google.dev/api/generate-content#generatecontentresponse
 */
import {
  isWireObject,
  objectOf,
  objectsOf,
  protocolError,
  StreamFailureError,
  textOf,
  toStreamFailureError,
  type WireObject,
} from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { FAILURE_RULES } from "./failure-rules.ts"
import { METADATA_KINDS, opaqueKind } from "./opaque-parts.ts"
import { CONTINUATION, type Ending, toBlockedEnding, toEnding, wordOf } from "./stop-reason.ts"
import { createToolCallId } from "./tool-call-id.ts"
import { ToolCalls } from "./tool-calls.ts"
import { UsageMeter } from "./usage.ts"

/** Maps one answer, which may take several requests. */
export interface ResponseMapper {
  /**
   * One chunk of the body, parsed. Anything may be passed.
   *
   * @throws {StreamFailureError} for an error that the vendor reports in the middle of a stream, classified.
   * What arrived before stays in the message.
   */
  event(chunk: unknown): void
  /** The body broke off: what of a call has arrived is shown, and marked as cut off. */
  interrupt(): void
  /**
   * The body has ended: makes the terminal event, unless the answer goes on.
   *
   * @param canContinue Whether another request may be made.
   * @returns the token to go on with.
   * @throws {StreamFailureError} when the answer is not complete, or ended for a reason that is a failure.
   */
  end(canContinue: boolean): string | undefined
}

/**
 * @param createId Makes the ids that the host does not give.
 * @returns a mapper that writes to this builder; for one answer only.
 */
export function createMapper(
  message: AssistantMessageBuilder,
  createId: () => string = createToolCallId,
): ResponseMapper {
  return new GeminiMapper(message, createId)
}

/** Why the answer ended. */
interface Finish {
  readonly word: string
  readonly ending: Ending
}

const UNFINISHED = "The response ended before the model had finished: no finishReason arrived."

class GeminiMapper implements ResponseMapper {
  readonly #message: AssistantMessageBuilder
  readonly #calls: ToolCalls
  readonly #usage = new UsageMeter()
  /** Grounding and the like, by kind. */
  readonly #metadata = new Map<string, WireObject>()
  #key = 0
  /** What of the two is open, under the current key. */
  #open: "text" | "thinking" | undefined
  #finish: Finish | undefined
  #continuation = ""

  constructor(message: AssistantMessageBuilder, createId: () => string) {
    this.#message = message
    this.#calls = new ToolCalls(message, () => ++this.#key, createId)
  }

  event(chunk: unknown): void {
    if (!isWireObject(chunk)) return
    if (!chunk.error) this.#identity(chunk)
    const candidate = objectsOf(chunk.candidates).find(isFirst)
    if (candidate) this.#candidate(candidate)
    if (isWireObject(chunk.usageMetadata)) this.#message.usage(this.#usage.add(chunk.usageMetadata))
    if (isWireObject(chunk.promptFeedback)) this.#promptFeedback(chunk.promptFeedback)
    if (chunk.error) throw toStreamFailureError({ body: chunk }, FAILURE_RULES)
  }

  interrupt(): void {
    this.#calls.end(true)
  }

  end(canContinue: boolean): string | undefined {
    if (!this.#finish) throw protocolError(UNFINISHED)
    const { word, ending } = this.#finish
    if (word === CONTINUATION && this.#continuation !== "" && canContinue) return this.#continue()
    this.#message.rawStopReason(word)
    if ("failure" in ending) throw new StreamFailureError(ending.failure, ending.says)
    this.#calls.end(ending.reason === "length")
    this.#closeProse()
    for (const kind of METADATA_KINDS) this.#metadataBlock(kind)
    this.#message.done(ending.reason)
    return undefined
  }

  #continue(): string {
    this.#usage.nextRequest()
    this.#finish = undefined
    return this.#continuation
  }

  #identity(chunk: WireObject): void {
    const id = textOf(chunk.responseId)
    if (id !== "") this.#message.responseId(id)
    const model = textOf(chunk.modelVersion)
    if (model !== "") this.#message.responseModel(model)
  }

  #candidate(candidate: WireObject): void {
    const content = objectOf(candidate.content)
    for (const part of objectsOf(content.parts)) this.#part(part)
    for (const kind of METADATA_KINDS) if (kind in candidate) this.#collect(kind, candidate[kind])
    this.#continuation = textOf(candidate.continuationToken) || this.#continuation
    const word = wordOf(textOf(candidate.finishReason))
    if (word !== "") this.#finishWith({ word, ending: toEnding(word, textOf(candidate.finishMessage)) })
  }

  #promptFeedback(feedback: WireObject): void {
    const word = wordOf(textOf(feedback.blockReason))
    const says = textOf(feedback.blockReasonMessage)
    if (word !== "") this.#finishWith({ word, ending: toBlockedEnding(word, says) })
  }

  /** The last one counts, but nothing makes up for a failure. */
  #finishWith(finish: Finish): void {
    const isFinal = this.#finish !== undefined && "failure" in this.#finish.ending
    if (!isFinal) this.#finish = finish
  }

  #part(part: WireObject): void {
    const signature = textOf(part.thoughtSignature)
    const text = textOf(part.text)
    const kind = text === "" ? opaqueKind(part) : undefined
    if (isWireObject(part.functionCall)) {
      this.#closeProse()
      this.#calls.add(part.functionCall, signature)
    } else if (kind !== undefined) {
      this.#opaque(kind, part)
    } else if (text !== "" || signature !== "") {
      this.#prose(part.thought === true ? "thinking" : "text", text, signature)
    }
  }

  #prose(kind: "text" | "thinking", text: string, signature: string): void {
    this.#calls.end()
    if (this.#open !== kind) {
      this.#closeProse()
      this.#open = kind
      this.#key++
    }
    if (kind === "text") this.#message.text(this.#key, text)
    else this.#message.thinking(this.#key, text)
    if (signature === "") return
    this.#message.signature(this.#key, signature)
    this.#closeProse()
  }

  #closeProse(): void {
    if (this.#open !== undefined) this.#message.close(this.#key)
    this.#open = undefined
  }

  #opaque(kind: string, data: WireObject): void {
    this.#calls.end()
    this.#closeProse()
    this.#key++
    this.#message.opaque(this.#key, kind, data)
    this.#message.close(this.#key)
  }

  #metadataBlock(kind: string): void {
    const data = this.#metadata.get(kind)
    if (data) this.#opaque(kind, data)
  }

  /** Citations are told window by window, the others grow: a field that comes again is the whole of it. */
  #collect(kind: string, value: unknown): void {
    if (!isWireObject(value) || Object.keys(value).length === 0) return
    const known = this.#metadata.get(kind) ?? {}
    const merge = kind === "citationMetadata" ? concatenated(known, value) : value
    this.#metadata.set(kind, { ...known, ...merge })
  }
}

/** More than one answer is never asked for. */
function isFirst(candidate: WireObject): boolean {
  return candidate.index === undefined || candidate.index === null || candidate.index === 0
}

function concatenated(known: WireObject, value: WireObject): WireObject {
  return Object.fromEntries(
    Object.entries(value).map(([field, items]) => {
      const earlier = known[field]
      return [field, Array.isArray(items) && Array.isArray(earlier) ? [...earlier, ...items] : items]
    }),
  )
}
