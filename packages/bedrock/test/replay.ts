/** Feeds bytes or events to the mapping as the adapter does, without a network. */
import { classifyError } from "@heddle/provider-kit"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Model } from "@heddle/types"
import { createMapper, type EventMapper } from "../src/map-event.ts"
import { mapFrame } from "../src/map-frame.ts"
import { readFrames } from "../src/read-frames.ts"

export interface Replay {
  readonly events: readonly AssistantMessageEvent[]
  readonly message: AssistantMessage
}

export function modelOf(fields: Partial<Model<"bedrock-converse-stream">> = {}): Model {
  return {
    id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    name: "Test",
    api: "bedrock-converse-stream",
    provider: "amazon-bedrock",
    baseUrl: "",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 3 },
    contextWindow: 100_000,
    maxTokens: 8192,
    ...fields,
  }
}

/** @param pieces The body as it comes over the network. */
export function replayBytes(pieces: Iterable<Uint8Array>): Promise<Replay> {
  const { signal } = new AbortController()
  return run((mapper) => readFrames(asBody(pieces), { signal, onFrame: (frame) => mapFrame(frame, mapper) }))
}

/** @param events Type and payload of each. */
export function replayEvents(
  ...events: readonly (readonly [type: string, payload: unknown])[]
): Promise<Replay> {
  return run(async (mapper) => {
    for (const [type, payload] of events) mapper.event(type, payload)
  })
}

async function run(feed: (mapper: EventMapper) => Promise<void>): Promise<Replay> {
  let calls = 0
  const builder = new AssistantMessageBuilder(modelOf(), {
    now: () => 0,
    createToolCallId: () => `made-up-${++calls}`,
  })
  const mapper = createMapper(builder, "request-1")
  try {
    await feed(mapper)
    mapper.end()
  } catch (error) {
    const { failure, message } = classifyError(error)
    builder.fail(failure, message)
  }
  const reader = builder.stream[Symbol.asyncIterator]()
  const events: AssistantMessageEvent[] = []
  for (let event = reader.take(); event; event = reader.take()) events.push(event)
  return { events, message: builder.message }
}

async function* asBody(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}
