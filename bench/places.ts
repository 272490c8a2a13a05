/** Where things are: what is shared, what is made on demand, and what is written. */
import { existsSync, realpathSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const BENCH: string = fileURLToPath(new URL(".", import.meta.url))
export const ROOT: string = dirname(BENCH.replace(/[\\/]$/, ""))

/** Made on demand, and ignored by git. */
export const CONSUMER: string = join(BENCH, ".consumer")
export const RESULTS: string = join(BENCH, ".results")
export const REPORT: string = join(ROOT, "docs", "performance.md")
const PEERS = join(BENCH, ".peers")

export interface Places {
  /** The scenarios, their yardsticks and the adapters of the peers. */
  readonly scenarios: string
  /** One folder per peer, with its installation. */
  readonly peers: string
}

/** @throws when the scenarios are nowhere, saying what to do. */
export function findPlaces(): Places {
  const folder = process.env.HEDDLE_BENCH ?? join(ROOT, "..", "shared", "bench")
  if (!existsSync(join(folder, "lib", "pi-like.mjs"))) {
    throw new Error(`The scenarios are not at ${folder}: set HEDDLE_BENCH to the folder of the shared bench.`)
  }
  return { scenarios: realpathSync(folder), peers: process.env.BENCH_DEPS ?? PEERS }
}

/** What contestants and tools find in their environment. */
export function environment({ scenarios, peers }: Places): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HEDDLE_BENCH: scenarios,
    HEDDLE_BENCH_CONSUMER: CONSUMER,
    BENCH_DEPS: peers,
    BENCH_NODE: process.execPath,
    PATH: [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter),
    NO_COLOR: "1",
  }
}
