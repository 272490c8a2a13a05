/** Writes docs/performance.md, or the part of it that was measured. */
import { execFileSync } from "node:child_process"
import { type CpuInfo, loadavg, totalmem } from "node:os"
import { Figures, judge, succeeded } from "./budgets.ts"
import type { BundleSizes } from "./bundle-sizes.ts"
import type { ColdStart } from "./cold-start.ts"
import { exponent, median, ratio, short } from "./figures.ts"
import { ROOT } from "./places.ts"
import { OURS, type Parameters, SCENARIOS, workOf } from "./plan.ts"
import { isFailure, type Measurement, type Row } from "./rounds.ts"

/** Where and with what something was measured. */
export interface Circumstances {
  readonly commit: string
  readonly node: string
  readonly machine: string
  /** Of the last minute, when it began: more than a little says that others were at work. */
  readonly load: number
  /** What the peers are, and in which version. */
  readonly versions: readonly (readonly [name: string, version: string])[]
}

/** By scenario: all of them, or the ones that were just measured. */
export type Results = Readonly<
  Record<
    string,
    { readonly circumstances: Circumstances; readonly result: Measurement | ColdStart | BundleSizes }
  >
>

const KB = 1024

export function currentCircumstances(
  versions: ReadonlyMap<string, string>,
  processors: readonly CpuInfo[],
): Circumstances {
  return {
    commit: commitOf(),
    node: process.version,
    machine: `${processors[0]?.model ?? "unknown processor"}, ${processors.length} cores, ${Math.round(totalmem() / KB ** 3)} GB, ${process.platform}`,
    load: loadavg()[0] ?? 0,
    versions: [...versions],
  }
}

export function describeResults(results: Results): string {
  const [first] = Object.values(results)
  if (!first) return ""
  const { machine, node, versions } = first.circumstances
  return `${[
    INTRODUCTION,
    `Machine: ${machine}. Node.js ${node}. Contestants: ${CONTESTANTS}. Versions: ${versions
      .filter(([name]) => !/^(node|esbuild)$/.test(name))
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    "## Budgets",
    table(
      ["", "what", "budget", "measured", "met"],
      Object.entries(results).flatMap(([name, { result }]) =>
        judge(name, result).map(({ what, budget, measured, met }) => [
          name,
          what,
          budget,
          measured,
          met === undefined ? "–" : met ? "yes" : "**no**",
        ]),
      ),
    ),
    ...Object.entries(results).flatMap(([name, { circumstances, result }]) =>
      section(name, circumstances, result),
    ),
  ].join("\n\n")}\n`
}

const INTRODUCTION = `# Performance

What Heddle itself costs, beside its peers: every model is scripted and in process, or a server on loopback. The table is
made by \`npm run bench\`; how, and how to read it, is in [bench/README.md](../bench/README.md).

Read ratios, not milliseconds: CPU time (user and system, all threads) depends on the machine and on what else it does. A
ratio is the median over rounds, in each of which the contestants ran one after the other in fresh processes, as packed
packages. "× floor" compares with the least that any program has to do, "× target" with the contract and nothing else.`

const CONTESTANTS =
  "`floor` the bare minimum, `target` the contract and nothing else, `raw` the vendors' own SDKs, `pi073` and `pi16` pi, `ai` the AI SDK, `oai` OpenAI Agents, `lc` LangChain, `mastra` Mastra"

function section(
  name: string,
  { commit, load }: Circumstances,
  result: Measurement | ColdStart | BundleSizes,
): string[] {
  const head = (title: string, meaning: string, rounds?: number) => [
    `## ${name}: ${title}`,
    `${meaning}. Measured ${result.date.slice(0, 10)}, commit ${commit}${rounds ? `, ${rounds} rounds, load ${short(load)}` : ""}.`,
  ]
  if (name === "s6") {
    const { rounds } = result as ColdStart
    return [
      ...head(
        "Cold start",
        "CPU ms of a process that makes a usable agent with one provider, and ends",
        rounds,
      ),
      coldStartTable(result as ColdStart),
    ]
  }
  if (name === "s7") {
    return [
      ...head("Browser bundle", "KB, minified and gzipped, of what a page has to load at once"),
      bundleTable(result as BundleSizes),
    ]
  }
  const { title = "", meaning = "" } = SCENARIOS[name] ?? {}
  const measurement = result as Measurement
  return [...head(title, meaning, measurement.rounds), scenarioTable(name, measurement)]
}

