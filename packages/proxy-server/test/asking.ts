/** Asks a handler directly, without a server. */
import { fauxModel } from "@heddle/faux"
import type { AssistantMessageEvent, StreamFn } from "@heddle/types"
import { createProxyHandler, type ProxyHandler, type ProxyHandlerOptions } from "../src/index.ts"

export const model = fauxModel({
  baseUrl: "https://vendor.test/v1",
  headers: { "x-key": "sk-of-the-server" },
})

export const URL_ = "https://proxy.test/api/stream"

export const BODY = {
  model: { provider: model.provider, id: model.id },
  context: { messages: [{ role: "user", content: "Hi", timestamp: 1 }] },
  options: {},
} as const

/** A handler that knows one model, and everybody. */
export function handlerOf(streamFn: StreamFn, options: Partial<ProxyHandlerOptions> = {}): ProxyHandler {
  return createProxyHandler({
    resolveModel: ({ provider, id }) => (provider === model.provider && id === model.id ? model : undefined),
    streamFn,
    authorize: () => "alice",
    ...options,
  })
}

/** A request for an answer. A body that is no string is sent as JSON. */
export function post(body: unknown = BODY, init: RequestInit = {}): Request {
  return new Request(URL_, {
    method: "POST",
    body: typeof body === "string" || body instanceof ReadableStream ? body : JSON.stringify(body),
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
    duplex: "half",
  } as RequestInit)
}

/** The same, of a client that can come back. */
export function postResumable(body: unknown = BODY, init: RequestInit = {}): Request {
  return post(body, {
    ...init,
    headers: { "heddle-protocol": "1", ...(init.headers as Record<string, string>) },
  })
}

export function resume(
  streamId: string,
  lastEventId?: number | string,
  headers: Record<string, string> = {},
) {
  return new Request(`${URL_}/${streamId}`, {
    headers: { ...headers, ...(lastEventId !== undefined && { "last-event-id": String(lastEventId) }) },
  })
}

export function remove(streamId: string, headers: Record<string, string> = {}): Request {
  return new Request(`${URL_}/${streamId}`, { method: "DELETE", headers })
}

export interface WireEvent {
  readonly id: number
  readonly type: string
  readonly [field: string]: unknown
}

/** Takes the blocks of an event stream apart. Comments are left out. */
export function parse(text: string): WireEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const [, id, data] = /^id: (\d+)\ndata: ([^\n\r]*)$/.exec(block) ?? []
      if (id === undefined || data === undefined) throw new Error(`This is no event: ${block}`)
      return { ...JSON.parse(data), id: Number(id) }
    })
}

/** Reads to the end. */
export async function eventsOf(response: Response): Promise<WireEvent[]> {
  return parse(await response.text())
}

/** Reads piece by piece. */
export function readerOf(response: Response) {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  if (!reader) throw new Error("The response has no body")
  return {
    /** The next piece; undefined at the end. */
    next: async () => {
      const { done, value } = await reader.read()
      return done ? undefined : decoder.decode(value)
    },
    cancel: () => reader.cancel(),
  }
}

/** An upstream whose events the test makes. */
export function upstreamDouble() {
  const calls: { model: unknown; context: unknown; options: Parameters<StreamFn>[2] }[] = []
  let wake = (): void => {}
  let left = false
  const queue: AssistantMessageEvent[] = []
  const streamFn: StreamFn = (asked, context, options) => {
    calls.push({ model: asked, context, options })
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          for (;;) {
            const value = queue.shift()
            if (value) return { value, done: false }
            if (left) return { value: undefined, done: true }
            await new Promise<void>((resolve) => (wake = resolve))
          }
        },
        return: async () => {
          left = true
          wake()
          return { value: undefined, done: true }
        },
      }),
      result: () => Promise.reject(new Error("Nobody asks for the result")),
    }
  }
  return {
    streamFn,
    calls,
    push: (...events: readonly object[]) => {
      queue.push(...(events as AssistantMessageEvent[]))
      wake()
    },
    get signal() {
      return calls[0]?.options?.signal
    },
    get left() {
      return left
    },
  }
}

/** Lets promises settle without letting time pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
}
