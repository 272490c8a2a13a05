/**
 * Runs the cells of one scenario: every contestant in every round, each time in a fresh process.
 *
 * In a round one contestant comes right after the other, and the next round begins with another one: whatever
 * else the machine does is spread over all of them.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Places } from "./places.ts"
import { type Expectation, type Parameters, SCENARIOS, type Scenario } from "./plan.ts"
import { type Description, describe, type Failure, measure, type Sample, startServer } from "./processes.ts"

/** A contestant's way to do one cell, round by round. */
export interface Row {
  readonly contestant: string
  readonly mode: string
  readonly parameters: Parameters
  readonly samples: (Sample | Failure)[]
}

export interface Measurement {
  readonly scenario: string
  readonly date: string
  readonly rounds: number
  readonly rows: readonly Row[]
}

/** Repetitions in one process, and the time after which no other one begins. */
const REPETITIONS = 7
const BUDGET_MS = 800

/** @param say Told each sample as it comes. */
export async function runScenario(
  name: string,
  contestants: readonly string[],
  rounds: number,
  places: Places,
  say: (line: string) => void,
): Promise<Measurement> {
  const scenario = SCENARIOS[name]
  if (!scenario) throw new Error(`There is no scenario ${name}: ${Object.keys(SCENARIOS).join(", ")}`)
  const { toolArgs } = await import(pathToFileURL(join(places.scenarios, "lib", "script.mjs")).href)
  const chosen = scenario.contestants.filter((contestant) => contestants.includes(contestant))
  const rows = await listRows(name, scenario, chosen, places, say)
  const server = scenario.wire ? await startServer(places) : undefined
  try {
    for (let round = 0; round < rounds; round++) {
      for (let place = 0; place < rows.length; place++) {
        const row = rows[(place + round) % rows.length] as Row
        // One that cannot do it will not learn to.
        if (row.samples.some(isFailure)) continue
        const { repetitions = REPETITIONS, timeoutS } = scenario
        const given = {
          ...row.parameters,
          mode: row.mode,
          url: server?.url,
          repetitions,
          budgetMs: BUDGET_MS,
        }
        const measured = await measure(row.contestant, name, given, places, timeoutS)
        const sample = isFailure(measured)
          ? measured
          : checked(measured, scenario.expect(row.parameters, toolArgs))
        row.samples.push(sample)
        say(`${name} ${round + 1}/${rounds} ${describeRow(row)}: ${describeSample(sample)}`)
      }
    }
  } finally {
    server?.stop()
  }
  return { scenario: name, date: new Date().toISOString(), rounds, rows }
}

/** Asks each contestant for its modes in a process of its own, so that none of them is loaded here. */
async function listRows(
  name: string,
  { cells }: Scenario,
  contestants: readonly string[],
  places: Places,
  say: (line: string) => void,
): Promise<Row[]> {
  const known = new Map<string, Description>()
  for (const contestant of contestants) {
    const description = await describe(contestant, places)
    if (isFailure(description)) say(`${contestant} is left out: ${description.error}`)
    else if (description.scenarios.includes(name)) known.set(contestant, description)
  }
  return cells.flatMap(({ parameters, modes, without = [] }) =>
    [...known].flatMap(([contestant, description]) =>
      (description.modes[name] ?? ["loop"])
        .filter((mode) => !without.includes(contestant) && (modes?.includes(mode) ?? true))
        .map((mode) => ({ contestant, mode, parameters, samples: [] })),
    ),
  )
}

function checked(sample: Sample, expected: Expectation): Sample | Failure {
  const { chars, args, seen, tools = 0 } = sample.result
  const wrong =
    (expected.chars !== undefined && chars !== expected.chars) ||
    // Not every contestant shows what arguments look like on the way.
    (expected.args !== undefined && args !== expected.args && seen !== expected.seen) ||
    tools !== (expected.tools ?? 0)
  return wrong
    ? { error: `expected ${JSON.stringify(expected)}, got ${JSON.stringify(sample.result)}` }
    : sample
}

export function isFailure(value: object): value is Failure {
  return "error" in value
}

function describeRow({ contestant, mode, parameters }: Row): string {
  return [`${contestant}/${mode}`, ...Object.entries(parameters).flat()].join(" ")
}

function describeSample(sample: Sample | Failure): string {
  return isFailure(sample)
    ? `failed: ${sample.error.slice(0, 200)}`
    : `cpu ${sample.cpu.toFixed(1)} ms, wall ${sample.wall.toFixed(1)} ms, +${sample.memory.toFixed(0)} MB`
}
