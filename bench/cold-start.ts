/**
 * What it costs to come to life: CPU of a process that makes a usable agent with one provider and ends.
 *
 * The floor is a process that does nothing, so the difference to it is what a package and its imports cost.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { environment, type Places } from "./places.ts"
import { OURS, PEERS } from "./plan.ts"
import { describe } from "./processes.ts"
import { isFailure } from "./rounds.ts"

export interface ColdStart {
  readonly date: string
  readonly rounds: number
  /** By contestant, round by round. */
  readonly samples: Readonly<Record<string, readonly ColdSample[]>>
}

export interface ColdSample {
  /** Milliseconds from the start of the process. */
  readonly cpu: number
  /** Mebibytes. */
  readonly memory: number
}

export const COLD_CONTESTANTS = ["floor", OURS, ...PEERS, "raw"]

const REPORTING = `;const { user, system } = process.cpuUsage()
process.stdout.write("\\n" + JSON.stringify({ cpu: (user + system) / 1000, memory: process.memoryUsage().rss / 1048576 }))
process.exit()`

export async function measureColdStarts(
  contestants: readonly string[],
  rounds: number,
  places: Places,
  say: (line: string) => void,
): Promise<ColdStart> {
  const programs = new Map<string, string>()
  for (const contestant of COLD_CONTESTANTS.filter((each) => contestants.includes(each))) {
    const description = await describe(contestant, places)
    if (isFailure(description)) say(`${contestant} is left out: ${description.error}`)
    else if (description.cold) {
      const { dir, code } = description.cold
      const importer = pathToFileURL(join(folderOf(dir, places), "imp.mjs")).href
      const importing = code && `const { default: imp } = await import(${JSON.stringify(importer)});`
      programs.set(contestant, importing + code + REPORTING)
    }
  }

  const samples: Record<string, ColdSample[]> = {}
  // The first round fills the caches of the file system, and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [contestant, program] of programs) {
      const sample = await start(program, places)
      if (round === 0) continue
      samples[contestant] ??= []
      samples[contestant].push(sample)
      say(`s6 ${round}/${rounds} ${contestant}: cpu ${sample.cpu.toFixed(1)} ms`)
    }
  }
  return { date: new Date().toISOString(), rounds, samples }
}

/** Folders of peers are named from where the peers are. */
export function folderOf(dir: string, { peers }: Places): string {
  return dir.startsWith("/") ? dir : join(peers, dir)
}

async function start(program: string, places: Places): Promise<ColdSample> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--no-warnings", "--input-type=module", "-e", program],
    { env: environment(places), timeout: 60_000 },
  )
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
}
