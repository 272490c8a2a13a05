/** Feeds bytes or chunks to the mapping as the adapter does, without a network. */
import { readSse } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { resolveCompat } from "../../src/completions/compat.ts"
import { createMapper } from "../../src/completions/map-event.ts"
import { asBody, type Replay, replay } from "../replay.ts"

export function modelOf(provider: string, fields: Partial<Model<"openai-completions">> = {}): Model {
  return {
    id: "test-model",
    name: "Test",
    api: "openai-completions",
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
  return run(provider, (onEvent) => readSse(asBody(pieces), { signal, onEvent }))
}

/** @param names The names of the events, where they have some. */
export function replayChunks(
  provider: string,
  chunks: readonly unknown[],
  names: readonly (string | undefined)[] = [],
): Promise<Replay> {
  return run(provider, async (onEvent) => {
    for (const [index, chunk] of chunks.entries()) onEvent(chunk, names[index])
  })
}

type OnEvent = (chunk: unknown, name: string | undefined) => void

function run(provider: string, feed: (onEvent: OnEvent) => Promise<void>): Promise<Replay> {
  const model = modelOf(provider)
  return replay(model, async (builder) => {
    const mapper = createMapper(builder, resolveCompat(model))
    await feed((chunk, name) => mapper.event(chunk, name))
    mapper.end()
  })
}
