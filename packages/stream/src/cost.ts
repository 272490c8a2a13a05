import type { ModelCost, Usage, UsageCost } from "@heddle/types"

const TOKENS_PER_PRICE = 1_000_000

/** What an hour in the cache costs to write, in input prices. Source: Anthropic's price list. */
const LONG_CACHE_WRITE_FACTOR = 2

/**
 * What a response costs by the model's prices, in US dollars.
 *
 * The part of `cacheWrite` that is kept for an hour (`cacheWriteLong`, never more than the whole) costs twice
 * the input price, the rest `cost.cacheWrite`; both are in the `cacheWrite` of the result. `total` is the sum
 * of the four parts. A total that the vendor states itself is not known here.
 *
 * @see https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching#pricing
 */
export function calculateCost(
  model: { readonly cost: ModelCost },
  usage: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWriteLong">,
): UsageCost {
  const prices = model.cost
  const long = Math.min(usage.cacheWriteLong ?? 0, usage.cacheWrite)

  const input = (usage.input * prices.input) / TOKENS_PER_PRICE
  const output = (usage.output * prices.output) / TOKENS_PER_PRICE
  const cacheRead = (usage.cacheRead * prices.cacheRead) / TOKENS_PER_PRICE
  const cacheWrite =
    ((usage.cacheWrite - long) * prices.cacheWrite + long * LONG_CACHE_WRITE_FACTOR * prices.input) /
    TOKENS_PER_PRICE
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite }
}
