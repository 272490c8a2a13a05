import type { Model } from "@heddle/types"

/**
 * Makes a model for scripts: a thinking model that reads text and images, with a window of 200 000 tokens.
 *
 * Its prices are made up and not zero, so that costs show: 1 US dollar per million prompt tokens, 10 for the
 * answer, 0.1 for what is read from the cache and 1.25 for what is written to it.
 *
 * @param overrides Fields to replace, each whole. A field that is undefined keeps its default.
 */
export function fauxModel(
  overrides: { readonly [Field in keyof Model]?: Model[Field] | undefined } = {},
): Model {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined)
  return {
    id: "faux-1",
    name: "Faux 1",
    api: "faux",
    provider: "faux",
    baseUrl: "",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 },
    contextWindow: 200_000,
    maxTokens: 32_000,
    ...Object.fromEntries(given),
  }
}
