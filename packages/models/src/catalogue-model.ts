import type { Api, Model } from "@heddle/types"

/** Where an entry of the catalogue is from, and how far its prices hold. */
export interface Provenance {
  /** The vendor's own page. */
  readonly source: string
  /** The last day on which the page is known to have said so. ISO date. */
  readonly checked: string
  /** Prompts longer than this cost more than `cost` says. Unit: tokens. Absent: no longer price is known. */
  readonly promptsUpTo?: number
  /** The last day for which the page promises `cost`. ISO date. Absent: until further notice. */
  readonly until?: string
  /** What else the four prices do not say. */
  readonly note?: string
}

/** A model of the catalogue: what an adapter needs, and where it is from. Deeply frozen. */
export interface CatalogueModel<
  TApi extends Api = Api,
  TProvider extends string = string,
  TId extends string = string,
> extends Model<TApi>,
    Provenance {
  readonly provider: TProvider
  readonly id: TId
}

/** A provider's models by id. */
export type ProviderModels<TApi extends Api, TProvider extends string, TId extends string> = {
  readonly [Id in TId]: CatalogueModel<TApi, TProvider, Id>
}
