import type {
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
  StreamFn,
} from "@heddle/types"
import { isBuilderCall } from "./builder-call.ts"
import { errorText } from "./error-text.ts"
import { isPromiseLike } from "./is-promise-like.ts"
import { LineWriter, type RecordingSink } from "./line-writer.ts"
import { toRecordedRequest } from "./recorded-request.ts"
import { RecordedStream, type StreamListener } from "./recorded-stream.ts"
import { isAnswerer, RECORDING_VERSION, type RecordingLine } from "./recording.ts"
import { BuilderCallReader, messageOf } from "./to-builder-calls.ts"

/** How a StreamFn is recorded. */
export interface RecordOptions {
  /** Called once, with what the sink threw or rejected with. The recording stops there; the streams do not. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The clock of the lines' `ms`. Milliseconds, default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** A StreamFn that is being recorded. */
export interface RecordingStreamFn {
  (
    model: Model,
    context: Context,
    options?: SimpleStreamOptions,
  ): AssistantMessageEventStream | Promise<AssistantMessageEventStream>
  /** Resolves when every line so far is written; rejects with what stopped the recording. */
  flush(): Promise<void>
}

/**
 * Records what a StreamFn streams, for {@link replay}.
 *
 * The wrapped StreamFn behaves as it did: the same events at the same time, the same results, failures, aborts
 * and throws. What its reader reads is recorded; where only `result()` is awaited, all of it is.
 *
 * Each line holds what was said to the model and what it answered; never keys, headers, functions, or the
 * `details` of tool results. Every call is recorded with the conversation it was asked with.
 *
 * @param sink Gets the lines, each with its newline.
 */
export function record(
  streamFn: StreamFn,
  sink: RecordingSink,
  options: RecordOptions = {},
): RecordingStreamFn {
  const writer = new LineWriter(sink, options.onError)
  let calls = 0

  function recording(
    model: Model,
    context: Context,
    asked?: SimpleStreamOptions,
  ): AssistantMessageEventStream | Promise<AssistantMessageEventStream> {
    const log = new CallLog(writer, ++calls, options.now ?? Date.now)
    log.asked(model, context, asked)
    const failed = (error: unknown): never => {
      log.broke(error)
      throw error
    }
    const open = (stream: AssistantMessageEventStream): AssistantMessageEventStream => {
      if (isStream(stream)) return new RecordedStream(stream, log)
      log.broke("The StreamFn returned no stream")
      return stream
    }
    try {
      const returned = streamFn(model, context, asked)
      return isPromiseLike(returned) ? returned.then(open, failed) : open(returned)
    } catch (error) {
      return failed(error)
    }
  }

  return Object.assign(recording, { flush: () => writer.flush() })
}

/** Writes down one call. Nothing in here throws, whatever the events are. */
class CallLog implements StreamListener {
  readonly #writer: LineWriter
  readonly #call: number
  readonly #now: () => number
  readonly #began: number
  readonly #reader = new BuilderCallReader()
  #hasAnswerer = false
  #ended = false

  constructor(writer: LineWriter, call: number, now: () => number) {
    this.#writer = writer
    this.#call = call
    this.#now = now
    this.#began = now()
  }

  asked({ api, provider, id }: Model, context: Context, options: SimpleStreamOptions | undefined): void {
    const request = toRecordedRequest(context, options)
    this.#write({ call: this.#call, recording: RECORDING_VERSION, model: { api, provider, id }, request })
  }

  event(event: AssistantMessageEvent): void {
    if (this.#ended) return
    this.#ended = event?.type === "done" || event?.type === "error"
    try {
      this.#answerer(event)
      for (const call of this.#reader.read(event)) {
        if (isBuilderCall(call)) this.#write({ ...this.#at(), do: call })
      }
    } catch {
      // An event that is not even shaped like one says nothing that could be played back.
    }
  }

  broke(error: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#write({ ...this.#at(), broke: errorText(error) })
  }

  left(): void {
    if (this.#ended) return
    this.#ended = true
    this.#write({ ...this.#at(), do: ["abort", "The reader left the stream"] })
  }

  #answerer(event: AssistantMessageEvent): void {
    const message = this.#hasAnswerer ? undefined : messageOf(event)
    if (!isAnswerer(message)) return
    this.#hasAnswerer = true
    const { api, provider, model, timestamp } = message
    this.#write({ ...this.#at(), as: { api, provider, model, timestamp } })
  }

  #at(): { call: number; ms: number } {
    return { call: this.#call, ms: this.#now() - this.#began }
  }

  #write(line: RecordingLine): void {
    this.#writer.write(line)
  }
}

function isStream(value: unknown): value is AssistantMessageEventStream {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value
}
