/** Events of the Responses API, written by hand from its reference. */

type Event = Readonly<Record<string, unknown>>

export const CREATED: Event = event("created", {
  response: { id: "resp_1", object: "response", status: "in_progress", model: "gpt-x", usage: null },
})

export function event(type: string, fields: object): Event {
  return { type: `response.${type}`, sequence_number: 0, ...fields }
}

export function added(index: number, item: object): Event {
  return event("output_item.added", { output_index: index, item })
}

export function done(index: number, item: object): Event {
  return event("output_item.done", { output_index: index, item })
}

/** The end of a response. */
export function completed(fields: object = {}): Event {
  const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 }
  return event("completed", {
    response: { id: "resp_1", status: "completed", model: "gpt-x-2026", output: [], usage, ...fields },
  })
}

export function incomplete(reason?: string): Event {
  const details = reason === undefined ? null : { reason }
  return event("incomplete", {
    response: { id: "resp_1", status: "incomplete", incomplete_details: details, output: [] },
  })
}

export function textDelta(index: number, delta: string, part = 0): Event {
  return event("output_text.delta", { output_index: index, content_index: part, delta })
}

export function message(id: string, text: string, fields: object = {}): object {
  return {
    id,
    type: "message",
    role: "assistant",
    status: "completed",
    content: text === "" ? [] : [{ type: "output_text", text, annotations: [] }],
    ...fields,
  }
}

export function functionCall(callId: string, name: string, input: unknown, fields: object = {}): object {
  return {
    id: `fc_${callId}`,
    type: "function_call",
    call_id: callId,
    name,
    arguments: input,
    status: "completed",
    ...fields,
  }
}

export function reasoning(summary: readonly string[], fields: object = {}): object {
  return {
    id: "rs_1",
    type: "reasoning",
    summary: summary.map((text) => ({ type: "summary_text", text })),
    ...fields,
  }
}

/** The whole of a short answer: "Hello". */
export const HELLO: readonly Event[] = [
  CREATED,
  event("in_progress", { response: { id: "resp_1", status: "in_progress", model: "gpt-x" } }),
  added(0, message("msg_1", "", { status: "in_progress" })),
  event("content_part.added", {
    output_index: 0,
    content_index: 0,
    part: { type: "output_text", text: "", annotations: [] },
  }),
  textDelta(0, "Hel"),
  textDelta(0, "lo"),
  event("output_text.done", { output_index: 0, content_index: 0, text: "Hello" }),
  event("content_part.done", {
    output_index: 0,
    content_index: 0,
    part: { type: "output_text", text: "Hello", annotations: [] },
  }),
  done(0, message("msg_1", "Hello")),
  completed(),
]
