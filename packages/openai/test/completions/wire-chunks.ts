/** Chunks of a completion, as a server writes them. */
import { bytesOf, type Reply, raw } from "../scripted-server.ts"

/** A chunk of a completion. */
export function chunk(delta: object, finish: string | null = null, more: object = {}): object {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-x-2026",
    choices,
    ...more,
  }
}

/** The whole of a short answer: "Hello". */
export const HELLO: readonly object[] = [
  chunk({ role: "assistant", content: "Hel" }),
  chunk({ content: "lo" }),
  chunk({}, "stop"),
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
]

/** What follows the last chunk. */
export const DONE = "data: [DONE]\n\n"

/** Streams the chunks and `[DONE]`. */
export function answer(chunks: readonly object[] = HELLO): Reply {
  return raw(bytesOf(chunks, DONE))
}
