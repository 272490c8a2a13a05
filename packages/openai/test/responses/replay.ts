/** Feeds bytes or events to the mapping as the adapter does, without a network. */
import { classifyError, readSse } from "@heddle/provider-kit"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Model } from "@heddle/types"
import { resolveCompat } from "../../src/responses/compat.ts"
import { createMapper, type EventMapper } from "../../src/responses/map-event.ts"

export interface Replay {
  readonly events: readonly AssistantMessageEvent[]
  readonly message: AssistantMessage
}

export function modelOf(
  provider: string,
  fields: Partial<Model<"openai-responses">> = {},
): Model<"openai-responses"> {
  return {
    id: "test-model",
    name: "Test",
    api: "openai-responses",
    provider,
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
export function replayBytes(provider: string, pieces: Iterable<Uint8Array>): Promise<Replay> {
  const { signal } = new AbortController()
  return run(provider, (mapper) =>
    readSse(asBody(pieces), { signal, onEvent: (event, name) => mapper.event(event, name) }),
  )
}

export function replayEvents(provider: string, events: readonly unknown[]): Promise<Replay> {
  return run(provider, async (mapper) => {
    for (const event of events) mapper.event(event)
  })
}

async function run(provider: string, feed: (mapper: EventMapper) => Promise<void>): Promise<Replay> {
  const model = modelOf(provider)
  let calls = 0
  const builder = new AssistantMessageBuilder(model, {
    now: () => 0,
    createToolCallId: () => `made-up-${++calls}`,
  })
  const mapper = createMapper(builder, resolveCompat(model))
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
