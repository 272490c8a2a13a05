/** Feeds bytes or events to the mapping as the adapter does, without a network. */
import { classifyError, readSse } from "@heddle/provider-kit"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Model } from "@heddle/types"
import { createMapper } from "../src/map-event.ts"

export interface Replay {
  readonly events: readonly AssistantMessageEvent[]
  readonly message: AssistantMessage
  /** What the mapping said of the end; absent where it failed. */
  readonly outcome: "done" | "paused" | undefined
}

export function modelOf(fields: Partial<Model<"anthropic-messages">> = {}): Model {
  return {
    id: "claude-test",
    name: "Test",
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: "",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
    contextWindow: 200_000,
    maxTokens: 8192,
    ...fields,
  }
}

/** @param pieces The body as it comes over the network. */
export function replayBytes(pieces: Iterable<Uint8Array>): Promise<Replay> {
  const { signal } = new AbortController()
  return run((onEvent) => readSse(asBody(pieces), { signal, onEvent }))
}

export function replayEvents(events: readonly unknown[], canResume = true): Promise<Replay> {
  return run(async (onEvent) => {
    for (const event of events) if (onEvent(event)) return
  }, canResume)
}

async function run(
  feed: (onEvent: (event: unknown, name?: string) => boolean) => Promise<void>,
  canResume = true,
): Promise<Replay> {
  const builder = new AssistantMessageBuilder(modelOf(), { now: () => 0, createToolCallId: () => "made-up" })
  const mapper = createMapper(builder, 0)
  let outcome: Replay["outcome"]
  try {
    await feed((event, name) => mapper.event(event, name))
    outcome = mapper.end(canResume)
  } catch (error) {
    const { failure, message } = classifyError(error)
    builder.fail(failure, message)
  }
  const reader = builder.stream[Symbol.asyncIterator]()
  const events: AssistantMessageEvent[] = []
  for (let event = reader.take(); event; event = reader.take()) events.push(event)
  return { events, message: builder.message, outcome }
}

async function* asBody(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}
