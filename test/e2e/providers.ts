/**
 * The providers that the scenarios run on: a row each.
 *
 * A row is a model, the adapter that reaches it, the wire that a local server speaks in the vendor's place, and
 * the variables that hold a key to the vendor itself. The models are cheap ones that call tools.
 */
import { anthropicMessages } from "@heddle/anthropic"
import { bedrockConverse } from "@heddle/bedrock"
import { anthropicWire, bedrockWire, openAiResponsesWire, type Wire } from "@heddle/conformance/node"
import { googleGenerativeAi } from "@heddle/google"
import { defineModel, getModel } from "@heddle/models"
import { openaiCompletions, openaiResponses } from "@heddle/openai"
import type { Model, StreamFn, ThinkingLevel } from "@heddle/types"
import {
  deepseekChat,
  groqChat,
  mistralChat,
  ollamaChat,
  openrouterChat,
  signedCalls,
  silentChat,
  zaiChat,
} from "./dialects.ts"

export interface ProviderRow {
  readonly name: string
  readonly model: Model
  readonly streamFn: StreamFn
  /** What the local server speaks. */
  readonly wire: Wire
  /** Where the adapter is to knock. */
  readonly path: RegExp
  /** Variables of which one says that the vendor can be asked. */
  readonly keys: readonly string[]
  /** How hard the model is asked to think where the scenario is about thinking. */
  readonly level: ThinkingLevel
  /** What the vendor gets back of its own thinking, as it stands in the body; null: nothing. */
  readonly replays: string | null
}

/** What the local servers think, and how they prove it. */
export const THOUGHT = "The tool can multiply."
export const SIGNATURE = "c2lnbmF0dXJl"

/** The same text in a body's JSON, in a field of that name. */
const REASONING_CONTENT = `"reasoning_content":"${THOUGHT}"`

const region = process.env.AWS_REGION || "us-east-1"

const completions = openaiCompletions()
const responses = openaiResponses()

export const PROVIDERS: readonly ProviderRow[] = [
  {
    name: "Anthropic",
    model: getModel("anthropic", "claude-haiku-4-5"),
    streamFn: anthropicMessages(),
    wire: anthropicWire,
    path: /^\/v1\/messages$/,
    keys: ["ANTHROPIC_API_KEY"],
    level: "low",
    replays: `"thinking":"${THOUGHT}","signature":"${SIGNATURE}"`,
  },
  {
    name: "Google",
    model: getModel("google", "gemini-3.5-flash-lite"),
    streamFn: googleGenerativeAi(),
    wire: signedCalls(SIGNATURE),
    path: /^\/v1beta\/models\/gemini-3\.5-flash-lite:streamGenerateContent\?alt=sse$/,
    keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    level: "low",
    replays: `"thoughtSignature":"${SIGNATURE}"`,
  },
  {
    name: "OpenAI, Responses",
    model: getModel("openai", "gpt-6-luna"),
    streamFn: responses,
    wire: openAiResponsesWire,
    path: /^\/responses$/,
    keys: ["OPENAI_API_KEY"],
    level: "low",
    replays: `"encrypted_content":"${SIGNATURE}"`,
  },
  {
    // "Chat Completions supports function calling only with reasoning_effort set to none."
    // https://developers.openai.com/api/docs/models/gpt-6-luna
    name: "OpenAI, chat completions",
    model: { ...getModel("openai", "gpt-6-luna"), api: "openai-completions" },
    streamFn: completions,
    wire: silentChat,
    path: /^\/chat\/completions$/,
    keys: ["OPENAI_API_KEY"],
    level: "off",
    replays: null,
  },
  {
    name: "xAI",
    model: getModel("xai", "grok-4.3"),
    streamFn: responses,
    wire: openAiResponsesWire,
    path: /^\/responses$/,
    keys: ["XAI_API_KEY"],
    level: "low",
    replays: `"encrypted_content":"${SIGNATURE}"`,
  },
  {
    name: "Groq",
    model: getModel("groq", "openai/gpt-oss-20b"),
    streamFn: completions,
    wire: groqChat,
    path: /^\/chat\/completions$/,
    keys: ["GROQ_API_KEY"],
    level: "low",
    replays: null,
  },
  {
    name: "zAI",
    model: getModel("zai", "glm-5.3-flash"),
    streamFn: completions,
    wire: zaiChat,
    path: /^\/chat\/completions$/,
    keys: ["ZAI_API_KEY", "ZHIPU_API_KEY"],
    level: "low",
    replays: REASONING_CONTENT,
  },
  {
    name: "Amazon Bedrock",
    model: defineModel({
      id: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
      api: "bedrock-converse-stream",
      provider: "amazon-bedrock",
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 1.1, output: 5.5, cacheRead: 0.11, cacheWrite: 1.375 },
      contextWindow: 200_000,
      maxTokens: 64_000,
    }),
    streamFn: bedrockConverse({ region }),
    wire: bedrockWire,
    path: /^\/model\/us\.anthropic\.claude-haiku-4-5-20251001-v1(:|%3A)0\/converse-stream$/,
    keys: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"],
    level: "low",
    replays: `"text":"${THOUGHT}","signature":"${SIGNATURE}"`,
  },
  {
    name: "OpenRouter",
    model: getModel("openrouter", "z-ai/glm-5.3"),
    streamFn: completions,
    wire: openrouterChat,
    path: /^\/chat\/completions$/,
    keys: ["OPENROUTER_API_KEY"],
    level: "low",
    replays: `"reasoning_details":[{"type":"reasoning.text","text":"${THOUGHT}"`,
  },
  {
    name: "DeepSeek",
    model: getModel("deepseek", "deepseek-flash"),
    streamFn: completions,
    wire: deepseekChat,
    path: /^\/chat\/completions$/,
    keys: ["DEEPSEEK_API_KEY"],
    level: "low",
    replays: REASONING_CONTENT,
  },
  {
    name: "Mistral",
    model: getModel("mistral", "mistral-medium-3-5"),
    streamFn: completions,
    wire: mistralChat,
    path: /^\/chat\/completions$/,
    keys: ["MISTRAL_API_KEY"],
    level: "high",
    replays: `{"type":"thinking","thinking":[{"type":"text","text":"${THOUGHT}"}]`,
  },
  {
    // Has no key: the variable says where it listens, as it does for Ollama's own command line.
    name: "Ollama",
    model: defineModel({
      id: "gpt-oss:20b",
      api: "openai-completions",
      provider: "ollama",
      baseUrl: toOllamaUrl(process.env.OLLAMA_HOST),
      reasoning: true,
      contextWindow: 131_072,
    }),
    streamFn: completions,
    wire: ollamaChat,
    path: /^\/chat\/completions$/,
    keys: ["OLLAMA_HOST"],
    level: "low",
    replays: `"reasoning":"${THOUGHT}"`,
  },
]

/** `OLLAMA_HOST` may be a host, with or without a port, or a URL. */
function toOllamaUrl(host = "localhost"): string {
  const url = new URL(host.includes("://") ? host : `http://${host}`)
  if (url.port === "" && !host.includes("://")) url.port = "11434"
  return new URL("/v1", url).href
}
