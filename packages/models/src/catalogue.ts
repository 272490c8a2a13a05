/**
 * The whole catalogue, and the ways to look something up in it.
 *
 * Whoever needs one provider only imports its subpath, such as `@heddle/models/anthropic`: this file leads to
 * all of them.
 */
import type { CatalogueModel } from "./catalogue-model.ts"
import { UnknownModelError } from "./errors.ts"
import { nearest } from "./nearest.ts"
import { anthropic } from "./providers/anthropic.ts"
import { deepseek } from "./providers/deepseek.ts"
import { google } from "./providers/google.ts"
import { groq } from "./providers/groq.ts"
import { mistral } from "./providers/mistral.ts"
import { moonshotai } from "./providers/moonshotai.ts"
import { openai } from "./providers/openai.ts"
import { openrouter } from "./providers/openrouter.ts"
import { together } from "./providers/together.ts"
import { xai } from "./providers/xai.ts"
import { zai } from "./providers/zai.ts"

/** The models of all providers: by provider, then by id. */
export type Catalogue = {
  readonly anthropic: typeof anthropic
  readonly deepseek: typeof deepseek
  readonly google: typeof google
  readonly groq: typeof groq
  readonly mistral: typeof mistral
  readonly moonshotai: typeof moonshotai
  readonly openai: typeof openai
  readonly openrouter: typeof openrouter
  readonly together: typeof together
  readonly xai: typeof xai
  readonly zai: typeof zai
}

/** A provider that the catalogue has models of. */
export type CatalogueProvider = keyof Catalogue

/** The ids of a provider's models. */
export type ModelId<TProvider extends CatalogueProvider = CatalogueProvider> = TProvider extends unknown
  ? keyof Catalogue[TProvider] & string
  : never

const CATALOGUE: Catalogue = /* @__PURE__ */ Object.freeze({
  anthropic,
  deepseek,
  google,
  groq,
  mistral,
  moonshotai,
  openai,
  openrouter,
  together,
  xai,
  zai,
})

type Models = Readonly<Record<string, CatalogueModel>>

/** The same, for names that are not known before run time. */
const BY_NAME: Readonly<Record<string, Models>> = CATALOGUE

/**
 * A model that is known to be in the catalogue: provider and id are checked by the compiler.
 *
 * @returns the catalogue's own object, the same one each time, deeply frozen.
 * @throws {UnknownModelError} from untyped code, with ids that look alike. For names that only turn up at run
 * time, use {@link findModel}.
 */
export function getModel<TProvider extends CatalogueProvider, TId extends ModelId<TProvider>>(
  provider: TProvider,
  id: TId,
): Catalogue[TProvider][TId & keyof Catalogue[TProvider]]
export function getModel(provider: string, id: string): CatalogueModel {
  const models = modelsOf(provider)
  const model = own(models, id)
  if (model === undefined) throw new UnknownModelError(provider, id, nearest(id, Object.keys(models)))
  return model
}

/** A model by names that turn up at run time. @returns undefined where the catalogue does not have it. */
export function findModel(provider: string, id: string): CatalogueModel | undefined {
  return own(own(BY_NAME, provider) ?? {}, id)
}

/**
 * All models of the catalogue, or of one provider; new ones before old ones, where the provider has generations.
 *
 * @throws {UnknownModelError} from untyped code, for a provider that the catalogue does not have.
 */
export function getModels(): CatalogueModel[]
export function getModels<TProvider extends CatalogueProvider>(
  provider: TProvider,
): Catalogue[TProvider][keyof Catalogue[TProvider]][]
export function getModels(provider?: string): CatalogueModel[] {
  return provider === undefined
    ? getProviders().flatMap((each) => Object.values(modelsOf(each)))
    : Object.values(modelsOf(provider))
}

/** The providers that the catalogue has models of, in the order of the alphabet. */
export function getProviders(): CatalogueProvider[] {
  return Object.keys(CATALOGUE) as CatalogueProvider[]
}

function modelsOf(provider: string): Models {
  const models = own(BY_NAME, provider)
  if (!models) throw new UnknownModelError(provider, undefined, nearest(provider, getProviders()))
  return models
}

/** What an object has itself: `"constructor"` is no provider. */
function own<TValue>(values: Readonly<Record<string, TValue>>, key: string): TValue | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined
}
