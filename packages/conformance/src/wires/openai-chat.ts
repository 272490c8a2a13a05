/** @see https://platform.openai.com/docs/api-reference/chat-streaming */
import type { Beat, BeatBlock } from "../beat.ts"
import { bytes, sse, stopOf, type Wire } from "../wire.ts"
import { openAiError } from "./openai-error.ts"

const STOP = { stop: "stop", length: "length", toolUse: "tool_calls", filter: "content_filter" } as const

/**
 * Chat completions, of OpenAI and the many who speak it.
 *
 * It has no signatures, no redacted thinking and no blocks of its own; thinking is `reasoning_content`, as
 * DeepSeek and others send it.
 */
export const openAiChatWire: Wire = {
  name: "OpenAI chat completions",
  contentType: "text/event-stream; charset=utf-8",
  encode: (beats) => {
    const calls = beats.flatMap((beat) =>
      beat.type === "open" && beat.block.kind === "toolCall" ? [beat.block.number] : [],
    )
    return [
      chunk({ role: "assistant", content: "" }),
      ...beats.flatMap((beat) => encodeBeat(beat, ({ number }) => calls.indexOf(number))),
      ...(stopOf(beats) ? [sse("[DONE]")] : []),
    ]
  },
  refuse: openAiError,
}

function encodeBeat(beat: Beat, callIndex: (block: BeatBlock) => number): Uint8Array[] {
  switch (beat.type) {
    case "open": {
      const { kind, id, name } = beat.block
      if (kind !== "toolCall") return []
      const call = { index: callIndex(beat.block), id, type: "function", function: { name, arguments: "" } }
      return [chunk({ tool_calls: [call] })]
    }
    case "delta": {
      const { delta } = beat
      if (beat.block.kind === "text") return [chunk({ content: delta })]
      if (beat.block.kind === "thinking") return [chunk({ reasoning_content: delta })]
      const call = { index: callIndex(beat.block), function: { arguments: delta } }
      return [chunk({ tool_calls: [call] })]
    }
    case "usage": {
      const { input, output, cacheRead = 0 } = beat.usage
      return [
        body({
          choices: [],
          usage: {
            prompt_tokens: input + cacheRead,
            completion_tokens: output,
            total_tokens: input + cacheRead + output,
            prompt_tokens_details: { cached_tokens: cacheRead },
          },
        }),
      ]
    }
    case "stop":
      return [chunk({}, STOP[beat.reason])]
    case "overloaded":
      return [
        sse({
          error: {
            message: "The engine is overloaded.",
            type: "server_error",
            param: null,
            code: "overloaded",
          },
        }),
      ]
    case "unknownEvent":
      return [
        bytes(": a comment\n\n"),
        body({ choices: [], future: { field: 1 } }),
        chunk({ future_field: ["x"] }),
      ]
    case "garbage":
      return [bytes('data: {"id":"chatcmpl-conformance","object":"chat.completion.chunk","choi\n\n')]
    default:
      return []
  }
}

function chunk(delta: object, finishReason: string | null = null): Uint8Array {
  return body({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] })
}

function body(fields: object): Uint8Array {
  return sse({
    id: "chatcmpl-conformance",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "conformance-1",
    ...fields,
  })
}
