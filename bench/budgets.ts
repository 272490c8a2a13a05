/** Holds what was measured against what may come out. */
import type { BundleSizes } from "./bundle-sizes.ts"
import type { ColdStart } from "./cold-start.ts"
import { exponent, median, ratio, short } from "./figures.ts"
import { OURS, PEERS } from "./plan.ts"
import type { Sample } from "./processes.ts"
import { isFailure, type Measurement, type Row } from "./rounds.ts"

/** One line of the table of budgets. */
export interface Verdict {
  readonly what: string
  readonly budget: string
  readonly measured: string
  /** Undefined: there was nothing to compare with. */
  readonly met: boolean | undefined
}

/** @returns nothing for a scenario that has no budget. */
export function judge(name: string, result: Measurement | ColdStart | BundleSizes): Verdict[] {
  if (name === "s6") return judgeColdStart(result as ColdStart)
  if (name === "s7") return judgeBundles(result as BundleSizes)
  return JUDGES[name]?.(new Figures(result as Measurement)) ?? []
}

const KB = 1024
/** A curve that rises faster than this is not flat: the first turns also pay for the start of the run. */
const FLAT = 1.05

const JUDGES: Readonly<Record<string, (figures: Figures) => Verdict[]>> = {
  s1: (figures) => [
    ...[10_000, 50_000].flatMap((deltas) => [
      figures.atMost(`${deltas} deltas, loop`, { deltas }, "loop", 1.5, "target"),
      figures.belowPeers(`${deltas} deltas, loop`, { deltas }, "loop", 1, NOT_BURST),
    ]),
    figures.grows("1 000 to 50 000 deltas, loop", "deltas", 1000, 50_000, "loop"),
    ...[10_000, 50_000].map((deltas) =>
      figures.atMost(`${deltas} deltas, burst`, { deltas }, "burst", 2, "target", "burst"),
    ),
  ],
  s2: (figures) => [
    figures.atMost("1 MB of arguments", { bytes: 1_000_000 }, "loop", 1.5, "target"),
    figures.belowPeers("1 MB of arguments", { bytes: 1_000_000 }, "loop", 1),
    figures.grows("100 KB to 1 MB of arguments", "bytes", 100_000, 1_000_000, "loop"),
  ],
  s2w: (figures) => [
    figures.belowPeers("1 MB of arguments over Anthropic's wire", { bytes: 1_000_000 }, "loop", 0.5),
  ],
  s3: (figures) => [
    ...[50, 200, 1000].map((turns) => figures.belowPeers(`${turns} turns`, { turns }, "loop", 1)),
    figures.grows("200 to 1 000 turns", "turns", 200, 1000, "loop"),
  ],
  s4: (figures) => [
    figures.belowPeers("200 parallel tools", { calls: 200 }, "loop", 1),
    figures.atMost("200 parallel tools, wall time", { calls: 200 }, "loop", 1.2, "target", "loop", "wall"),
  ],
  s5: (figures) =>
    ["anthropic", "openai", "gemini"].flatMap((format) => [
      figures.atMost(`events of ${format}'s wire`, { format }, "provider", 2, "floor", "hand"),
      figures.belowPeers(`events of ${format}'s wire`, { format }, "provider", 1),
    ]),
  s8: (figures) => {
    const agents = 500
    const perAgent = (figures.median({ agents }, OURS, "loop", "memory") ?? Number.NaN) * KB
    return [
      figures.atMost("500 agents at once", { agents }, "loop", 1.5, "target"),
      limit("500 agents at once, memory of one", perAgent / agents, 200, "KB"),
    ]
  },
  s9: (figures) => [
    figures.atMost("proxy client", {}, "loop", 2, "floor"),
    figures.belowPeers("proxy client", {}, "loop", 1),
  ],
}

/** Delivers everything at once, which the others do not. */
const NOT_BURST = (mode: string): boolean => mode !== "burst"

/** The samples of one scenario, by whose they are. */
export class Figures {
  readonly #rows: readonly Row[]

