/**
 * What is known about the models and the servers of this wire.
 *
 * Sources are the vendors' own pages, named on each row; what a page does not say is left as in the defaults.
 * What the fields mean is in `compat.ts`.
 */
import type { ResolvedCompat } from "./compat.ts"

/** A server of which nothing is known but that it speaks this wire, and a model that thinks by budget. */
export const DEFAULTS: ResolvedCompat = {
  baseUrl: "",
  apiKeyEnv: [],
  apiKeyHeader: "x-api-key",
  requiresApiKey: false,
  apiVersion: "2023-06-01",
  betas: [],
  supportsTemperature: true,
  supportsCacheControl: true,
  supportsLongCacheRetention: true,
  thinkingFormat: "budget",
  reasoningLevels: ["minimal", "low", "medium", "high"],
  thinkingOff: "omit",
  thinkingDisplay: null,
  thinkingMismatch: null,
  unsignedThinking: "drop",
  extraBody: {},
}

/** One generation of models, whoever serves them. */
export interface ModelRow {
  /** Found in the model's id, after dots have become dashes. */
  readonly ids: RegExp
  readonly compat: Partial<ResolvedCompat>
}

const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const

/** From Claude 4.7 on: an effort in place of a budget, no sampling parameters, and thinking that is not shown. */
const ADAPTIVE: Partial<ResolvedCompat> = {
  thinkingFormat: "adaptive",
  reasoningLevels: EFFORTS,
  thinkingDisplay: "summarized",
  supportsTemperature: false,
}

/**
 * The first row that fits counts. Claude 4.5 and before think by budget, as the defaults say.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 * @see https://platform.claude.com/docs/en/build-with-claude/effort
 */
export const MODELS: readonly ModelRow[] = [
  {
    ids: /claude-(opus|sonnet)-4-6\b/,
    compat: { thinkingFormat: "adaptive", reasoningLevels: ["low", "medium", "high", "max"] },
  },
  { ids: /claude-opus-4-[78]\b/, compat: ADAPTIVE },
  { ids: /claude-sonnet-5-5\b/, compat: { ...ADAPTIVE, thinkingOff: "between_tools" } },
  // These think unless told not to; their successors cannot be told.
  { ids: /claude-((opus|sonnet)-5(?!-\d\b)|haiku-5-5)\b/, compat: { ...ADAPTIVE, thinkingOff: "disabled" } },
  { ids: /claude-(mythos|[a-z]+-([5-9]|\d{2}))\b/, compat: ADAPTIVE },
]

/** What is known about one vendor. */
export interface VendorRow {
  /** Hosts whose `baseUrl` is this vendor's, with their subdomains. */
  readonly hosts: readonly string[]
  readonly compat: Partial<ResolvedCompat>
}

/** Other makers' models: they think by default, by no effort of Claude's, and sign nothing. */
const OTHER_MAKER: Partial<ResolvedCompat> = {
  requiresApiKey: true,
  thinkingFormat: "budget",
  thinkingOff: "disabled",
  thinkingDisplay: null,
  unsignedThinking: "send",
}

/** Servers on one's own machine. They check no key. */
const LOCAL: Partial<ResolvedCompat> = { unsignedThinking: "send" }

/** Rows by provider id. */
export const VENDORS: Readonly<Record<string, VendorRow>> = {
  /**
   * The version is the one that every model and every compatible server knows; the next one refuses a
   * temperature to models that take it.
   *
   * @see https://platform.claude.com/docs/en/api/versioning
   */
  anthropic: {
    hosts: ["api.anthropic.com"],
    compat: {
      baseUrl: "https://api.anthropic.com",
      apiKeyEnv: ["ANTHROPIC_API_KEY"],
      requiresApiKey: true,
    },
  },
  /**
   * The address is the resource's own, and ends in `/anthropic`.
   *
   * @see https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
   */
  azure: {
    hosts: ["services.ai.azure.com"],
    compat: { apiKeyEnv: ["ANTHROPIC_FOUNDRY_API_KEY", "AZURE_API_KEY"], requiresApiKey: true },
  },
  /**
   * Takes an effort beside the switch, and ignores the budget.
   *
   * @see https://api-docs.deepseek.com/guides/anthropic_api
   */
  deepseek: {
    hosts: ["api.deepseek.com"],
    compat: {
      ...OTHER_MAKER,
      baseUrl: "https://api.deepseek.com/anthropic",
      apiKeyEnv: ["DEEPSEEK_API_KEY"],
    },
  },
  /** @see https://platform.kimi.ai/docs/guide/agent-support */
  moonshotai: {
    hosts: ["api.moonshot.ai", "api.moonshot.cn"],
    compat: {
      ...OTHER_MAKER,
      baseUrl: "https://api.moonshot.ai/anthropic",
      apiKeyEnv: ["MOONSHOT_API_KEY"],
      apiKeyHeader: "authorization",
    },
  },
  /** @see https://docs.z.ai/devpack/tool/claude */
  zai: {
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    compat: {
      ...OTHER_MAKER,
      baseUrl: "https://api.z.ai/api/anthropic",
      apiKeyEnv: ["ZAI_API_KEY", "ZHIPU_API_KEY"],
      apiKeyHeader: "authorization",
    },
  },
  /**
   * Wants its thinking back, whole.
   *
   * @see https://platform.minimax.io/docs/api-reference/text-anthropic-api
   */
  minimax: {
    hosts: ["api.minimax.io", "api.minimaxi.com"],
    compat: {
      ...OTHER_MAKER,
      baseUrl: "https://api.minimax.io/anthropic",
      apiKeyEnv: ["MINIMAX_API_KEY"],
      thinkingOff: "omit",
    },
  },
  /** @see https://docs.ollama.com/api/anthropic-compatibility */
  ollama: {
    hosts: ["localhost:11434", "127.0.0.1:11434"],
    compat: { ...LOCAL, baseUrl: "http://localhost:11434" },
  },
  /**
   * Ollama's models on its own machines. A key in `x-api-key` is not read.
   *
   * @see https://docs.ollama.com/api/anthropic-compatibility
   */
  "ollama-cloud": {
    hosts: ["ollama.com"],
    compat: {
      ...LOCAL,
      baseUrl: "https://ollama.com",
      apiKeyEnv: ["OLLAMA_API_KEY"],
      apiKeyHeader: "authorization",
      requiresApiKey: true,
    },
  },
  /** @see https://lmstudio.ai/docs/developer/anthropic-compat */
  lmstudio: {
    hosts: ["localhost:1234", "127.0.0.1:1234"],
    compat: { ...LOCAL, baseUrl: "http://localhost:1234", apiKeyEnv: ["LM_API_TOKEN"] },
  },
  /** @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
  llamacpp: {
    hosts: [],
    compat: { ...LOCAL, baseUrl: "http://localhost:8080", apiKeyEnv: ["LLAMA_API_KEY"] },
  },
}
