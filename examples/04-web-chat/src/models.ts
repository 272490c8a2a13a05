/** The models this server offers: the scripted one always, a vendor's where the environment has a key for it. */
import { faux, fauxModel } from "@heddle/faux"
import { getModels } from "@heddle/models"
import { routeByApi } from "@heddle/stream"
import type { Model, StreamFn } from "@heddle/types"
import { nameOf } from "./browser/session.ts"
import { answer } from "./scripted-model.ts"

const TOKENS_PER_SECOND = 40

const VENDORS = [
  {
    provider: "openai",
    key: "OPENAI_API_KEY",
    api: "openai-responses",
    load: async (apiKey: string) => (await import("@heddle/openai")).openaiResponses({ apiKey }),
  },
  {
    provider: "anthropic",
    key: "ANTHROPIC_API_KEY",
    api: "anthropic-messages",
    load: async (apiKey: string) => (await import("@heddle/anthropic")).anthropicMessages({ apiKey }),
  },
  {
    provider: "google",
    key: "GEMINI_API_KEY",
    api: "google-generative-ai",
    load: async (apiKey: string) => (await import("@heddle/google")).googleGenerativeAi({ apiKey }),
  },
] as const

export const KEY_NAMES: readonly string[] = VENDORS.map(({ key }) => key)

export interface Offer {
  /** The first is the one to begin with. */
  readonly models: readonly Model[]
  readonly streamFn: StreamFn
}

export function offerModels(environment: Readonly<Record<string, string | undefined>>): Offer {
  const scripted = fauxModel({ id: "script", name: "Script (offline)" })
  const table: Record<string, StreamFn> = { faux: faux(answer, { tokensPerSecond: TOKENS_PER_SECOND }) }
  const models: Model[] = [scripted]
  for (const { provider, key, api, load } of VENDORS) {
    const apiKey = environment[key]
    if (!apiKey) continue
    table[api] = onDemand(() => load(apiKey))
    models.push(...getModels(provider))
  }
  return { models, streamFn: routeByApi(table) }
}

/**
 * @param name `provider/id`.
 * @returns the same offer, beginning with this model.
 * @throws an Error for whoever typed the name.
 */
export function beginWith(name: string, { models, streamFn }: Offer): Offer {
  const chosen = models.find((model) => nameOf(model) === name)
  if (chosen) return { models: [chosen, ...models.filter((model) => model !== chosen)], streamFn }
  const vendor = VENDORS.find(({ provider }) => name.startsWith(`${provider}/`))
  if (vendor && !models.some(({ provider }) => provider === vendor.provider)) {
    throw new Error(`${name} needs a key of its vendor: set ${vendor.key}`)
  }
  const known = models.map((model) => `\n  ${nameOf(model)}`).join("")
  throw new Error(`There is no model ${name} here. There are:${known}`)
}

/** Loads an adapter, and the vendor's SDK with it, at its first request. */
function onDemand(load: () => Promise<StreamFn>): StreamFn {
  let loaded: Promise<StreamFn> | undefined
  return async (...request) => {
    loaded ??= load()
    return (await loaded)(...request)
  }
}
