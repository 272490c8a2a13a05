/** The benchmark: `npm run bench`. What it does and what it can be told is in README.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type BundleSizes, measureBundles } from "./bundle-sizes.ts"
import { COLD_CONTESTANTS, type ColdStart, measureColdStarts } from "./cold-start.ts"
import { findPlaces, REPORT, RESULTS } from "./places.ts"
import { OURS, SCENARIOS } from "./plan.ts"
import { hasOurs, installOurs, installPeers, versionsOf } from "./prepare.ts"
import { currentCircumstances, describeResults, type Results } from "./report.ts"
import { type Measurement, runScenario } from "./rounds.ts"

const ROUNDS = 5
const COLD_ROUNDS = 15
const WITHOUT_PACKAGES = ["floor", "target", OURS]
const NAMES = [...Object.keys(SCENARIOS), "s6", "s7"].sort()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    rounds: { type: "string" },
    installed: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
})
const unknown = positionals.filter((name) => !NAMES.includes(name))
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(", ")}. There are: ${NAMES.join(", ")}`)
  process.exit(1)
}
const chosen = positionals.length > 0 ? positionals : NAMES
const everyone = [
  ...new Set([...COLD_CONTESTANTS, ...Object.values(SCENARIOS).flatMap((each) => each.contestants)]),
]
const contestants = values.only ? values.only.split(",") : everyone
const rounds = Number(values.rounds ?? ROUNDS)
/** Anything less is for looking at, not for the record. */
const counts = !values.only && rounds >= ROUNDS
const say = (line: string) => console.error(line)

const places = findPlaces()
if (!values.report) {
  if (contestants.some((contestant) => !WITHOUT_PACKAGES.includes(contestant))) installPeers(places)
  if (contestants.includes(OURS) && !(values.installed && hasOurs())) {
    say("Building, packing and installing the packages ...")
    await installOurs()
  }
  const measured: Record<string, Results[string]> = {}
  for (const name of chosen) {
    const circumstances = currentCircumstances(versionsOf(places), cpus())
    const result = await measureOne(name)
    measured[name] = { circumstances, result }
    // At once: what comes after may fail, or be interrupted.
    if (counts) store(name, measured[name])
  }
  console.log(describeResults(measured))
}
if (values.report || counts) writeReport()

function measureOne(name: string): Promise<Measurement | ColdStart | BundleSizes> {
  if (name === "s6")
    return measureColdStarts(contestants, Math.max(rounds, counts ? COLD_ROUNDS : 1), places, say)
  if (name === "s7") return measureBundles(contestants, places, say)
  return runScenario(name, contestants, rounds, places, say)
}

function store(name: string, stored: Results[string]): void {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, `${name}.json`), JSON.stringify(stored))
}

function writeReport(): void {
  const missing = NAMES.filter((name) => !existsSync(join(RESULTS, `${name}.json`)))
  if (missing.length > 0) {
    say(`docs/performance.md stays as it is: not measured yet are ${missing.join(", ")}`)
    return
  }
  const results = Object.fromEntries(
    NAMES.map((name) => [name, JSON.parse(readFileSync(join(RESULTS, `${name}.json`), "utf8"))]),
  ) as Results
  writeFileSync(REPORT, describeResults(results))
  say("docs/performance.md is written.")
}
