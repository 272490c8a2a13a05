/**
 * Replays the chunks of a chat completion onto the builder.
 *
 * A chunk says little: some text, some thinking, pieces of tool calls, and at the end why the model stopped.
 * Text and thinking have no keys on this wire, so at most one of them is open, and whatever else arrives
 * closes it; calls stay open until the end, because their pieces may interleave.
 *
 * Chunks go on after the finish reason (usage comes last), so nothing is final before {@link ChunkMapper.end}.
 * Whatever a chunk holds that is not understood is passed over.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/streaming
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
import { detailsText, ReasoningDetails } from "./reasoning-details.ts"
import { toEnding } from "./stop-reason.ts"
import { ToolCalls } from "./tool-calls.ts"
import { toUsageReport } from "./usage.ts"

/** Maps one response. */
export interface ChunkMapper {
  /** The model has said why it stopped: what is still to come may be missing without harm. */
  readonly finished: boolean
  /**
   * One event of the body, parsed. Anything may be passed.
   *
   * @param name The event's name, where it has one.
   * @throws {StreamFailureError} for an error that the vendor reports in the middle of a stream, classified.
   * What arrived before stays in the message.
   */
  event(chunk: unknown, name?: string): void
  /**
   * The body has ended: makes the terminal event.
   *
   * @throws {StreamFailureError} when the answer is not complete, or ended for a reason that is a failure.
   */
  end(): void
}

/** @returns a mapper that writes to this builder; for one response only. */
export function createMapper(message: AssistantMessageBuilder, compat: ResolvedCompat): ChunkMapper {
  return new CompletionMapper(message, compat)
}

class CompletionMapper implements ChunkMapper {
  readonly #message: AssistantMessageBuilder
  readonly #compat: ResolvedCompat
  readonly #calls: ToolCalls
  readonly #details = new ReasoningDetails()
  /** What of the two is open: the key of the block as well. */
  #open: "text" | "thinking" | undefined
  /** Text or a call has arrived. */
  #answers = false
  #finish = ""

  constructor(message: AssistantMessageBuilder, compat: ResolvedCompat) {
    this.#message = message
    this.#compat = compat
    this.#calls = new ToolCalls(message)
  }

  get finished(): boolean {
    return this.#finish !== ""
  }

  event(chunk: unknown, name?: string): void {
    if (!isWireObject(chunk)) return
    const fails = isFailure(chunk) || name === "error"
    if (!fails) this.#identity(chunk)
    const choice = objectsOf(chunk.choices).find(isFirstChoice)
    if (choice) this.#delta(deltaOf(choice, chunk.object === "chat.completion"))
    if (choice && !fails) this.#finishReason(textOf(choice.finish_reason))
    this.#usage(chunk, choice)
    if (fails) throw toStreamFailureError({ body: chunk })
  }

  end(): void {
    if (!this.finished) throw protocolError(UNFINISHED)
    const ending = toEnding(this.#finish)
    if ("failure" in ending) {
      throw new StreamFailureError(ending.failure, `${ending.says} (finish_reason: ${this.#finish}).`)
    }
    this.#closeThinking()
    this.#calls.end(ending.reason === "length")
    this.#message.done(ending.reason)
  }

  /** Azure's first chunks have an empty id and model; some servers change the id in the middle. */
  #identity(chunk: WireObject): void {
    const id = textOf(chunk.id)
    if (id !== "") this.#message.responseId(id)
    const model = textOf(chunk.model)
    if (model !== "") this.#message.responseModel(model)
  }

  /** OpenRouter repeats it on the chunk that carries usage. */
  #finishReason(word: string): void {
    if (word === "" || word === this.#finish) return
    this.#finish = word
    this.#message.rawStopReason(word)
  }

  #delta(delta: WireObject): void {
    this.#reasoning(delta)
    if (typeof delta.content === "string") this.#text(delta.content)
    else for (const part of objectsOf(delta.content)) this.#part(part)
    this.#text(textOf(delta.refusal)) // prose from the model, with a finish reason like any other
    for (const call of objectsOf(delta.tool_calls)) this.#call(call)
    if (isWireObject(delta.function_call)) this.#call({ function: delta.function_call }) // before 2024
  }

  /** Two fields of one meaning; a server that sends both sends the same text in both. */
  #reasoning(delta: WireObject): void {
    const details = objectsOf(delta.reasoning_details)
    this.#thinking(textOf(delta.reasoning_content) || textOf(delta.reasoning) || detailsText(details))
    if (details.length === 0) return
    // Thinking that cannot be read stands before the answer too. Once there is one, it waits for the end.
    if (!this.#answers && this.#open !== "thinking") this.#openThinking()
    this.#details.add(details)
  }

  /** Mistral's content: what the model thinks and what it says, as parts. */
  #part(part: WireObject): void {
    if (part.type === "text") this.#text(textOf(part.text))
    if (part.type !== "thinking") return
    this.#thinking(textOf(part.thinking))
    for (const piece of objectsOf(part.thinking)) this.#thinking(textOf(piece.text))
  }

  #text(delta: string): void {
    if (delta === "") return
    if (this.#open !== "text") this.#closeOpen()
    this.#open = "text"
    this.#answers = true
    this.#calls.otherContent()
    this.#message.text("text", delta)
  }

  #thinking(delta: string): void {
    if (delta === "") return
    if (this.#open !== "thinking") this.#closeOpen()
    this.#open = "thinking"
    this.#calls.otherContent()
    this.#message.thinking("thinking", delta)
  }

  #call(fragment: WireObject): void {
    this.#closeOpen()
    this.#answers = true
    this.#calls.add(fragment)
  }

  #openThinking(): void {
    this.#closeOpen()
    this.#open = "thinking"
    this.#message.thinking("thinking", "")
  }

  #closeOpen(): void {
    if (this.#open === undefined) return
    if (this.#open === "thinking" && !this.#details.isEmpty) {
      this.#message.signature("thinking", this.#details.take())
    }
    this.#message.close(this.#open)
    this.#open = undefined
  }

  /** Details that came after the answer had begun get a block of their own behind it. */
  #closeThinking(): void {
    if (!this.#details.isEmpty && this.#open !== "thinking") this.#openThinking()
    if (this.#open === "thinking") this.#closeOpen()
  }

  /** Groq's older bodies have it under `x_groq` only, Moonshot's in the choice. Never more than one counts. */
  #usage(chunk: WireObject, choice: WireObject | undefined): void {
    const usage = chunk.usage ?? choice?.usage ?? objectOf(chunk.x_groq).usage
    if (isWireObject(usage)) this.#message.usage(toUsageReport(usage, this.#compat))
  }
}

const UNFINISHED = "The response ended before the model had finished: no finish_reason arrived."

/** More than one answer is never asked for. */
function isFirstChoice(choice: WireObject): boolean {
  return choice.index === undefined || choice.index === null || choice.index === 0
}

/** A server that does not stream answers with one whole `message`; beside a `delta` it says nothing new. */
function deltaOf(choice: WireObject, isWhole: boolean): WireObject {
  const delta = isWhole ? (choice.delta ?? choice.message) : choice.delta
  return objectOf(delta)
}

/** Most vendors send `{ error }`, vLLM and Mistral the error itself. */
function isFailure(chunk: WireObject): boolean {
  return Boolean(chunk.error) || chunk.object === "error"
}