  constructor({ rows }: Measurement) {
    this.#rows = rows
  }

  /** @returns undefined where a round has no figure. */
  rounds(
    wanted: object,
    contestant: string,
    mode: string,
    figure: "cpu" | "wall" | "memory" = "cpu",
  ): (number | undefined)[] {
    const row = this.#find(wanted).find((each) => each.contestant === contestant && each.mode === mode)
    return (row?.samples ?? []).map((sample) => (isFailure(sample) ? undefined : sample[figure]))
  }

  median(
    wanted: object,
    contestant: string,
    mode: string,
    figure: "cpu" | "wall" | "memory" = "cpu",
  ): number | undefined {
    return median(this.rounds(wanted, contestant, mode, figure).filter((value) => value !== undefined))
  }

  atMost(
    what: string,
    wanted: object,
    mode: string,
    times: number,
    reference: string,
    referenceMode = "loop",
    figure: "cpu" | "wall" = "cpu",
  ): Verdict {
    const value = ratio(
      this.rounds(wanted, OURS, mode, figure),
      this.rounds(wanted, reference, referenceMode, figure),
    )
    return limit(what, value, times, `× ${reference}`)
  }

  /** Against the fastest of the peers' ways to do the same. */
  belowPeers(
    what: string,
    wanted: object,
    mode: string,
    times: number,
    counts: (mode: string) => boolean = () => true,
  ): Verdict {
    const peers = this.#find(wanted)
      .filter((row) => (PEERS as readonly string[]).includes(row.contestant) && counts(row.mode))
      .map((row) => ({ row, cpu: median(succeeded(row).map(({ cpu }) => cpu)) }))
      .filter((each): each is { row: Row; cpu: number } => each.cpu !== undefined)
      .sort((a, b) => a.cpu - b.cpu)
    const fastest = peers[0]?.row
    const value =
      fastest && ratio(this.rounds(wanted, OURS, mode), this.rounds(wanted, fastest.contestant, fastest.mode))
    return limit(what, value, times, `× ${fastest?.contestant ?? "fastest peer"}`, "× fastest peer")
  }

  grows(what: string, work: string, from: number, to: number, mode: string): Verdict {
    const less = this.median({ [work]: from }, OURS, mode)
    const more = this.median({ [work]: to }, OURS, mode)
    const value = less && more ? exponent(less, more, from, to) : undefined
    return limit(`growth, ${what}`, value, FLAT, "exponent")
  }

  #find(wanted: object): Row[] {
    return this.#rows.filter(({ parameters }) =>
      Object.entries(wanted).every(([name, value]) => parameters[name] === value),
    )
  }
}

export function succeeded({ samples }: Row): Sample[] {
  return samples.filter((sample): sample is Sample => !isFailure(sample))
}

function judgeColdStart({ samples }: ColdStart): Verdict[] {
  const floor = samples.floor ?? []
  const over = (samples[OURS] ?? []).flatMap(({ cpu }, round) => {
    const bare = floor[round]
    return bare ? [cpu - bare.cpu] : []
  })
  return [limit("cold start of an agent with one provider, over bare Node.js", median(over), 30, "ms of CPU")]
}

function judgeBundles({ bundles }: BundleSizes): Verdict[] {
  const ours = bundles.find(({ contestant }) => contestant === OURS)
  const kilobytes = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / KB)
  return [
    limit("browser bundle of Agent and proxy client, gzipped", kilobytes(ours?.bytes), 22, "KB"),
    limit("own code in it, gzipped", kilobytes(ours?.ownBytes), 15, "KB"),
  ]
}

function limit(
  what: string,
  value: number | undefined,
  most: number,
  unit: string,
  budgetUnit = unit,
): Verdict {
  return {
    what,
    budget: `≤ ${most} ${budgetUnit}`,
    measured: value === undefined || Number.isNaN(value) ? "–" : `${short(value)} ${unit}`,
    met: value === undefined || Number.isNaN(value) ? undefined : value <= most,
  }
}
