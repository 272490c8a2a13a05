/**
 * One row per vendor of the Responses API: how it differs from OpenAI's own.
 *
 * Hosts, addresses and keys are those of the vendor's chat completions. Sources are the vendors' own pages,
 * named on each row. What the fields mean is in `compat.ts`.
 */
import { VENDORS as COMPLETIONS } from "../completions/vendors.ts"
import type { ResolvedCompat } from "./compat.ts"

/** What is known about one vendor. */
export interface VendorRow {
  /** Hosts whose `baseUrl` is this vendor's, with their subdomains. */
  readonly hosts: readonly string[]
  readonly compat: Partial<ResolvedCompat>
}

/**
 * A server of which nothing is known but that it speaks Responses.
 *
 * Limits are OpenAI's: at least 16 tokens, and ids of calls of at most 64 characters.
 *
 * @see https://developers.openai.com/api/reference/resources/responses/methods/create
 */
export const DEFAULTS: ResolvedCompat = {
  baseUrl: "",
  apiKeyEnv: [],
  apiKeyHeader: "authorization",
  requiresApiKey: false,
  systemPrompt: "instructions",
  supportsTemperature: true,
  supportsMaxOutputTokens: true,
  leastOutputTokens: 16,
  supportsMetadata: true,
  supportsPromptCacheKey: true,
  supportsLongCacheRetention: false,
  supportsStrictMode: true,
  toolCallIds: { maxLength: 64 },
  toolResultImages: "output",
  keepsCallsTogether: false,
  reasoningLevels: ["minimal", "low", "medium", "high"],
  reasoningOffEffort: null,
  reasoningSummary: "auto",
  supportsEncryptedReasoning: true,
  reasoningReplay: "encrypted",
  reasoningNeedsFollower: true,
  statedCost: "none",
  extraBody: {},
}

/** Servers that show all of their thinking, keep nothing, and take fewer fields than OpenAI. */
const READABLE_REASONING: Partial<ResolvedCompat> = {
  leastOutputTokens: 1,
  supportsMetadata: false,
  supportsPromptCacheKey: false,
  toolResultImages: "user-message",
  reasoningSummary: null,
  supportsEncryptedReasoning: false,
  reasoningReplay: "content",
}

const OWN_ROWS: Readonly<Record<string, VendorRow>> = {
  /** @see https://developers.openai.com/api/docs/guides/prompt-caching */
  openai: like("openai", { supportsLongCacheRetention: true }),
  /**
   * `baseUrl` is the resource's own, such as `https://my-resource.openai.azure.com/openai/v1`; the id of a
   * model is the name of its deployment.
   *
   * @see https://learn.microsoft.com/azure/foundry/openai/how-to/responses
   */
  azure: like("azure", {}),
  /**
   * Summaries of the thinking come without being asked for.
   *
   * @see https://docs.x.ai/developers/model-capabilities/text/generate-text
   * @see https://docs.x.ai/developers/model-capabilities/text/best-practices
   */
  xai: like("xai", {
    leastOutputTokens: 1,
    supportsMetadata: false,
    toolResultImages: "user-message",
    reasoningLevels: ["low", "medium", "high"],
    reasoningSummary: null,
    statedCost: "cost_in_usd_ticks",
  }),
  /**
   * Keeps nothing. The proof of an upstream's thinking may stand behind the answer.
   *
   * @see https://openrouter.ai/docs/api/reference/responses/overview
   * @see https://openrouter.ai/docs/api/api-reference/responses/create-responses
   */
  openrouter: like("openrouter", {
    reasoningLevels: ["minimal", "low", "medium", "high", "xhigh", "max"],
    reasoningNeedsFollower: false,
    statedCost: "cost",
  }),
  /**
   * Thinks unless told not to. Takes its thinking back as it can be read, never encrypted.
   *
   * @see https://api-docs.deepseek.com/guides/responses_api
   */
  deepseek: like("deepseek", {
    ...READABLE_REASONING,
    keepsCallsTogether: true,
    reasoningLevels: ["low", "high", "max"],
    reasoningOffEffort: "none",
  }),
  /** @see https://lmstudio.ai/blog/lmstudio-v0.3.29 */
  lmstudio: like("lmstudio", { ...READABLE_REASONING, reasoningLevels: ["low", "medium", "high"] }),
  /**
   * What a ChatGPT subscription is used through. The key is an access token; the account goes in the header
   * `chatgpt-account-id`. Refuses limits and temperatures.
   *
   * @see https://github.com/openai/codex
   */
  chatgpt: {
    hosts: ["chatgpt.com"],
    compat: {
      baseUrl: "https://chatgpt.com/backend-api/codex",
      requiresApiKey: true,
      supportsTemperature: false,
      supportsMaxOutputTokens: false,
      supportsMetadata: false,
    },
  },
  /** @see https://docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html */
  "amazon-bedrock": {
    hosts: ["api.aws"],
    compat: { apiKeyEnv: ["AWS_BEARER_TOKEN_BEDROCK"], requiresApiKey: true },
  },
}

/** Rows by provider id. Vendors without a row of their own are known by address and key only. */
export const VENDORS: Readonly<Record<string, VendorRow>> = {
  ...Object.fromEntries(Object.keys(COMPLETIONS).map((id) => [id, like(id, {})])),
  ...OWN_ROWS,
}

/** @returns a row with the hosts, the address and the key of that vendor's chat completions. */
function like(id: string, compat: Partial<ResolvedCompat>): VendorRow {
  const row = COMPLETIONS[id]
  const { baseUrl, apiKeyEnv, apiKeyHeader, requiresApiKey } = row?.compat ?? {}
  return {
    hosts: row?.hosts ?? [],
    compat: {
      ...(baseUrl !== undefined && { baseUrl }),
      ...(apiKeyEnv !== undefined && { apiKeyEnv }),
      ...(apiKeyHeader !== undefined && { apiKeyHeader }),
      ...(requiresApiKey !== undefined && { requiresApiKey }),
      ...compat,
    },
  }
}