function scenarioTable(name: string, measurement: Measurement): string {
  const figures = new Figures(measurement)
  const columns = [...new Map(measurement.rows.map(({ parameters }) => [titleOf(parameters), parameters]))]
  const ways = [...new Set(measurement.rows.map(({ contestant, mode }) => `${contestant}/${mode}`))]
  const reference = ["loop", "hand"].find((mode) =>
    measurement.rows.some((row) => row.contestant === "floor" && row.mode === mode),
  )
  const extra =
    name === "s4" ? ["wall ms"] : name === "s8" ? ["KB per agent"] : columns.length > 1 ? ["exponent"] : []
  const lines = ways.map((way) => {
    const [contestant = "", mode = ""] = way.split("/")
    const rows = columns.map(
      ([, parameters]) =>
        measurement.rows.find(
          (row) => row.contestant === contestant && row.mode === mode && row.parameters === parameters,
        ) ??
        measurement.rows.find(
          (row) =>
            row.contestant === contestant &&
            row.mode === mode &&
            titleOf(row.parameters) === titleOf(parameters),
        ),
    )
    const cells = rows.map((row) => {
      if (!row) return ""
      if (row.samples.some(isFailure)) return "failed"
      const cpu = median(succeeded(row).map((sample) => sample.cpu)) ?? Number.NaN
      const times =
        reference &&
        ratio(
          figures.rounds(row.parameters, contestant, mode),
          figures.rounds(row.parameters, "floor", reference),
        )
      return `${short((cpu * 1000) / workOf(name, row.parameters))}${times ? ` (× ${short(times)})` : ""}`
    })
    return [contestant === OURS ? `**${way}**` : way, ...cells, ...extraCells(name, rows)].slice(
      0,
      1 + columns.length + extra.length,
    )
  })
  return table(["", ...columns.map(([title]) => title), ...extra], lines)
}

function extraCells(name: string, rows: readonly (Row | undefined)[]): string[] {
  const last = rows.at(-1)
  if (name === "s4") return [short(last && median(succeeded(last).map(({ wall }) => wall)))]
  if (name === "s8") {
    const memory = last && median(succeeded(last).map((sample) => sample.memory))
    return [short(memory === undefined ? undefined : (memory * KB) / Number(last?.parameters.agents))]
  }
  const measured = rows.flatMap((row) => {
    const cpu = row && median(succeeded(row).map((sample) => sample.cpu))
    return row && cpu !== undefined ? [{ cpu, work: workOf(name, row.parameters) }] : []
  })
  const [less, more] = [measured.at(-2), measured.at(-1)]
  return [
    less && more && less.work !== more.work ? short(exponent(less.cpu, more.cpu, less.work, more.work)) : "",
  ]
}

function titleOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) =>
      typeof value === "number" ? `${value.toLocaleString("en").replaceAll(",", " ")} ${name}` : value,
    )
    .join(", ")
}

function coldStartTable({ samples }: ColdStart): string {
  const floor = samples.floor?.map(({ cpu }) => cpu) ?? []
  return table(
    ["", "CPU ms", "over bare Node.js", "memory MB"],
    Object.entries(samples).map(([contestant, rounds]) => [
      contestant === OURS ? `**${contestant}**` : contestant,
      short(median(rounds.map(({ cpu }) => cpu))),
      short(
        median(rounds.flatMap(({ cpu }, round) => (floor[round] === undefined ? [] : [cpu - floor[round]]))),
      ),
      short(median(rounds.map(({ memory }) => memory))),
    ]),
  )
}

function bundleTable({ bundles }: BundleSizes): string {
  const kilobytes = (bytes: number | undefined) => short(bytes === undefined ? undefined : bytes / KB)
  return table(
    ["", "what", "KB", "of it own code", "needs stubs for Node.js"],
    bundles.map(({ contestant, variant, bytes, ownBytes, needsStubs, error }) => [
      contestant === OURS ? `**${contestant}**` : contestant,
      variant,
      error ? "cannot be made" : kilobytes(bytes),
      ownBytes === undefined ? "" : kilobytes(ownBytes),
      needsStubs === undefined ? "" : needsStubs ? "yes" : "no",
    ]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function commitOf(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: ROOT, encoding: "utf8" }).trim()
  } catch {
    return "unknown"
  }
}
