/** A proxy in the same process: a `fetch` that answers from a list and remembers what it was asked. */
import { fauxModel } from "@heddle/faux"
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream } from "@heddle/types"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly signal: AbortSignal
}

type Answer = Response | (() => Response | Promise<Response>)

/** The last answer is given to all requests that follow. `DELETE` gets an empty one of its own. */
export function proxyDouble(...answers: readonly Answer[]) {
  const asked: Asked[] = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { method = "GET", body, signal } = init
    if (!signal) throw new TypeError("A request without a signal cannot be aborted")
    const headers = Object.fromEntries(new Headers(init.headers))
    const answer =
      answers[Math.min(asked.filter((one) => one.method !== "DELETE").length, answers.length - 1)]
    asked.push({
      method,
      url: String(input),
      headers,
      body: body ? JSON.parse(String(body)) : undefined,
      signal,
    })
    signal.throwIfAborted()
    if (method === "DELETE") return new Response(null, { status: 204 })
    if (!answer) throw new TypeError("fetch failed", { cause: new Error("nobody listens") })
    return typeof answer === "function" ? answer() : answer.clone()
  }
  return { fetch, asked, of: (method: string) => asked.filter((one) => one.method === method) }
}

/** A body whose chunks the test writes. */
export function openBody() {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (opened) => {
      controller = opened
    },
    cancel: () => {
      cancelled = true
    },
  })
  return {
    body,
    write: (text: string) => cancelled || controller?.enqueue(encoder.encode(text)),
    end: () => cancelled || controller?.close(),
    drop: () => controller?.error(new TypeError("terminated", { cause: new Error("other side closed") })),
    get cancelled() {
      return cancelled
    },
  }
}

/** A response of server-sent events. */
export function events(text: string | BodyInit, headers: Record<string, string> = {}): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream", ...headers } })
}

/** A whole answer: every event as one `data: ` line. */
export function lines(...list: readonly (object | string)[]): string {
  return list
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join("")
}

/** The same, with ids from this number on. */
export function numbered(first: number, ...list: readonly object[]): string {
  return list.map((event, at) => `id: ${first + at}\n${lines(event)}`).join("")
}

export const START = { type: "start" }
export const OPEN = { type: "text_start", contentIndex: 0 }
export const say = (delta: string) => ({ type: "text_delta", contentIndex: 0, delta })
export const CLOSE = { type: "text_end", contentIndex: 0 }
export const DONE = { type: "done", reason: "stop" }

export const HELLO = [START, OPEN, say("Hel"), say("lo"), CLOSE, DONE] as const

export const model = fauxModel()

export const context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] } as const

/** Reads to the end. */
export async function read(
  stream: AssistantMessageEventStream,
): Promise<{ events: AssistantMessageEvent[]; message: AssistantMessage }> {
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return { events, message: await stream.result() }
}

export function textOf(message: AssistantMessage): string {
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("")
}

/** Lets promises settle without letting time pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}
