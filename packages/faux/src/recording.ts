/**
 * The format of recordings: JSON lines, each of which belongs to one call of the recorded StreamFn.
 *
 * ```jsonl
 * {"call":1,"recording":1,"model":{"api":"faux","provider":"faux","id":"faux-1"},"request":{…}}
 * {"call":1,"ms":3,"as":{"api":"faux","provider":"faux","model":"faux-1","timestamp":1700000000000}}
 * {"call":1,"ms":3,"do":["start"]}
 * {"call":1,"ms":5,"do":["text",0,"Hello"]}
 * {"call":1,"ms":9,"do":["done","stop"]}
 * ```
 *
 * A line with `recording`, the version of the format, begins a call. `as` is who answers, from the first
 * event. `do` is a builder call, see `builder-call.ts`. `broke` says why a stream could not be read to its
 * end. `ms` counts from the beginning of the call. The lines of calls that ran at the same time may
 * interleave, and recordings may be joined: a call is read until the next one of its number begins.
 */
import type { ModelIdentity } from "@heddle/stream"
import { type BuilderCall, isBuilderCall, isRecord } from "./builder-call.ts"
import type { RecordedRequest } from "./recorded-request.ts"

/** The version that this package writes, and the only one it reads. */
export const RECORDING_VERSION = 1

/** Who answered a call, and when. */
export interface Answerer {
  readonly api: string
  readonly provider: string
  readonly model: string
  /** Unix milliseconds. */
  readonly timestamp: number
}

/** One line of a recording. */
export type RecordingLine =
  | {
      readonly call: number
      readonly recording: number
      readonly model: ModelIdentity
      readonly request?: RecordedRequest | undefined
    }
  | { readonly call: number; readonly ms: number; readonly as: Answerer }
  | { readonly call: number; readonly ms: number; readonly do: BuilderCall }
  | { readonly call: number; readonly ms: number; readonly broke: string }

/** One step of a recorded answer. */
export interface RecordedStep {
  /** Milliseconds since the call. */
  readonly ms: number
  readonly do: BuilderCall
}

/** What was recorded of one call. */
export interface RecordedCall {
  readonly request: unknown
  answerer: Answerer | undefined
  readonly steps: RecordedStep[]
}

/** Thrown by `replay()` for a source with a line that is none of a recording's; no call of it is played. */
export class RecordingError extends Error {
  override readonly name = "RecordingError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "BAD_RECORDING"

  /** @param line Counted from 1. */
  constructor(line: number, reason: string) {
    super(`Line ${line} of the recording ${reason}`)
  }
}

/** Reads a recording line by line. */
export class RecordingReader {
  /** The calls so far, in the order they began. */
  readonly calls: RecordedCall[] = []
  readonly #latest = new Map<unknown, RecordedCall>()
  #line = 0

  /**
   * @param text One line or several; empty ones are skipped.
   * @throws RecordingError
   */
  read(text: string): void {
    if (typeof text !== "string") throw new RecordingError(this.#line + 1, "is not text")
    for (const line of text.split("\n")) {
      this.#line++
      if (line.trim() !== "") this.#take(this.#parse(line.trim()))
    }
    // An item that ends with its newline is one line, not two.
    if (text.endsWith("\n")) this.#line--
  }

  #take(line: Readonly<Record<string, unknown>>): void {
    if ("recording" in line) {
      if (line.recording !== RECORDING_VERSION) {
        const version = JSON.stringify(line.recording)
        throw this.#bad(`is of version ${version}; this package reads version ${RECORDING_VERSION}`)
      }
      const call: RecordedCall = { request: line.request, answerer: undefined, steps: [] }
      this.calls.push(call)
      this.#latest.set(line.call, call)
      return
    }
    const call = this.#latest.get(line.call)
    if (!call) throw this.#bad("belongs to a call that no line before it begins")
    const { ms } = line
    if (typeof ms !== "number") throw this.#bad("does not say when: ms is not a number")
    if (isAnswerer(line.as)) call.answerer = line.as
    else if (isBuilderCall(line.do)) call.steps.push({ ms, do: line.do })
    else if (typeof line.broke === "string") call.steps.push({ ms, do: ["fail", BROKEN, line.broke] })
    else throw this.#bad("says nothing that can be played")
  }

  #parse(text: string): Readonly<Record<string, unknown>> {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw this.#bad("is not JSON")
    }
    if (!isRecord(value)) throw this.#bad("is not a JSON object")
    return value
  }

  #bad(reason: string): RecordingError {
    return new RecordingError(this.#line, reason)
  }
}

const BROKEN = { code: "protocol", retryable: false } as const

/** Whether a value names who answers and when. */
export function isAnswerer(value: unknown): value is Answerer {
  return (
    isRecord(value) &&
    typeof value.api === "string" &&
    typeof value.provider === "string" &&
    typeof value.model === "string" &&
    Number.isFinite(value.timestamp)
  )
}
