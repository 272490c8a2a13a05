import { AssistantMessageBuilder } from "@heddle/stream"
import type {
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
  StreamFn,
} from "@heddle/types"
import { Audience } from "./audience.ts"
import { breathe } from "./breathe.ts"
import { applyBuilderCall } from "./builder-call.ts"
import { errorText } from "./error-text.ts"
import { firstDifference, toRecordedRequest } from "./recorded-request.ts"
import { type RecordedCall, type RecordedStep, RecordingReader } from "./recording.ts"
import { type Sleep, sleep, unlessFired } from "./sleep.ts"

/** Where a recording comes from: its text, or its lines. */
export type RecordingSource = string | Iterable<string> | AsyncIterable<string>

/** How a recording is played back. */
export interface ReplayOptions {
  /**
   * What a request has to be to get its answer. `order`: the next one. `strict`: the next one, and the same as
   * when it was recorded, in what it says to the model and in the options that change the answer. Default
   * `order`.
   */
  readonly match?: "order" | "strict" | undefined
  /** `recorded` keeps the pauses of the recording. Default `instant`. */
  readonly pace?: "instant" | "recorded" | undefined
  /** How to wait, with `pace: "recorded"`. Default: the global `setTimeout`, looked up on use. */
  readonly sleep?: Sleep | undefined
  /** The clock for messages that are not in the recording. Unix milliseconds, default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Plays a recording back: request n gets the answer to the n-th call, with the very events that were recorded.
 *
 * The model of the request does not matter: messages name the recorded one. A stream that was recorded
 * misbehaving is played as a proper adapter would have streamed the same, and one that stops without its
 * terminal event ends with a `protocol` error. A request beyond the recording, or one that `match` refuses,
 * is an `error` event that says so, with the code `invalid_request`.
 *
 * A string or an iterable is read here. An async iterable is read at the first request; the StreamFn then
 * answers with a promise, and a bad line is an `error` event of every request.
 *
 * @throws RecordingError for a bad line, with its number and what is wrong with it.
 */
export function replay(source: RecordingSource, options: ReplayOptions = {}): StreamFn {
  let requests = 0
  if (typeof source === "string") return fromCalls(readAll([source]))
  if (Symbol.iterator in source) return fromCalls(readAll(source))

  let reading: Promise<readonly RecordedCall[]> | undefined
  return async (model, context, asked) => {
    const request: ReplayedRequest = { number: ++requests, model, context, asked }
    reading ??= readAllAsync(source)
    try {
      // Fired, there is nothing to find: the signal aborts whatever is answered.
      const calls = (await unlessFired(reading, asked?.signal)) ?? []
      return answer(calls, request, options)
    } catch (error) {
      return refuse(errorText(error), request, options)
    }
  }

  function fromCalls(calls: readonly RecordedCall[]): StreamFn {
    return (model, context, asked) => answer(calls, { number: ++requests, model, context, asked }, options)
  }
}

interface ReplayedRequest {
  /** Counted from 1. */
  readonly number: number
  readonly model: Model
  readonly context: Context
  readonly asked: SimpleStreamOptions | undefined
}

function answer(
  calls: readonly RecordedCall[],
  request: ReplayedRequest,
  options: ReplayOptions,
): AssistantMessageEventStream {
  const { number } = request
  const call = calls[number - 1]
  if (!call) {
    const reason = `The recording has no answer to request ${number}: it has ${calls.length}`
    return refuse(reason, request, options)
  }
  const mismatch = options.match === "strict" ? mismatchOf(call, request) : undefined
  return mismatch === undefined ? perform(call, request, options) : refuse(mismatch, request, options)
}

function mismatchOf(call: RecordedCall, { number, context, asked }: ReplayedRequest): string | undefined {
  if (call.request === undefined) {
    return `Call ${number} was recorded without its request, so nothing can be compared`
  }
  const where = firstDifference(call.request, toRecordedRequest(context, asked))
  return where && `Request ${number} is not the recorded one: ${where} differs`
}

/** Answers with an error. */
function refuse(
  reason: string,
  { model, asked }: ReplayedRequest,
  { now }: ReplayOptions,
): AssistantMessageEventStream {
  const message = new AssistantMessageBuilder(model, { now })
  if (asked?.signal?.aborted) message.abort(asked.signal.reason)
  message.fail({ code: "invalid_request", retryable: false }, reason)
  return message.stream
}

function perform(
  call: RecordedCall,
  request: ReplayedRequest,
  options: ReplayOptions,
): AssistantMessageEventStream {
  const { answerer: from } = call
  const message = from
    ? new AssistantMessageBuilder(
        { api: from.api, provider: from.provider, id: from.model },
        { now: () => from.timestamp },
      )
    : new AssistantMessageBuilder(request.model, { now: options.now })
  void play(call.steps, message, request.asked?.signal, options)
  return message.stream
}

async function play(
  steps: readonly RecordedStep[],
  message: AssistantMessageBuilder,
  signal: AbortSignal | undefined,
  { pace, sleep: rest = sleep }: ReplayOptions,
): Promise<void> {
  const audience = new Audience(message, signal)
  let played = 0
  try {
    for (const step of steps) {
      if (pace === "recorded" && step.ms > played) await rest(step.ms - played, audience.gone)
      await breathe()
      if (message.ended) return
      played = Math.max(played, step.ms)
      applyBuilderCall(message, step.do)
    }
    message.fail({ code: "protocol", retryable: true }, "The recording of this answer stops before its end")
  } catch (error) {
    message.fail({ code: "unknown", retryable: false }, `The replay failed: ${errorText(error)}`)
  } finally {
    audience.dismiss()
  }
}

function readAll(lines: Iterable<string>): readonly RecordedCall[] {
  const reader = new RecordingReader()
  for (const line of lines) reader.read(line)
  return reader.calls
}

async function readAllAsync(lines: AsyncIterable<string>): Promise<readonly RecordedCall[]> {
  const reader = new RecordingReader()
  for await (const line of lines) reader.read(line)
  return reader.calls
}
