/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
import type { Beat, BeatBlock } from "../beat.ts"
import { bytes, type Wire } from "../wire.ts"
import { eventStreamMessage } from "./aws-event-stream.ts"

const STOP = {
  stop: "end_turn",
  length: "max_tokens",
  toolUse: "tool_use",
  filter: "guardrail_intervened",
} as const

const ERROR_TYPE: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  413: "ValidationException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
  529: "ServiceUnavailableException",
}

/** Bedrock's ConverseStream, in its binary frames. It has no blocks of its own kind. */
export const bedrockWire: Wire = {
  name: "Bedrock ConverseStream",
  contentType: "application/vnd.amazon.eventstream",
  encode: (beats) => [event("messageStart", { role: "assistant" }), ...beats.flatMap(encodeBeat)],
  refuse: (status, says) => ({
    contentType: "application/json",
    body: JSON.stringify({ message: says }),
    headers: { "x-amzn-errortype": ERROR_TYPE[status] ?? "InternalServerException" },
  }),
}

function encodeBeat(beat: Beat): Uint8Array[] {
  switch (beat.type) {
    case "open": {
      const { kind, id, name } = beat.block
      // Text and thinking have no start on this wire.
      return kind === "toolCall"
        ? [of(beat.block, "contentBlockStart", { start: { toolUse: { toolUseId: id, name } } })]
        : []
    }
    case "delta":
      return [of(beat.block, "contentBlockDelta", { delta: DELTA[beat.block.kind](beat.delta) })]
    case "signature": {
      const field = beat.block.kind === "redacted" ? "redactedContent" : "signature"
      const delta = { reasoningContent: { [field]: beat.signature } }
      return [of(beat.block, "contentBlockDelta", { delta })]
    }
    case "close":
      return beat.block.kind === "opaque" ? [] : [of(beat.block, "contentBlockStop", {})]
    case "stop":
      return [event("messageStop", { stopReason: STOP[beat.reason] })]
    case "usage": {
      const { input, output, cacheRead = 0 } = beat.usage
      const usage = {
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + output + cacheRead,
        cacheReadInputTokens: cacheRead,
      }
      return [event("metadata", { usage, metrics: { latencyMs: 1 } })]
    }
    case "overloaded":
      return [
        eventStreamMessage(
          {
            ":exception-type": "serviceUnavailableException",
            ":content-type": "application/json",
            ":message-type": "exception",
          },
          bytes(JSON.stringify({ message: "The service is overloaded." })),
        ),
      ]
    case "unknownEvent":
      return [event("futureEvent", { future: [1] })]
    case "garbage": {
      const frame = event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "x" } })
      frame.fill(0, frame.length - 4)
      return [frame]
    }
    default:
      return []
  }
}

const DELTA: Readonly<Record<BeatBlock["kind"], (text: string) => object>> = {
  text: (text) => ({ text }),
  thinking: (text) => ({ reasoningContent: { text } }),
  redacted: () => ({}),
  toolCall: (input) => ({ toolUse: { input } }),
  opaque: () => ({}),
}

function of({ number }: BeatBlock, type: string, fields: object): Uint8Array {
  return event(type, { contentBlockIndex: number, ...fields })
}

function event(type: string, payload: object): Uint8Array {
  return eventStreamMessage(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    bytes(JSON.stringify(payload)),
  )
}
