/** A wire that the published adapters speak. */
export type KnownApi =
  | "anthropic-messages"
  | "openai-completions"
  | "openai-responses"
  | "google-generative-ai"
  | "bedrock-converse-stream"
  | "faux"

/** The wire a model is reached over. Any string; the known ones complete in an editor. */
export type Api = KnownApi | (string & {})

/** A provider that the published adapters have data for. */
export type KnownProvider =
  | "alibaba"
  | "amazon-bedrock"
  | "anthropic"
  | "azure"
  | "cerebras"
  | "deepseek"
  | "fireworks"
  | "google"
  | "google-vertex"
  | "groq"
  | "huggingface"
  | "llamacpp"
  | "lmstudio"
  | "mistral"
  | "moonshotai"
  | "ollama"
  | "openai"
  | "openrouter"
  | "perplexity"
  | "together"
  | "vllm"
  | "xai"
  | "zai"

/** Who serves a model. Any string; the known ones complete in an editor. */
export type Provider = KnownProvider | (string & {})

/**
 * How hard a model is asked to think. `xhigh` and `max` exist on some model families only.
 *
 * Asking for a level that a model does not support takes the next higher supported one, else the next lower.
 */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max"

/**
 * Wire quirks per api. Each adapter package adds its own entry by declaration merging:
 *
 * ```ts
 * declare module "@heddle/types" {
 *   interface ModelCompat { "my-api": MyCompat }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface ModelCompat {}

/** US dollars per million tokens, one price per usage counter. 0 means free. */
export interface ModelCost {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Everything an adapter must know to reach one model. Plain data. */
export interface Model<TApi extends Api = Api> {
  /** The vendor's id, as it goes into the request. */
  readonly id: string
  /** For people. */
  readonly name: string
  readonly api: TApi
  readonly provider: Provider
  /** Root of the vendor's API. Empty: the adapter's default. */
  readonly baseUrl: string
  /** Whether the model can think at all. */
  readonly reasoning: boolean
  /** Level to the vendor's own value; null where the model does not support the level. */
  readonly thinkingLevelMap?: Readonly<Partial<Record<ThinkingLevel, string | null>>>
  readonly input: readonly ("text" | "image")[]
  readonly cost: ModelCost
  /** Tokens that prompt and answer may have together. */
  readonly contextWindow: number
  /** Tokens that one answer may have. */
  readonly maxTokens: number
  /** Sent with every request to this model. */
  readonly headers?: Readonly<Record<string, string>>
  /** Overrides of what the adapter knows about this wire. */
  readonly compat?: TApi extends keyof ModelCompat ? ModelCompat[TApi] : object
}
