/**
 * How models and servers of this wire differ, as data.
 *
 * What a model takes depends on its generation, and what a server takes on who runs it. Both are written down
 * in `vendors.ts`; the code that builds requests asks the fields and never who it talks to.
 *
 * The generation is found by the model's id, the server by the host of `model.baseUrl`, then by
 * `model.provider`; `model.compat` overrides both field by field. Nothing known means: what every server
 * understands.
 */
import type { ReasoningLevel } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { DEFAULTS, MODELS, VENDORS, type VendorRow } from "./vendors.ts"

declare module "@heddle/types" {
  interface ModelCompat {
    "anthropic-messages": AnthropicMessagesCompat
  }
}

/**
 * Overrides of what is known about a model and its server, for `Model.compat`.
 *
 * Every field is optional: an absent one keeps what is known.
 */
export interface AnthropicMessagesCompat {
  /** Where requests go when `model.baseUrl` is empty. Empty: the vendor has no address of its own. */
  readonly baseUrl?: string | undefined
  /** Environment variables that may hold the key, in order. */
  readonly apiKeyEnv?: readonly string[] | undefined
  /** Which header carries the key: `x-api-key`, or `Authorization: Bearer …`. */
  readonly apiKeyHeader?: "x-api-key" | "authorization" | undefined
  /** Whether a request without a key is not even tried. Servers on one's own machine take none. */
  readonly requiresApiKey?: boolean | undefined
  /** The `anthropic-version` header. */
  readonly apiVersion?: string | undefined
  /** Added to the `anthropic-beta` header of every request. */
  readonly betas?: readonly string[] | undefined

  /** Takes `temperature`. Where not, it is left out. */
  readonly supportsTemperature?: boolean | undefined
  /** Takes `cache_control`. */
  readonly supportsCacheControl?: boolean | undefined
  /** Takes `ttl: "1h"` in it, for `options.cacheRetention: "long"`. */
  readonly supportsLongCacheRetention?: boolean | undefined

  /**
   * How the model is asked to think: by an effort (`adaptive`), by a number of tokens (`budget`), or not at all
   * (`none`). A value in `model.thinkingLevelMap` decides for itself: a number is a budget, a word an effort.
   */
  readonly thinkingFormat?: "adaptive" | "budget" | "none" | undefined
  /** The levels the model has where `model.thinkingLevelMap` does not mention them. */
  readonly reasoningLevels?: readonly ReasoningLevel[] | undefined
  /** The `thinking.type` of a request that asks for no thinking. `omit`: nothing is said. */
  readonly thinkingOff?: "omit" | "disabled" | "between_tools" | undefined
  /** Whether adaptive thinking is shown. Null: as the model does by default. */
  readonly thinkingDisplay?: "summarized" | "omitted" | "updates" | null | undefined
  /**
   * What becomes of earlier thinking when something before it has changed since (a pruned history, another
   * system prompt, another set of tools): newer models refuse the request (`error`) or forget the thinking
   * (`drop_block`, which is in beta). Null: the account's default.
   *
   * @see https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
   */
  readonly thinkingMismatch?: "error" | "drop_block" | null | undefined
  /** What becomes of the model's own thinking where the server signs none. Anthropic refuses it. */
  readonly unsignedThinking?: "drop" | "send" | undefined

  /** Added to every request body, over everything else. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

/** All that is known about a model and its server. */
export type ResolvedCompat = {
  readonly [Field in keyof AnthropicMessagesCompat]-?: Exclude<AnthropicMessagesCompat[Field], undefined>
}

/** @returns every field: from `model.compat`, else of the server, else of the model's generation. */
export function resolveCompat(model: Model): ResolvedCompat {
  const id = model.id.toLowerCase().replaceAll(".", "-")
  return {
    ...DEFAULTS,
    ...MODELS.find(({ ids }) => ids.test(id))?.compat,
    ...findVendor(model)?.compat,
    ...withoutUndefined((model.compat ?? {}) as AnthropicMessagesCompat),
  }
}

/**
 * The host says for certain who answers; a provider id may also name what sits behind a proxy. Where neither
 * says anything, requests go to Anthropic.
 */
function findVendor(model: Model): VendorRow | undefined {
  const host = hostOf(model.baseUrl)
  const byHost = host && Object.values(VENDORS).find((row) => row.hosts.some((known) => isHost(host, known)))
  if (byHost) return byHost
  if (Object.hasOwn(VENDORS, model.provider)) return VENDORS[model.provider]
  return model.baseUrl === "" ? VENDORS.anthropic : undefined
}

function hostOf(baseUrl: string): string | undefined {
  try {
    return new URL(baseUrl).host
  } catch {
    return undefined // empty, or not a URL: the request will say so
  }
}

function isHost(host: string, known: string): boolean {
  return host === known || host.endsWith(`.${known}`)
}

function withoutUndefined(compat: AnthropicMessagesCompat): Partial<ResolvedCompat> {
  return Object.fromEntries(Object.entries(compat).filter(([, value]) => value !== undefined))
}
