/** The suite of `@heddle/conformance` under `node:test`: nothing but a loop over cases. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { type Capabilities, conformanceCases, runCase, whySkipped } from "@heddle/conformance"
import { overHttp } from "@heddle/conformance/node"
import type { Model } from "@heddle/types"
import { acme } from "./acme.ts"
import { acmeWire } from "./acme-wire.ts"

const model: Model = {
  id: "acme-1",
  name: "Acme One",
  api: "acme",
  provider: "acme",
  baseUrl: "",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 32_000,
  maxTokens: 4_000,
}

/** What Acme can do. The rest of the suite is skipped, and says so. */
const capabilities: Capabilities = {
  http: true,
  toolCalls: true,
  parallelToolCalls: true,
  images: true,
  retries: true,
  timeouts: true,
  hooks: true,
}

const harness = {
  capabilities,
  connect: overHttp(acmeWire, ({ url, key }) => ({
    streamFn: acme(),
    model: { ...model, baseUrl: url },
    options: { apiKey: key },
  })),
}

for (const one of conformanceCases) {
  test(one.name, { skip: whySkipped(one, capabilities) ?? false }, async () => {
    const { violations } = await runCase(one, harness)
    assert.deepEqual(
      violations.map(({ message }) => message),
      [],
    )
  })
}
