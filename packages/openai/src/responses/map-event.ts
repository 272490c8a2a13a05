/**
 * Replays the events of a Responses stream onto the builder.
 *
 * The output is a list of items: messages, reasoning, calls, and what tools at the vendor do. Each is
 * announced, arrives in pieces, and is then repeated as a whole. Which event says what about an item stands in
 * `output-events.ts`, which item it is about is found out in `output-items.ts`.
 *
 * The response itself is repeated as a whole too, at the end, but with an output that may be empty; so only its
 * status, usage and names are read. Events and fields that are not understood are passed over, and with them
 * the running commentary on tools at the vendor, whose items are complete when they are done.
 *
 * @see https://developers.openai.com/api/reference/resources/responses/streaming-events
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
import type { ResolvedCompat } from "./compat.ts"
import { FAILURE_RULES } from "./failure-rules.ts"
import { OUTPUT_EVENTS } from "./output-events.ts"
import { OutputItems } from "./output-items.ts"
import { type Ending, toEnding } from "./stop-reason.ts"
import { toUsageReport } from "./usage.ts"

/** Maps one response. */
export interface EventMapper {
  /** The vendor has said how the response ended. Nothing follows that would matter. */
  readonly isFinished: boolean
  /** The vendor has reported an error; the response that failed may still follow, with what it cost. */
  readonly isFailing: boolean
  /** The response is announced, and nothing of an answer has come. */
  readonly isUntold: boolean
  /** Begins the message, so that the caller knows of the response. It cannot be tried again from here on. */
  tell(): void
  /**
   * One event of the body, parsed. Anything may be passed.
   *
   * @param name The event's `event:` field.
   * @returns {@link EventMapper.isFinished}
   */
  event(event: unknown, name?: string): boolean
  /**
   * The body has ended: makes the terminal event.
   *
   * @throws {StreamFailureError} when the answer is not complete, or ended in a failure. What arrived before
   * stays in the message.
   */
  end(): void
}

/** @returns a mapper that writes to this builder; for one response only. */
export function createMapper(message: AssistantMessageBuilder, compat: ResolvedCompat): EventMapper {
  return new ResponseMapper(message, compat)
}

class ResponseMapper implements EventMapper {
  readonly #message: AssistantMessageBuilder
  readonly #compat: ResolvedCompat
  readonly #items: OutputItems
  /** The response, as it was announced. Not told before there is something of an answer: see {@link end}. */
  #response: WireObject = {}
  #isTold = false
  /** The response, as it ended. */
  #final: WireObject | undefined
  #error: WireObject | undefined

  constructor(message: AssistantMessageBuilder, compat: ResolvedCompat) {
    this.#message = message
    this.#compat = compat
    this.#items = new OutputItems(message)
  }

  get isFinished(): boolean {
    return this.#final !== undefined
  }

  get isUntold(): boolean {
    return !this.#isTold && this.#response.id !== undefined
  }

  get isFailing(): boolean {
    return this.#error !== undefined
  }

  event(event: unknown, name?: string): boolean {
    if (isWireObject(event) && !this.isFinished) this.#event(event, textOf(event.type) || textOf(name))
    return this.isFinished
  }

  end(): void {
    const failure = this.#failure()
    // What has not begun can be tried again, unless trying again is no use.
    if (failure?.failure.retryable && !this.#message.started) throw failure
    this.tell()
    const word = wordOf(this.#final)
    if (word !== "") this.#message.rawStopReason(word)
    if (this.#final && isWireObject(this.#final.usage)) {
      this.#message.usage(toUsageReport(this.#final.usage, this.#compat))
    }
    if (failure) throw failure
    const ending = toEnding(word)
    if ("failure" in ending) throw toError(ending)
    this.#items.end(ending.reason === "length")
    this.#message.done(ending.reason)
  }

  #event(event: WireObject, type: string): void {
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.#named(event.response)
        return
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.done":
        this.#finish(objectOf(event.response), type)
        return
      case "error":
        this.#error ??= event
        return
      case "":
        this.#untyped(event)
        return
      default:
        this.#output(event, type)
    }
  }

  /** A server that does not stream answers with the response itself; a gateway, with an error of its own. */
  #untyped(event: WireObject): void {
    if (event.object === "response" && ENDED.has(event.status)) {
      for (const [index, item] of objectsOf(event.output).entries()) {
        this.tell()
        this.#items.done({ output_index: index, item })
      }
      this.#finish(event, "")
    } else if (event.error || event.detail) this.#error ??= event
  }

  /** The event's name says for certain that a response failed; some servers leave its status as it was. */
  #finish(response: WireObject, type: string): void {
    this.#named(response)
    const stated = ENDED.has(response.status) ? response.status : "completed"
    this.#final = { ...response, status: STATUS_OF_EVENT[type] ?? stated }
  }

  /** Empty names never overwrite. */
  #named(response: unknown): void {
    if (!isWireObject(response)) return
    const { id, model } = this.#response
    this.#response = { id: textOf(response.id) || textOf(id), model: textOf(response.model) || textOf(model) }
    if (this.#isTold) this.tell()
  }

  tell(): void {
    this.#isTold = true
    this.#message.start()
    this.#message.responseId(textOf(this.#response.id))
    this.#message.responseModel(textOf(this.#response.model))
  }

  #output(event: WireObject, type: string): void {
    const handle = OUTPUT_EVENTS.get(type)
    if (!handle) return
    if (!this.#isTold) this.tell()
    handle(this.#items, event)
  }

  #failure(): StreamFailureError | undefined {
    const { status, error, error_type: errorType } = this.#final ?? {}
    if (status === "failed" && isWireObject(error)) {
      // OpenRouter's code is coarse, and the type beside it is not.
      const code = textOf(errorType) || error.code
      const body = { error: { ...error, code, type: textOf(error.type) || textOf(error.code) } }
      return toStreamFailureError({ body }, FAILURE_RULES)
    }
    if (this.#error) return toStreamFailureError({ body: this.#error }, FAILURE_RULES)
    if (status === "failed") return toError(toEnding("failed"))
    return this.#final ? undefined : protocolError(UNFINISHED)
  }
}

const UNFINISHED = "The response ended before the model had finished: no response.completed arrived."

const STATUS_OF_EVENT: Readonly<Record<string, string | undefined>> = {
  "response.incomplete": "incomplete",
  "response.failed": "failed",
}

const ENDED: ReadonlySet<unknown> = new Set(["completed", "incomplete", "failed", "cancelled"])

function wordOf(response: WireObject | undefined): string {
  if (!response) return ""
  const details = objectOf(response.incomplete_details)
  return response.status === "incomplete"
    ? textOf(details.reason) || response.status
    : textOf(response.status)
}

function toError(ending: Ending): StreamFailureError {
  return "failure" in ending
    ? new StreamFailureError(ending.failure, ending.says)
    : protocolError("The response ended in an unknown way.")
}
