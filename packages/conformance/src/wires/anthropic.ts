/** @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
import type { Beat, BeatBlock } from "../beat.ts"
import { bytes, sse, stopOf, usageOf, type Wire } from "../wire.ts"

const STOP = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use", filter: "refusal" } as const

const ERROR_TYPE: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "api_error",
  529: "overloaded_error",
}

/** The Messages API. */
export const anthropicWire: Wire = {
  name: "Anthropic Messages",
  contentType: "text/event-stream; charset=utf-8",
  encode: (beats) => {
    const usage = usageOf(beats)
    const stop = stopOf(beats)
    return [
      event({
        type: "message_start",
        message: {
          id: "msg_conformance",
          type: "message",
          role: "assistant",
          model: "conformance-1",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: usage.input,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: usage.cacheRead,
            output_tokens: Math.min(1, usage.output),
          },
        },
      }),
      event({ type: "ping" }),
      ...beats.flatMap(encodeBeat),
      ...(stop
        ? [
            event({
              type: "message_delta",
              delta: { stop_reason: STOP[stop], stop_sequence: null },
              usage: { output_tokens: usage.output },
            }),
            event({ type: "message_stop" }),
          ]
        : []),
    ]
  },
  refuse: (status, says) => ({
    contentType: "application/json",
    body: JSON.stringify({
      type: "error",
      error: { type: ERROR_TYPE[status] ?? "api_error", message: says },
      request_id: "req_conformance",
    }),
  }),
}

function encodeBeat(beat: Beat): Uint8Array[] {
  switch (beat.type) {
    case "open":
      // The payload of redacted thinking is in its start event: it comes with the signature.
      return beat.block.kind === "redacted" ? [] : [start(beat.block, OPENED[beat.block.kind](beat.block))]
    case "delta":
      return [delta(beat.block, DELTA[beat.block.kind](beat.delta))]
    case "signature":
      return beat.block.kind === "redacted"
        ? [start(beat.block, { type: "redacted_thinking", data: beat.signature })]
        : [delta(beat.block, { type: "signature_delta", signature: beat.signature })]
    case "close":
      return [event({ type: "content_block_stop", index: beat.block.number })]
    case "overloaded":
      return [event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })]
    case "unknownEvent":
      return [event({ type: "future_event", future: [1] }), event({ type: "ping", future: true })]
    case "garbage":
      return [bytes('event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n')]
    default:
      return []
  }
}

const OPENED: Readonly<Record<BeatBlock["kind"], (block: BeatBlock) => object>> = {
  text: () => ({ type: "text", text: "" }),
  thinking: () => ({ type: "thinking", thinking: "", signature: "" }),
  redacted: () => ({}),
  toolCall: ({ id, name }) => ({ type: "tool_use", id, name, input: {} }),
  opaque: ({ number }) => ({
    type: "server_tool_use",
    id: `srvtoolu_${number}`,
    name: "web_search",
    input: {},
  }),
}

const DELTA: Readonly<Record<BeatBlock["kind"], (text: string) => object>> = {
  text: (text) => ({ type: "text_delta", text }),
  thinking: (thinking) => ({ type: "thinking_delta", thinking }),
  redacted: () => ({ type: "future_delta" }),
  toolCall: (json) => ({ type: "input_json_delta", partial_json: json }),
  opaque: (json) => ({ type: "input_json_delta", partial_json: json }),
}

function start({ number }: BeatBlock, block: object): Uint8Array {
  return event({ type: "content_block_start", index: number, content_block: block })
}

function delta({ number }: BeatBlock, fields: object): Uint8Array {
  return event({ type: "content_block_delta", index: number, delta: fields })
}

function event(data: { readonly type: string } & Readonly<Record<string, unknown>>): Uint8Array {
  return sse(data, data.type)
}
