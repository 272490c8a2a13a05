/**
 * Reads the JSON events of a `text/event-stream` body.
 *
 * Real bodies end without a final blank line, end their lines with CR LF, cut characters in half at chunk
 * borders, stay open after `[DONE]`, or are no event stream at all: a whole answer in JSON, an error, a login
 * page. All of that is handled here, once; what an event means is the adapter's.
 *
 * Chunks go straight from the body's reader through one decoder into a callback parser: no pipes and no
 * `await` per event.
 */
import { createParser } from "eventsource-parser"
import { classifyFailure } from "./classify-failure.ts"
import { parseJson } from "./failure-message.ts"
import type { FailureRule } from "./failure-rules.ts"
import { protocolError, StreamFailureError } from "./stream-failure-error.ts"
import { isWireObject, type WireObject } from "./wire.ts"

/** A body as fetch gives it, or the async iterable that some fetch replacements give. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/** How a body is read. */
export interface ReadSseOptions {
  /** Ends the reading and closes the connection. */
  readonly signal: AbortSignal
  /**
   * Gets every event whose data is a JSON object. What it throws ends the reading.
   *
   * @param name The event's `event:` field.
   * @returns true to stop reading.
   */
  readonly onEvent: (data: WireObject, name: string | undefined) => boolean | void
  /** Shown the text of the body as it comes, whatever is in it. */
  readonly onText?: ((text: string) => void) | undefined
  /** For bodies that are an error instead of a stream. */
  readonly failureRules?: readonly FailureRule[] | undefined
  /** In characters. Default: 128 Mi, about ten times what a generated picture takes. */
  readonly longestEvent?: number | undefined
}

const LONGEST_EVENT = 128 * 1024 * 1024

/** How much of a body that is neither a stream nor JSON is kept. */
const LONGEST_PREAMBLE = 1024

/** How long the end of a body may follow its last event, so that the connection can be used again. */
const LINGER_MS = 100

/**
 * Resolves when the body has ended, with `[DONE]` or without, when `onEvent` asked to stop, or when the
 * signal fired; the body is closed then.
 *
 * @throws {StreamFailureError} `protocol` for data that is not JSON and for a body without any event; what the
 * body says, where it is an error in JSON.
 * @throws whatever the connection throws when it drops.
 */
export async function readSse(body: ByteStream | null | undefined, options: ReadSseOptions): Promise<void> {
  const { signal, onEvent, onText, longestEvent = LONGEST_EVENT } = options
  if (!body) throw protocolError("The response has no body")
  const reader = readerOf(body)
  const decoder = new TextDecoder()
  let stopped = false
  let events = 0
  /** What came before the first event: all of it where it may be JSON. */
  let preamble = ""
  /** The body has ended: what is left is an event that was not closed by a blank line, or a part of one. */
  let isRest = false

  const parser = createParser({
    maxBufferSize: longestEvent,
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw protocolError("An event of the stream is too long")
    },
    onEvent: ({ data, event }) => {
      if (stopped || data === "") return
      if (data === "[DONE]") {
        events++
        stopped = true
        return
      }
      const parsed = parseData(data, isRest)
      if (parsed !== undefined) events++
      if (isWireObject(parsed) && onEvent(parsed, event) === true) stopped = true
    },
  })

  const cancel = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener("abort", cancel, { once: true })
  let ended = false
  try {
    if (signal.aborted) return
    while (!stopped) {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (done) {
        ended = true
        break
      }
      const text = typeof value === "string" ? value : decoder.decode(value, { stream: true })
      if (events === 0 && preamble.length < (isJson(preamble) ? longestEvent : LONGEST_PREAMBLE))
        preamble += text
      onText?.(text)
      parser.feed(text)
    }
    if (ended) {
      parser.feed(decoder.decode())
      isRest = true
      parser.feed("\n\n")
      if (events === 0) readJson(preamble, options)
    } else {
      ended = true
      void linger(reader)
    }
  } finally {
    signal.removeEventListener("abort", cancel)
    if (!ended) cancel()
  }
}

function parseData(data: string, isRest: boolean): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // A body that was cut inside its last event: whether the answer is complete is for the mapping to say.
    if (isRest) return undefined
    throw protocolError("The server sent an event that is not JSON")
  }
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/**
 * A body without events. Servers that do not stream send the whole answer as JSON, Gemini a list of its
 * chunks; gateways send an error or a page of their own with status 200.
 */
function readJson(body: string, options: ReadSseOptions): void {
  if (body.trim() === "") throw protocolError("The server sent an empty response")
  if (/^\s*(:|data:|event:|id:|retry:)/.test(body))
    throw protocolError("The response ended before its first event")
  const parsed = isJson(body) ? parseJson(body) : undefined
  if (parsed === undefined) {
    throw protocolError("The server answered with something else than an event stream")
  }
  for (const each of Array.isArray(parsed) ? parsed : [parsed]) {
    if (!isWireObject(each)) continue
    if (each.error || each.detail) throw refusal(each, options.failureRules)
    if (options.onEvent(each, undefined) === true) return
  }
}

function refusal(body: unknown, rules: readonly FailureRule[] | undefined): StreamFailureError {
  const { failure, message } = classifyFailure({ body }, rules)
  const isTold = failure.code !== "unknown"
  return new StreamFailureError(isTold ? failure : { code: "protocol", retryable: true }, message)
}

interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | string | undefined }>
  cancel(): Promise<unknown>
}

function readerOf(body: ByteStream): ByteReader {
  if ("getReader" in body) return body.getReader()
  const iterator = body[Symbol.asyncIterator]()
  return {
    read: async () => {
      const { done, value } = await iterator.next()
      return { done: done === true, value }
    },
    cancel: async () => iterator.return?.(),
  }
}

/**
 * Reads on for a moment after `[DONE]`: the end of the body is usually on its way, and a body that was read to
 * its end gives its connection back, while a cancelled one closes it.
 */
async function linger(reader: ByteReader): Promise<void> {
  const cancel = (): void => void reader.cancel().catch(() => {})
  const timer = setTimeout(cancel, LINGER_MS)
  const rest = await reader.read().catch(() => undefined)
  clearTimeout(timer)
  if (rest?.done === false) cancel()
}
