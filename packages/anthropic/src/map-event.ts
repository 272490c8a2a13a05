/**
 * Replays the events of one Messages response onto the builder.
 *
 * The wire says what begins, where it ends, and what is the end of all. A turn may come in several responses
 * (see `resume-turn.ts`): the keys of the later ones are prefixed, and their usage is added up.
 *
 * What a block means is `blocks.ts`. Whatever is not understood is passed over.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { protocolError, StreamFailureError, toStreamFailureError } from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import { Blocks } from "./blocks.ts"
import { CONTAINER } from "./container.ts"
import { toEnding } from "./stop-reason.ts"
import { UsageMeter } from "./usage.ts"
import { isWireObject, objectOf, objectsOf, textOf, type WireObject } from "./wire.ts"

/** Maps one response. */
export interface MessageMapper {
  /**
   * One event of the body, parsed. Anything may be passed.
   *
   * @param name The event's name, where it has one: gateways' errors may say by it alone what they are.
   * @returns true for the last event: nothing of interest can follow.
   * @throws {StreamFailureError} for an error that the vendor reports in the middle of a stream, classified.
   */
  event(event: unknown, name?: string): boolean
  /**
   * The body has ended: makes the terminal event, unless the turn goes on in another response.
   *
   * @param canResume Whether there may be another response.
   * @throws {StreamFailureError} when the answer is not complete, or ended for a reason that is a failure.
   */
  end(canResume: boolean): "done" | "paused"
}

/**
 * @param round How many responses of this turn came before.
 * @returns a mapper that writes to this builder; for one response only.
 */
export function createMapper(message: AssistantMessageBuilder, round: number): MessageMapper {
  return new ResponseMapper(message, round)
}

class ResponseMapper implements MessageMapper {
  readonly #message: AssistantMessageBuilder
  readonly #blocks: Blocks
  readonly #usage: UsageMeter
  #container: WireObject | undefined
  #stopReason = ""
  #stopDetails: WireObject = {}
  #isComplete = false

  constructor(message: AssistantMessageBuilder, round: number) {
    this.#message = message
    this.#blocks = new Blocks(message, round)
    this.#usage = new UsageMeter(message.message.usage)
  }

  event(event: unknown, name?: string): boolean {
    if (!isWireObject(event)) return false
    switch (event.type) {
      case "message_start":
        this.#begin(objectOf(event.message))
        break
      case "content_block_start":
        this.#blocks.start(event.index, objectOf(event.content_block))
        break
      case "content_block_delta":
        this.#blocks.delta(event.index, objectOf(event.delta))
        break
      case "content_block_stop":
        this.#blocks.stop(event.index)
        break
      case "message_delta":
        this.#state(objectOf(event.delta))
        this.#message.usage(this.#usage.add(objectOf(event.usage)))
        break
      case "message_stop":
        this.#isComplete = true
        break
      case "message": // a server that does not stream
        this.#begin(event)
        this.#isComplete = true
        break
      case "error":
        throw toStreamFailureError({ body: event })
      case undefined: // a gateway's own error
        if (event.error || name === "error") throw toStreamFailureError({ body: event })
        break
      default: // The vendor adds event types and asks clients to ignore unknown ones.
    }
    return this.#isComplete
  }

  end(canResume: boolean): "done" | "paused" {
    if (!this.#isComplete) throw protocolError("The response ended before its last event, message_stop.")
    if (this.#stopReason === "") throw protocolError("The response ended without a stop_reason.")
    const ending = toEnding(this.#stopReason, this.#stopDetails)
    this.#blocks.stopAll("reason" in ending && ending.reason === "length")
    if (this.#container) this.#message.opaque(CONTAINER, CONTAINER, this.#container)
    if ("failure" in ending) throw new StreamFailureError(ending.failure, ending.says)
    if (ending.reason !== "paused") this.#message.done(ending.reason)
    // A call is for the client to answer, whatever else is pending.
    else if (this.#blocks.calls > 0) this.#message.done("toolUse")
    else if (this.#blocks.count > 0 && canResume) return "paused"
    else this.#message.done("length")
    return "done"
  }

  /** Everything may be there from the start: content, stop reason and container. */
  #begin(message: WireObject): void {
    this.#message.responseId(textOf(message.id))
    this.#message.responseModel(textOf(message.model))
    this.#message.usage(this.#usage.add(objectOf(message.usage)))
    for (const [index, block] of objectsOf(message.content).entries()) {
      this.#blocks.start(index, block)
      this.#blocks.stop(index)
    }
    this.#state(message)
  }

  #state(state: WireObject): void {
    const word = textOf(state.stop_reason)
    if (word !== "") {
      this.#stopReason = word
      this.#message.rawStopReason(word)
    }
    if (isWireObject(state.stop_details)) this.#stopDetails = state.stop_details
    if (isWireObject(state.container)) this.#container = state.container
  }
}
