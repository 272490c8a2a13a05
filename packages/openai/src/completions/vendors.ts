/**
 * One row per chat-completions vendor: how it differs from a server that nobody knows.
 *
 * Sources are the vendors' own pages, named on each row; what a page does not say is left as in the defaults.
 * What the fields mean is in `compat.ts`.
 */
import type { ResolvedCompat } from "./compat.ts"

/** What is known about one vendor. */
export interface VendorRow {
  /** Hosts whose `baseUrl` is this vendor's, with their subdomains. */
  readonly hosts: readonly string[]
  readonly compat: Partial<ResolvedCompat>
  /** What differs for models whose id begins like this. */
  readonly models?: Readonly<Record<string, Partial<ResolvedCompat>>>
}

/** A server of which nothing is known but that it speaks chat completions. */
export const DEFAULTS: ResolvedCompat = {
  baseUrl: "",
  apiKeyEnv: [],
  apiKeyHeader: "authorization",
  requiresApiKey: false,
  supportsDeveloperRole: false,
  maxTokensField: "max_tokens",
  alwaysSendsMaxTokens: false,
  supportsUsageInStreaming: true,
  supportsStore: false,
  supportsMetadata: false,
  supportsPromptCacheKey: false,
  supportsLongCacheRetention: false,
  cacheControlFormat: "none",
  supportsStrictMode: false,
  requiredToolChoice: "required",
  asksForParallelToolCalls: false,
  asksForToolStream: false,
  toolCallIds: { maxLength: 40 },
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  contentOfToolCalls: "",
  thinkingFormat: "openai",
  supportsReasoningEffort: true,
  reasoningLevels: ["minimal", "low", "medium", "high"],
  reasoningOffEffort: null,
  reasoningReplay: "none",
  reasoningPlaceholder: null,
  reasoningOutsideCompletion: false,
  statedCost: "none",
  openRouterRouting: null,
  extraBody: {},
}

const LOW_MEDIUM_HIGH = ["low", "medium", "high"] as const

/** Templates of open models are told to think by a variable of theirs, and see thinking only if it is sent. */
const LOCAL_TEMPLATE: Partial<ResolvedCompat> = { thinkingFormat: "qwen-chat-template" }

/** What Mistral's models ask of a history, whoever serves them. */
const MISTRAL_HISTORY: Partial<ResolvedCompat> = {
  toolCallIds: { characters: "alphanumeric", maxLength: 9, exactLength: true },
  requiresAssistantAfterToolResult: true,
}

const OLLAMA: Partial<ResolvedCompat> = {
  apiKeyEnv: ["OLLAMA_API_KEY"],
  reasoningLevels: LOW_MEDIUM_HIGH,
  reasoningOffEffort: "none",
  reasoningReplay: "reasoning",
}

