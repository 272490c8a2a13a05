/** @see https://ai.google.dev/api/generate-content */
import type { Beat, BeatBlock } from "../beat.ts"
import { bytes, stopOf, usageOf, type Wire } from "../wire.ts"

const STOP = { stop: "STOP", length: "MAX_TOKENS", toolUse: "STOP", filter: "SAFETY" } as const

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
}

/**
 * Gemini's `streamGenerateContent` with `alt=sse`.
 *
 * Blocks have no keys, so neighbours of one kind are one block; calls come whole, with their arguments as an
 * object.
 */
export const geminiWire: Wire = {
  name: "Gemini generateContent",
  contentType: "text/event-stream",
  encode: (beats) => {
    const inputs = new Map<number, string>()
    const stop = stopOf(beats)
    const stoppedAt = beats.findIndex(({ type }) => type === "stop")
    const countedLast = beats.some(({ type }, at) => type === "usage" && at > stoppedAt)
    return [
      ...beats.flatMap((beat) => encodeBeat(beat, inputs, countedLast && stop !== undefined)),
      ...(stop
        ? [
            chunk({
              candidates: [
                { content: { role: "model", parts: [{ text: "" }] }, finishReason: STOP[stop], index: 0 },
              ],
              ...(countedLast && { usageMetadata: usageMetadata(beats) }),
            }),
          ]
        : []),
    ]
  },
  refuse: (status, says, retryAfterMs) => ({
    contentType: "application/json; charset=UTF-8",
    body: JSON.stringify({
      error: {
        code: status,
        message: says,
        status: STATUS[status] ?? "UNKNOWN",
        ...(retryAfterMs !== undefined && {
          details: [
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterMs / 1000}s` },
          ],
        }),
      },
    }),
  }),
}

function encodeBeat(beat: Beat, inputs: Map<number, string>, countedLast: boolean): Uint8Array[] {
  switch (beat.type) {
    case "open":
      return beat.block.kind === "opaque"
        ? [part({ executableCode: { language: "PYTHON", code: "print(1)" } })]
        : []
    case "delta":
      if (beat.block.kind === "text") return [part({ text: beat.delta })]
      if (beat.block.kind === "thinking") return [part({ text: beat.delta, thought: true })]
      inputs.set(beat.block.number, (inputs.get(beat.block.number) ?? "") + beat.delta)
      return []
    case "signature":
      return [part({ text: "", thought: true, thoughtSignature: beat.signature })]
    case "close":
      return beat.block.kind === "toolCall" ? [part(call(beat.block, inputs))] : []
    case "usage":
      return countedLast ? [] : [chunk({ usageMetadata: usageMetadata([beat]) })]
    case "overloaded":
      return [event({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } })]
    case "unknownEvent":
      return [chunk({ futureField: { a: 1 }, candidates: [{ index: 0, futureRating: [0.5] }] })]
    case "garbage":
      return [bytes('data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n')]
    default:
      return []
  }
}

function call({ id, name, number }: BeatBlock, inputs: ReadonlyMap<number, string>): object {
  const json = inputs.get(number) ?? ""
  return { functionCall: { id, name, args: json === "" ? {} : JSON.parse(json) } }
}

function usageMetadata(beats: readonly Beat[]): object {
  const { input, output, cacheRead } = usageOf(beats)
  return {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: input + cacheRead + output,
  }
}

function part(fields: object): Uint8Array {
  return chunk({ candidates: [{ content: { role: "model", parts: [fields] }, index: 0 }] })
}

function chunk(fields: object): Uint8Array {
  return event({ ...fields, modelVersion: "conformance-1", responseId: "conformance" })
}

/** Lines end in CRLF on this wire. */
function event(data: object): Uint8Array {
  return bytes(`data: ${JSON.stringify(data)}\r\n\r\n`)
}
