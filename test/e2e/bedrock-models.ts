/**
 * Models behind Bedrock, and what the service is known to refuse to each: the exceptions, as data.
 *
 * Limits and ids are those of AWS's model cards, refusals the texts that the service answers with. What is listed
 * here is provoked when the vendor is asked, so that a row which no longer holds is found.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-cards.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */

/** A way to ask that some models refuse. */
export type Provocation =
  /** Asking at all: the id is invalid, or the model has been retired. */
  | "any request"
  /** The model's own id in place of that of an inference profile. */
  | "a request without a profile"
  /** A limit above the model's own. */
  | "a limit that is too high"
  /** Unsigned reasoning of the assistant's in the conversation. */
  | "reasoning in the conversation"

export interface BedrockModelRow {
  /** The model's own id. */
  readonly id: string
  /** The inference profile that it is asked through. Absent: it is asked by its id. */
  readonly profile?: string
  readonly contextWindow: number
  readonly maxTokens: number
  /** Whether it can be asked to think. */
  readonly thinks?: boolean
  /** What the service says to it. */
  readonly refuses?: { readonly [How in Provocation]?: RegExp }
}

const RETIRED = /model identifier is invalid|end of its life|no longer|legacy/i
const ON_DEMAND = /on-demand throughput isn.t supported/
const TOO_MANY = /exceeds the model limit|maximum tokens|max_?tokens/i

const CLAUDE = {
  contextWindow: 200_000,
  maxTokens: 64_000,
  thinks: true,
  refuses: { "a request without a profile": ON_DEMAND, "a limit that is too high": TOO_MANY },
} as const

/** "User messages cannot contain reasoning content": its own answers are meant. */
const NOVA = { "reasoning in the conversation": /reasoning content/i, "a limit that is too high": TOO_MANY }

export const BEDROCK_MODELS: readonly BedrockModelRow[] = [
  {
    id: "anthropic.claude-v2:1",
    contextWindow: 200_000,
    maxTokens: 4096,
    refuses: { "any request": RETIRED },
  },
  {
    id: "anthropic.claude-3-5-haiku-20241022-v1:0",
    profile: "us.anthropic.claude-3-5-haiku-20241022-v1:0",
    contextWindow: 200_000,
    maxTokens: 8192,
    refuses: { "any request": RETIRED },
  },
  {
    id: "anthropic.claude-haiku-4-5-20251001-v1:0",
    profile: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    ...CLAUDE,
  },
  {
    id: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    profile: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ...CLAUDE,
  },
  { id: "anthropic.claude-sonnet-4-6", profile: "us.anthropic.claude-sonnet-4-6", ...CLAUDE },
  { id: "anthropic.claude-sonnet-5", profile: "global.anthropic.claude-sonnet-5", ...CLAUDE },
  { id: "amazon.nova-micro-v1:0", contextWindow: 128_000, maxTokens: 5000, refuses: NOVA },
  { id: "amazon.nova-lite-v1:0", contextWindow: 300_000, maxTokens: 5000, refuses: NOVA },
  { id: "amazon.nova-pro-v1:0", contextWindow: 300_000, maxTokens: 5000, refuses: NOVA },
  {
    id: "amazon.nova-2-lite-v1:0",
    profile: "us.amazon.nova-2-lite-v1:0",
    contextWindow: 1_000_000,
    maxTokens: 64_000,
    thinks: true,
    refuses: { "a request without a profile": ON_DEMAND, ...NOVA },
  },
  {
    id: "meta.llama3-3-70b-instruct-v1:0",
    profile: "us.meta.llama3-3-70b-instruct-v1:0",
    contextWindow: 128_000,
    maxTokens: 8192,
    refuses: { "a request without a profile": ON_DEMAND, "a limit that is too high": TOO_MANY },
  },
  {
    id: "meta.llama4-maverick-17b-instruct-v1:0",
    profile: "us.meta.llama4-maverick-17b-instruct-v1:0",
    contextWindow: 1_000_000,
    maxTokens: 8192,
    refuses: { "a request without a profile": ON_DEMAND, "a limit that is too high": TOO_MANY },
  },
  {
    id: "deepseek.r1-v1:0",
    profile: "us.deepseek.r1-v1:0",
    contextWindow: 128_000,
    maxTokens: 32_768,
    refuses: { "a request without a profile": ON_DEMAND, "a limit that is too high": TOO_MANY },
  },
  { id: "deepseek.v3-v1:0", contextWindow: 163_840, maxTokens: 81_920, thinks: true },
  { id: "openai.gpt-oss-20b-1:0", contextWindow: 128_000, maxTokens: 16_384, thinks: true },
  { id: "openai.gpt-oss-120b-1:0", contextWindow: 128_000, maxTokens: 16_384, thinks: true },
  { id: "qwen.qwen3-32b-v1:0", contextWindow: 32_768, maxTokens: 16_384 },
  { id: "minimax.minimax-m2", contextWindow: 196_608, maxTokens: 8192, thinks: true },
  { id: "moonshot.kimi-k2-thinking", contextWindow: 262_144, maxTokens: 16_384, thinks: true },
  {
    id: "mistral.mistral-large-2402-v1:0",
    contextWindow: 32_768,
    maxTokens: 8192,
    refuses: { "a limit that is too high": TOO_MANY },
  },
  {
    id: "mistral.pixtral-large-2502-v1:0",
    profile: "us.mistral.pixtral-large-2502-v1:0",
    contextWindow: 128_000,
    maxTokens: 8192,
    refuses: { "a request without a profile": ON_DEMAND },
  },
]
