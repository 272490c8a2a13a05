/** Feeds bytes or chunks to the mapping as the adapter does, without a network. */
import { classifyError } from "@heddle/provider-kit"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Model } from "@heddle/types"
import { createMapper } from "../src/map-event.ts"
import { readResponse } from "../src/read-response.ts"
import type { GeminiResponse } from "../src/send.ts"

export interface Replay {
  readonly events: readonly AssistantMessageEvent[]
  readonly message: AssistantMessage
  /** What the answer would go on with in another request. */
  readonly continuation: string | undefined
}

export function modelOf(fields: Partial<Model<"google-generative-ai">> = {}): Model {
  return {
    id: "gemini-2.5-flash",
    name: "Test",
    api: "google-generative-ai",
    provider: "google",
    baseUrl: "",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 3 },
    contextWindow: 1_000_000,
    maxTokens: 65_536,
    ...fields,
  }
}

/** @param pieces The body as it comes over the network. */
export function replayBytes(...pieces: readonly Uint8Array[]): Promise<Replay> {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece)
      controller.close()
    },
  })
  return replay([new Response(body)])
}

/** @param chunks Of one request. */
export function replayChunks(...chunks: readonly unknown[]): Promise<Replay> {
  return replay([inChunks(chunks)])
}

/** @param requests The chunks of each of several requests that one answer took. */
export function replayRounds(...requests: readonly (readonly unknown[])[]): Promise<Replay> {
  return replay(requests.map(inChunks))
}

function inChunks(chunks: readonly unknown[]): GeminiResponse {
  return { status: 200, headers: {}, chunks: each(chunks) }
}

async function replay(responses: readonly GeminiResponse[]): Promise<Replay> {
  let calls = 0
  const builder = new AssistantMessageBuilder(modelOf(), { now: () => 0 })
  const mapper = createMapper(builder, () => `local_${++calls}`)
  const { signal } = new AbortController()
  let continuation: string | undefined
  try {
    for (const response of responses) {
      const bare = await readResponse(response, signal, (chunk) => mapper.event(chunk))
      if (bare) throw bare
      continuation = mapper.end(true)
    }
  } catch (error) {
    mapper.interrupt()
    const { failure, message } = classifyError(error)
    builder.fail(failure, message)
  }
  const reader = builder.stream[Symbol.asyncIterator]()
  const events: AssistantMessageEvent[] = []
  for (let event = reader.take(); event; event = reader.take()) events.push(event)
  return { events, message: builder.message, continuation }
}

async function* each(chunks: readonly unknown[]): AsyncGenerator<unknown> {
  yield* chunks
}

/** A chunk with these parts. */
export function chunk(parts: readonly object[], finishReason?: string, more: object = {}): object {
  const candidate = { content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }
  return { candidates: [candidate], modelVersion: "gemini-x-001", responseId: "response-1", ...more }
}

export function text(said: string, more: object = {}): object {
  return { text: said, ...more }
}

export function thought(said: string, more: object = {}): object {
  return { text: said, thought: true, ...more }
}

export function call(name: string, args?: unknown, more: object = {}): object {
  return { functionCall: { name, ...(args !== undefined && { args }) }, ...more }
}
