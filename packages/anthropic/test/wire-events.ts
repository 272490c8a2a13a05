/** Events of the Messages wire, as a test writes them. */

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

/** The first event. `fields` are of the message. */
export function begin(fields: object = {}): Event {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-x-2026",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 1 },
    ...fields,
  }
  return { type: "message_start", message }
}

export function open(index: number, block: object): Event {
  return { type: "content_block_start", index, content_block: block }
}

export function delta(index: number, fields: object): Event {
  return { type: "content_block_delta", index, delta: fields }
}

export function close(index: number): Event {
  return { type: "content_block_stop", index }
}

/** A whole block of text, in two pieces where it can be. */
export function text(index: number, words: string): Event[] {
  const middle = Math.ceil(words.length / 2)
  return [
    open(index, { type: "text", text: "" }),
    delta(index, { type: "text_delta", text: words.slice(0, middle) }),
    delta(index, { type: "text_delta", text: words.slice(middle) }),
    close(index),
  ]
}

/** A whole call, its arguments in pieces. */
export function call(index: number, id: string, name: string, ...pieces: string[]): Event[] {
  return [
    open(index, { type: "tool_use", id, name, input: {} }),
    ...pieces.map((json) => delta(index, { type: "input_json_delta", partial_json: json })),
    close(index),
  ]
}

/** The last two events. */
export function end(
  reason: string | null = "end_turn",
  usage: object = { output_tokens: 2 },
  fields = {},
): Event[] {
  return [
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null, ...fields }, usage },
    { type: "message_stop" },
  ]
}

/** The whole of a short answer: "Hello". */
export const HELLO: readonly Event[] = [begin(), { type: "ping" }, ...text(0, "Hello"), ...end()]

/** The beginning of it: "Hel". */
export const HEL: readonly Event[] = HELLO.slice(0, 4)

export function bytesOf(events: readonly object[]): Buffer {
  return Buffer.from(
    events.map((each) => `event: ${(each as Event).type}\ndata: ${JSON.stringify(each)}\n\n`).join(""),
  )
}