/** Rows by provider id. */
export const VENDORS: Readonly<Record<string, VendorRow>> = {
  /** @see https://platform.openai.com/docs/api-reference/chat/create */
  openai: {
    hosts: ["api.openai.com"],
    compat: {
      baseUrl: "https://api.openai.com/v1",
      apiKeyEnv: ["OPENAI_API_KEY"],
      requiresApiKey: true,
      supportsDeveloperRole: true,
      maxTokensField: "max_completion_tokens",
      supportsStore: true,
      supportsMetadata: true,
      supportsPromptCacheKey: true,
      supportsLongCacheRetention: true,
      supportsStrictMode: true,
      contentOfToolCalls: null,
    },
  },
  /**
   * The address is the resource's own. Deployments of other makers' models take fewer fields than OpenAI's,
   * so only what all of them take is on.
   *
   * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
   */
  azure: {
    hosts: ["openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"],
    compat: {
      apiKeyEnv: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
      apiKeyHeader: "api-key",
      requiresApiKey: true,
      supportsDeveloperRole: true,
      maxTokensField: "max_completion_tokens",
      contentOfToolCalls: null,
    },
  },
  /**
   * Chat completions carry no encrypted reasoning, so there is nothing to replay.
   *
   * @see https://docs.x.ai/developers/model-capabilities/text/best-practices
   */
  xai: {
    hosts: ["api.x.ai"],
    compat: {
      baseUrl: "https://api.x.ai/v1",
      apiKeyEnv: ["XAI_API_KEY"],
      requiresApiKey: true,
      maxTokensField: "max_completion_tokens",
      reasoningLevels: LOW_MEDIUM_HIGH,
      reasoningOutsideCompletion: true,
      statedCost: "cost_in_usd_ticks",
    },
  },
  /**
   * Refuses `reasoning` and `reasoning_content` on assistant messages.
   *
   * @see https://console.groq.com/docs/api-reference#chat-create
   * @see https://console.groq.com/docs/reasoning
   */
  groq: {
    hosts: ["api.groq.com"],
    compat: {
      baseUrl: "https://api.groq.com/openai/v1",
      apiKeyEnv: ["GROQ_API_KEY"],
      requiresApiKey: true,
      maxTokensField: "max_completion_tokens",
      reasoningLevels: LOW_MEDIUM_HIGH,
    },
  },
  /**
   * Thinks unless told not to; wants its thinking back beside tool results.
   *
   * @see https://docs.z.ai/guides/capabilities/thinking-mode
   * @see https://docs.z.ai/guides/capabilities/stream-tool
   */
  zai: {
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    compat: {
      baseUrl: "https://api.z.ai/api/paas/v4",
      apiKeyEnv: ["ZAI_API_KEY", "ZHIPU_API_KEY"],
      requiresApiKey: true,
      asksForToolStream: true,
      thinkingFormat: "zai",
      supportsReasoningEffort: false,
      reasoningReplay: "reasoning_content",
    },
  },
  /**
   * Thinking goes back in `reasoning`; models that think in tags get it in tags.
   *
   * @see https://inference-docs.cerebras.ai/capabilities/reasoning
   */
  cerebras: {
    hosts: ["api.cerebras.ai"],
    compat: {
      baseUrl: "https://api.cerebras.ai/v1",
      apiKeyEnv: ["CEREBRAS_API_KEY"],
      requiresApiKey: true,
      maxTokensField: "max_completion_tokens",
      reasoningLevels: LOW_MEDIUM_HIGH,
      reasoningReplay: "reasoning",
    },
    models: {
      "zai-glm": { reasoningReplay: "think-tags" },
      qwen: { reasoningReplay: "think-tags" },
    },
  },
  /**
   * Claude caches nothing unless the prompt is marked.
   *
   * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
   * @see https://openrouter.ai/docs/guides/best-practices/prompt-caching
   * @see https://openrouter.ai/docs/guides/routing/provider-selection
   */
  openrouter: {
    hosts: ["openrouter.ai"],
    compat: {
      baseUrl: "https://openrouter.ai/api/v1",
      apiKeyEnv: ["OPENROUTER_API_KEY"],
      requiresApiKey: true,
      thinkingFormat: "openrouter",
      reasoningLevels: ["minimal", "low", "medium", "high", "xhigh", "max"],
      reasoningReplay: "reasoning_details",
      statedCost: "cost",
    },
    models: {
      "anthropic/": {
        cacheControlFormat: "anthropic",
        toolCallIds: { characters: "word", maxLength: 64 },
      },
      "mistralai/": MISTRAL_HISTORY,
    },
  },
  /**
   * Thinks unless told not to. While it thinks, every assistant message must carry `reasoning_content`; an
   * empty one will do.
   *
   * @see https://api-docs.deepseek.com/guides/thinking_mode
   */
  deepseek: {
    hosts: ["api.deepseek.com"],
    compat: {
      baseUrl: "https://api.deepseek.com",
      apiKeyEnv: ["DEEPSEEK_API_KEY"],
      requiresApiKey: true,
      thinkingFormat: "deepseek",
      reasoningLevels: ["low", "high", "max"],
      reasoningReplay: "reasoning_content",
      reasoningPlaceholder: "",
    },
  },
  /**
   * Refuses every field it does not know, and `reasoning_content` with them; usage comes without being asked
   * for. Thinking goes back as it came, as parts of the content.
   *
   * @see https://docs.mistral.ai/api/#tag/chat
   * @see https://docs.mistral.ai/capabilities/reasoning/
   */
  mistral: {
    hosts: ["api.mistral.ai"],
    compat: {
      baseUrl: "https://api.mistral.ai/v1",
      apiKeyEnv: ["MISTRAL_API_KEY"],
      requiresApiKey: true,
      supportsUsageInStreaming: false,
      supportsMetadata: true,
      requiredToolChoice: "any",
      ...MISTRAL_HISTORY,
      requiresToolResultName: true,
      reasoningLevels: ["high"],
      reasoningReplay: "content-parts",
    },
  },
  /**
   * Stops after 1024 tokens when it is told no limit. While it thinks, a message that calls tools must carry
   * `reasoning_content`, and an empty one does not count.
   *
   * @see https://platform.kimi.ai/docs/api/chat
   */
  moonshotai: {
    hosts: ["api.moonshot.ai", "api.moonshot.cn"],
    compat: {
      baseUrl: "https://api.moonshot.ai/v1",
      apiKeyEnv: ["MOONSHOT_API_KEY"],
      requiresApiKey: true,
      maxTokensField: "max_completion_tokens",
      alwaysSendsMaxTokens: true,
      thinkingFormat: "deepseek",
      supportsReasoningEffort: false,
      reasoningReplay: "reasoning_content",
      reasoningPlaceholder: ".",
    },
  },
  /** @see https://docs.together.ai/docs/inference/chat/reasoning */
  together: {
    hosts: ["api.together.xyz", "api.together.ai"],
    compat: {
      baseUrl: "https://api.together.xyz/v1",
      apiKeyEnv: ["TOGETHER_API_KEY"],
      requiresApiKey: true,
      thinkingFormat: "together",
      supportsReasoningEffort: false,
      reasoningLevels: LOW_MEDIUM_HIGH,
    },
    models: { "openai/gpt-oss": { thinkingFormat: "openai", supportsReasoningEffort: true } },
  },
  /**
   * Its own limit on an answer is short.
   *
   * @see https://docs.fireworks.ai/api-reference/post-chatcompletions
   * @see https://docs.fireworks.ai/guides/reasoning
   */
  fireworks: {
    hosts: ["api.fireworks.ai"],
    compat: {
      baseUrl: "https://api.fireworks.ai/inference/v1",
      apiKeyEnv: ["FIREWORKS_API_KEY"],
      requiresApiKey: true,
      alwaysSendsMaxTokens: true,
      reasoningLevels: LOW_MEDIUM_HIGH,
      reasoningReplay: "reasoning_content",
    },
  },
  /** @see https://huggingface.co/docs/inference-providers/tasks/chat-completion */
  huggingface: {
    hosts: ["router.huggingface.co"],
    compat: {
      baseUrl: "https://router.huggingface.co/v1",
      apiKeyEnv: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
      requiresApiKey: true,
      reasoningLevels: LOW_MEDIUM_HIGH,
    },
  },
  /** @see https://docs.perplexity.ai/api-reference/chat-completions-post */
  perplexity: {
    hosts: ["api.perplexity.ai"],
    compat: {
      baseUrl: "https://api.perplexity.ai",
      apiKeyEnv: ["PERPLEXITY_API_KEY"],
      requiresApiKey: true,
      statedCost: "cost.total_cost",
    },
  },
  /**
   * Thinking is switched by `enable_thinking`; parallel calls are off unless asked for.
   *
   * @see https://www.alibabacloud.com/help/en/model-studio/deep-thinking
   * @see https://www.alibabacloud.com/help/en/model-studio/qwen-function-calling
   */
  alibaba: {
    hosts: ["aliyuncs.com"],
    compat: {
      baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      apiKeyEnv: ["DASHSCOPE_API_KEY", "ALIBABA_API_KEY"],
      requiresApiKey: true,
      asksForParallelToolCalls: true,
      thinkingFormat: "qwen",
      supportsReasoningEffort: false,
      reasoningReplay: "reasoning_content",
    },
  },
  /** @see https://docs.ollama.com/api/openai-compatibility */
  ollama: {
    hosts: ["localhost:11434", "127.0.0.1:11434"],
    compat: { ...OLLAMA, baseUrl: "http://localhost:11434/v1" },
  },
  /** Ollama's models on its own machines: the same wire behind a key. */
  "ollama-cloud": {
    hosts: ["ollama.com"],
    compat: { ...OLLAMA, baseUrl: "https://ollama.com/v1", requiresApiKey: true },
  },
  /** @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
  llamacpp: {
    hosts: [],
    compat: {
      ...LOCAL_TEMPLATE,
      baseUrl: "http://localhost:8080/v1",
      apiKeyEnv: ["LLAMA_API_KEY"],
      reasoningReplay: "reasoning_content",
    },
  },
  /** @see https://lmstudio.ai/docs/developer/openai-compat */
  lmstudio: {
    hosts: ["localhost:1234", "127.0.0.1:1234"],
    compat: {
      baseUrl: "http://localhost:1234/v1",
      apiKeyEnv: ["LM_API_TOKEN"],
      reasoningLevels: LOW_MEDIUM_HIGH,
    },
  },
  /**
   * `reasoning_content` was renamed to `reasoning`; both are read.
   *
   * @see https://docs.vllm.ai/en/stable/features/reasoning_outputs/
   */
  vllm: {
    hosts: [],
    compat: {
      ...LOCAL_TEMPLATE,
      baseUrl: "http://localhost:8000/v1",
      apiKeyEnv: ["VLLM_API_KEY"],
      reasoningReplay: "reasoning",
    },
  },
}
