/**
 * Chat completions as single vendors speak them, made out of the fault server's own by rewriting its chunks.
 *
 * All of them differ in where the thinking stands, some in how they count. That is what a local server has to
 * imitate for a test to say something about a vendor; what else differs is the adapters' own tests' business.
 */
import { geminiWire, openAiChatWire, sse, type Wire } from "@heddle/conformance/node"

type Chunk = Readonly<Record<string, unknown>>

/** The thinking of a chunk, if it has any, in the vendor's fields. */
type SayThinking = (thought: string) => Chunk

const decoder = new TextDecoder()

/** @param count Fields that the vendor adds to OpenAI's counts, or puts in their place. */
export function chatDialect(sayThinking: SayThinking, count: (usage: Usage) => Chunk = () => ({})): Wire {
  return translated(openAiChatWire, (chunk) => {
    if (isRecord(chunk.usage)) return { ...chunk, usage: { ...chunk.usage, ...count(toUsage(chunk.usage)) } }
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices : []
    const thought = choice?.delta?.reasoning_content
    return typeof thought === "string"
      ? { ...chunk, choices: [{ ...choice, delta: sayThinking(thought) }] }
      : chunk
  })
}

/** OpenAI shows nothing of what its models think on this wire. */
export const silentChat: Wire = chatDialect(() => ({ content: "" }))

/** @see https://api-docs.deepseek.com/api/create-chat-completion */
export const deepseekChat: Wire = chatDialect(
  (thought) => ({ content: null, reasoning_content: thought }),
  ({ prompt, cached }) => ({
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: prompt - cached,
  }),
)

/** @see https://docs.z.ai/guides/capabilities/thinking-mode */
export const zaiChat: Wire = chatDialect((thought) => ({ role: "assistant", reasoning_content: thought }))

/** @see https://console.groq.com/docs/reasoning */
export const groqChat: Wire = chatDialect((thought) => ({ reasoning: thought, channel: "analysis" }))

/** @see https://docs.ollama.com/api/openai-compatibility */
export const ollamaChat: Wire = chatDialect((thought) => ({ content: "", reasoning: thought }))

/** @see https://openrouter.ai/docs/use-cases/reasoning-tokens */
export const openrouterChat: Wire = chatDialect(
  (thought) => ({
    content: "",
    reasoning: thought,
    reasoning_details: [{ type: "reasoning.text", text: thought, format: "unknown", index: 0 }],
  }),
  () => ({ cost: 0.0042 }),
)

/** @see https://docs.mistral.ai/capabilities/reasoning/ */
export const mistralChat: Wire = chatDialect((thought) => ({
  content: [{ type: "thinking", thinking: [{ type: "text", text: thought }], closed: false }],
}))

/**
 * Gemini 3 signs the call, not the thought before it.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function signedCalls(signature: string): Wire {
  return translated(geminiWire, (chunk) => {
    const text = JSON.stringify(chunk)
    if (text.includes('"thoughtSignature"')) return undefined
    return JSON.parse(text.replace('{"functionCall":', `{"thoughtSignature":"${signature}","functionCall":`))
  })
}

/** @param translate Undefined leaves the chunk out. */
function translated(wire: Wire, translate: (chunk: Chunk) => Chunk | undefined): Wire {
  return {
    ...wire,
    encode: (beats) =>
      wire.encode(beats).flatMap((event) => {
        const data = decoder.decode(event).replace(/^data: /, "")
        if (!data.startsWith("{")) return [event]
        const chunk = translate(JSON.parse(data))
        return chunk === undefined ? [] : [sse(chunk)]
      }),
  }
}

interface Usage {
  readonly prompt: number
  readonly cached: number
}

function toUsage({ prompt_tokens: prompt, prompt_tokens_details: details }: Chunk): Usage {
  return { prompt: Number(prompt), cached: Number(isRecord(details) ? details.cached_tokens : 0) }
}

function isRecord(value: unknown): value is Chunk {
  return typeof value === "object" && value !== null
}
