/** Feeds bytes or events to the mapping as the adapter does, without a network. */
import { readSse } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { resolveCompat } from "../../src/responses/compat.ts"
import { createMapper, type EventMapper } from "../../src/responses/map-event.ts"
import { asBody, type Replay, replay } from "../replay.ts"

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

function run(provider: string, feed: (mapper: EventMapper) => Promise<void>): Promise<Replay> {
  const model = modelOf(provider)
  return replay(model, async (builder) => {
    const mapper = createMapper(builder, resolveCompat(model))
    await feed(mapper)
    mapper.end()
  })
}
