/**
 * Which package may use which: the layers of the house as data (law L12).
 *
 * Arrows go down. Adapters never see the engine, the engine never sees an adapter, and the satellites see only
 * the vocabulary and the streams. A package without a row is an adapter: a new provider adds its folder and
 * touches no other file, this one included.
 */

interface Row {
  /** Packages of this repository, by folder name. */
  readonly packages: readonly string[]
  /** Packages from the registry. */
  readonly registry?: readonly string[]
}

export const DEPENDENCY_TABLE: Readonly<Record<string, Row>> = {
  types: { packages: [] },

  stream: { packages: ["types"] },

  tools: { packages: ["types"], registry: ["@cfworker/json-schema"] },
  "provider-kit": { packages: ["types", "stream"], registry: ["eventsource-parser"] },

  loop: { packages: ["types", "stream", "tools"] },
  faux: { packages: ["types", "stream"] },
  "proxy-client": { packages: ["types", "stream"], registry: ["eventsource-parser"] },
  "proxy-server": { packages: ["types", "stream"], registry: ["@cfworker/json-schema"] },
  models: { packages: ["types", "stream"] },

  agent: { packages: ["types", "loop"] },

  conformance: { packages: ["types", "stream"], registry: ["vitest"] },
}

/** Whatever has no row: these packages, one vendor's SDK, and small packages from the registry. */
export const ADAPTER: Row = { packages: ["types", "stream", "provider-kit"] }

/** An adapter speaks for one vendor, so it depends on one of these at most. */
export const VENDOR_SDKS: readonly string[] = [
  "@anthropic-ai/sdk",
  "@aws-sdk/client-bedrock-runtime",
  "@google/genai",
  "@mistralai/mistralai",
  "openai",
]

/** What the tests of any package may use beside the packages below it. */
export const TEST_PACKAGES: readonly string[] = ["faux", "conformance"]
