/**
 * Makes models out of a provider's table, in which a line is a model.
 *
 * A line says what is particular about a model; what most models of the provider have in common is said once,
 * above the table. Tables are literals, so that the ids in them are types.
 */
import type { Api, Model } from "@heddle/types"
import type { CatalogueModel, Provenance, ProviderModels } from "./catalogue-model.ts"
import { deepFreeze } from "./deep-freeze.ts"
import { toLevelMap } from "./level-map.ts"

/**
 * US dollars per million tokens: input, output, and tokens read from and written to the cache.
 *
 * Where the vendor states no price of their own for cached tokens, they cost what input does.
 */
export type RowPrice = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number]

/** What may be said for all models of a provider, or for one. */
export interface RowDefaults extends Partial<Provenance> {
  /** The vendor's page; `{id}` in it stands for the model's id. */
  readonly source?: string
  /** Tokens that prompt and answer may have together. */
  readonly window?: number
  /** Tokens that one answer may have. Absent: the vendor states no limit but the window. */
  readonly answer?: number
  /** Whether pictures may be shown. Default: no. */
  readonly sees?: boolean
  /** The vendor's words for its levels (see `level-map.ts`), or true: those the adapter knows. Default: no thinking. */
  readonly thinks?: string | boolean
}

/** One line of a table. */
export interface ModelRow extends RowDefaults {
  readonly name: string
  readonly price: RowPrice
}

/** What all models of a provider share. */
export interface Vendor<TApi extends Api, TProvider extends string> extends RowDefaults {
  readonly api: TApi
  readonly provider: TProvider
  readonly baseUrl: string
}

/** @returns the table's models by id, in its order, frozen. */
export function toModels<TApi extends Api, TProvider extends string, TId extends string>(
  vendor: Vendor<TApi, TProvider>,
  rows: Readonly<Record<TId, ModelRow>>,
): ProviderModels<TApi, TProvider, TId> {
  const entries = Object.entries<ModelRow>(rows).map(([id, row]) => [id, toModel(vendor, id, row)])
  return deepFreeze(Object.fromEntries(entries))
}

function toModel<TApi extends Api, TProvider extends string>(
  vendor: Vendor<TApi, TProvider>,
  id: string,
  row: ModelRow,
): CatalogueModel<TApi, TProvider> {
  const { window = 0, answer = window, sees = false, thinks = false, ...rest } = { ...vendor, ...row }
  return {
    id,
    name: row.name,
    api: vendor.api,
    provider: vendor.provider,
    baseUrl: vendor.baseUrl,
    reasoning: thinks !== false,
    ...(typeof thinks === "string" && { thinkingLevelMap: toLevelMap(thinks) }),
    input: sees ? ["text", "image"] : ["text"],
    cost: toCost(row.price),
    contextWindow: window,
    maxTokens: answer,
    ...toProvenance(id, rest),
  }
}

function toCost([input, output, cacheRead = input, cacheWrite = input]: RowPrice): Model["cost"] {
  return { input, output, cacheRead, cacheWrite }
}

function toProvenance(id: string, row: RowDefaults): Provenance {
  const { source = "", checked = "", promptsUpTo, until, note } = row
  return {
    source: source.replace("{id}", id),
    checked,
    ...(promptsUpTo !== undefined && { promptsUpTo }),
    ...(until !== undefined && { until }),
    ...(note !== undefined && { note }),
  }
}
