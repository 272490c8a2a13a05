/** @see https://platform.openai.com/docs/api-reference/responses-streaming */
import type { Beat, BeatBlock } from "../beat.ts"
import { bytes, sse, stopOf, usageOf, type Wire } from "../wire.ts"
import { openAiError } from "./openai-error.ts"

/** The Responses API. Usage comes at the end only, and thinking without text is not marked as redacted. */
export const openAiResponsesWire: Wire = {
  name: "OpenAI Responses",
  contentType: "text/event-stream; charset=utf-8",
  encode: (beats) => new ResponsesEncoder(beats).encode(),
  refuse: openAiError,
}

interface Item {
  readonly id: string
  text: string
  signature: string | undefined
}

class ResponsesEncoder {
  readonly #beats: readonly Beat[]
  readonly #events: Uint8Array[] = []
  readonly #items = new Map<number, Item>()
  readonly #output: object[] = []

  constructor(beats: readonly Beat[]) {
    this.#beats = beats
  }

  encode(): Uint8Array[] {
    this.#send("response.created", { response: this.#response("in_progress") })
    for (const beat of this.#beats) this.#encodeBeat(beat)
    const stop = stopOf(this.#beats)
    if (stop === "length" || stop === "filter") {
      const reason = stop === "length" ? "max_output_tokens" : "content_filter"
      const response = { ...this.#response("incomplete"), incomplete_details: { reason } }
      this.#send("response.incomplete", { response })
    } else if (stop) this.#send("response.completed", { response: this.#response("completed") })
    return this.#events
  }

  #encodeBeat(beat: Beat): void {
    switch (beat.type) {
      case "open":
        this.#open(beat.block)
        return
      case "delta":
        this.#delta(beat.block, beat.delta)
        return
      case "signature":
        this.#item(beat.block).signature = beat.signature
        return
      case "close":
        this.#close(beat.block)
        return
      case "overloaded": {
        const error = { code: "server_error", message: "The server is overloaded." }
        this.#send("error", { ...error, param: null })
        this.#send("response.failed", { response: { ...this.#response("failed"), error } })
        return
      }
      case "unknownEvent":
        this.#send("response.future_event", { future: [1] })
        return
      case "garbage":
        this.#events.push(bytes('event: response.output_text.delta\ndata: {"type":"response.outp\n\n'))
    }
  }

  #open(block: BeatBlock): void {
    const item: Item = { id: `${PREFIX[block.kind]}_${block.number}`, text: "", signature: undefined }
    this.#items.set(block.number, item)
    this.#send("response.output_item.added", {
      output_index: block.number,
      item: finished(block, item, "in_progress"),
    })
    if (block.kind === "text") {
      this.#sendPart(block, "response.content_part.added", {
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [] },
      })
    }
    if (block.kind === "thinking") {
      const part = { type: "summary_text", text: "" }
      this.#sendPart(block, "response.reasoning_summary_part.added", { summary_index: 0, part })
    }
  }

  #delta(block: BeatBlock, delta: string): void {
    this.#item(block).text += delta
    if (block.kind === "text") {
      this.#sendPart(block, "response.output_text.delta", { content_index: 0, delta, logprobs: [] })
    } else if (block.kind === "thinking") {
      this.#sendPart(block, "response.reasoning_summary_text.delta", { summary_index: 0, delta })
    } else this.#sendPart(block, "response.function_call_arguments.delta", { delta })
  }

  #close(block: BeatBlock): void {
    const item = this.#item(block)
    const { text } = item
    if (block.kind === "text") {
      this.#sendPart(block, "response.output_text.done", { content_index: 0, text, logprobs: [] })
      this.#sendPart(block, "response.content_part.done", {
        content_index: 0,
        part: { type: "output_text", text, annotations: [] },
      })
    } else if (block.kind === "thinking") {
      this.#sendPart(block, "response.reasoning_summary_text.done", { summary_index: 0, text })
      const part = { type: "summary_text", text }
      this.#sendPart(block, "response.reasoning_summary_part.done", { summary_index: 0, part })
    } else if (block.kind === "toolCall") {
      this.#sendPart(block, "response.function_call_arguments.done", { name: block.name, arguments: text })
    }
    const whole = finished(block, item, "completed")
    this.#output[block.number] = whole
    this.#send("response.output_item.done", { output_index: block.number, item: whole })
  }

  #item({ number }: BeatBlock): Item {
    return this.#items.get(number) ?? { id: "", text: "", signature: undefined }
  }

  #response(status: string): object {
    const { input, output, cacheRead } = usageOf(this.#beats)
    return {
      id: "resp_conformance",
      object: "response",
      created_at: 1_700_000_000,
      status,
      error: null,
      incomplete_details: null,
      model: "conformance-1",
      output: this.#output.filter(Boolean),
      usage:
        status === "in_progress"
          ? null
          : {
              input_tokens: input + cacheRead,
              input_tokens_details: { cached_tokens: cacheRead },
              output_tokens: output,
              output_tokens_details: { reasoning_tokens: 0 },
              total_tokens: input + cacheRead + output,
            },
    }
  }

  #sendPart(block: BeatBlock, type: string, fields: object): void {
    this.#send(type, { item_id: this.#item(block).id, output_index: block.number, ...fields })
  }

  #send(type: string, fields: object): void {
    this.#events.push(sse({ type, sequence_number: this.#events.length, ...fields }, type))
  }
}

const PREFIX = { text: "msg", thinking: "rs", redacted: "rs", toolCall: "fc", opaque: "ws" } as const

function finished(
  { kind, id: callId, name }: BeatBlock,
  { id, text, signature }: Item,
  status: string,
): object {
  const done = status === "completed"
  switch (kind) {
    case "text": {
      const content = done ? [{ type: "output_text", text, annotations: [], logprobs: [] }] : []
      return { id, type: "message", role: "assistant", status, content }
    }
    case "thinking":
    case "redacted": {
      const summary = done && text !== "" ? [{ type: "summary_text", text }] : []
      return {
        id,
        type: "reasoning",
        summary,
        ...(signature !== undefined && { encrypted_content: signature }),
      }
    }
    case "toolCall":
      return { id, type: "function_call", status, call_id: callId, name, arguments: done ? text : "" }
    case "opaque":
      return { id, type: "web_search_call", status, action: { type: "search", query: "conformance" } }
  }
}
