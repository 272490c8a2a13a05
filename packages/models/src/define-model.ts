/**
 * Describes a model that the catalogue does not have: one on your own machine, a deployment, a new release.
 *
 * What most descriptions would repeat has a default, and what would only go wrong in a request or in a bill goes
 * wrong here.
 */
import type { Api, Model, ModelCost } from "@heddle/types"
import { deepFreeze } from "./deep-freeze.ts"
import { InvalidModelError } from "./errors.ts"

/** What must be known of a model, and what may. */
export interface ModelDefinition<TApi extends Api = Api> {
  readonly id: string
  readonly api: TApi
  readonly provider: string
  /** Tokens that prompt and answer may have together. */
  readonly contextWindow: number
  /** Default: the id. */
  readonly name?: string | undefined
  /** Default: empty, which is the adapter's own address for the provider. */
  readonly baseUrl?: string | undefined
  /** Whether the model can think. Default: no. */
  readonly reasoning?: boolean | undefined
  readonly thinkingLevelMap?: Model["thinkingLevelMap"] | undefined
  /** Default: text. */
  readonly input?: Model["input"] | undefined
  /** US dollars per million tokens. Default: free, as on your own machine; for cached tokens, what input costs. */
  readonly cost?: Partial<ModelCost> | undefined
  /** Tokens that one answer may have. Default: as many as the window. */
  readonly maxTokens?: number | undefined
  readonly headers?: Model["headers"] | undefined
  readonly compat?: Model<TApi>["compat"] | undefined
}

/**
 * @param definition Not written, and not kept: the model is a copy. A model of the catalogue may be spread into
 * it; where its data is from does not come along.
 * @returns deeply frozen.
 * @throws {InvalidModelError} where a name is empty, a limit not a positive whole number, an answer longer than
 * the window, a price negative or not a number, or the address not a URL.
 */
export function defineModel<const TApi extends Api>(definition: ModelDefinition<TApi>): Model<TApi> {
  const { id, api, provider, contextWindow, maxTokens = contextWindow } = definition
  const model: Model<TApi> = {
    id,
    name: definition.name ?? id,
    api,
    provider,
    baseUrl: definition.baseUrl ?? "",
    reasoning: definition.reasoning ?? false,
    input: definition.input ?? ["text"],
    cost: toCost(definition.cost),
    contextWindow,
    maxTokens,
    ...(definition.thinkingLevelMap !== undefined && { thinkingLevelMap: definition.thinkingLevelMap }),
    ...(definition.headers !== undefined && { headers: definition.headers }),
    ...(definition.compat !== undefined && { compat: definition.compat }),
  }
  const problem = findProblem(model)
  if (problem !== undefined) throw new InvalidModelError(id, problem)
  return deepFreeze(structuredClone(model))
}

function toCost({ input, output, cacheRead, cacheWrite }: Partial<ModelCost> = {}): ModelCost {
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: cacheRead ?? input ?? 0,
    cacheWrite: cacheWrite ?? input ?? 0,
  }
}

function findProblem(model: Model): string | undefined {
  for (const field of ["id", "api", "provider", "name"] as const) {
    if (typeof model[field] !== "string" || model[field].trim() === "") return `its ${field} is empty`
  }
  for (const field of ["contextWindow", "maxTokens"] as const) {
    if (!Number.isSafeInteger(model[field]) || model[field] <= 0) {
      return `its ${field} is not a positive whole number`
    }
  }
  if (model.maxTokens > model.contextWindow) return "its maxTokens are more than its contextWindow"
  for (const [field, price] of Object.entries(model.cost)) {
    if (!Number.isFinite(price) || price < 0) return `its cost.${field} is not a price`
  }
  if (model.baseUrl !== "" && !URL.canParse(model.baseUrl)) return "its baseUrl is not a URL"
  return undefined
}
