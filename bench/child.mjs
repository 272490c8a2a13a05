/**
 * One contestant in one cell, in a process of its own: `child.mjs <module> <scenario> <parameters>`.
 *
 * Needs `--expose-gc`. The first repetition warms up and is reported apart; each of the others begins with a
 * collected heap. Says one line of JSON. Without a scenario it says what the contestant can do.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [path, scenario, parameters] = process.argv.slice(2)
const MEBIBYTE = 1024 * 1024

try {
  const { default: contestant } = await import(pathToFileURL(path).href)
  const { modes = {}, scenarios, cold, bundle, label } = contestant
  say(
    scenario
      ? await measure(scenarios[scenario], JSON.parse(parameters))
      : { label, modes, scenarios: Object.keys(scenarios), cold, bundle },
  )
} catch (error) {
  say({ error: String(error?.stack ?? error).slice(0, 800) })
}
// Some contestants keep connections open.
process.exit()

async function measure(run, { repetitions, budgetMs, ...given }) {
  const countTools = await watchTools()
  globalThis.gc()
  const before = process.memoryUsage().rss / MEBIBYTE
  const cold = await once(run, given)
  const tools = countTools()
  const peak = process.resourceUsage().maxRSS / 1024
  const warm = []
  const started = performance.now()
  while (warm.length < repetitions && (warm.length === 0 || performance.now() - started < budgetMs)) {
    globalThis.gc()
    const sample = await once(run, given)
    if (JSON.stringify(sample.result) !== JSON.stringify(cold.result)) {
      throw new Error(`The results differ: ${JSON.stringify([cold.result, sample.result])}`)
    }
    warm.push(sample)
  }
  return {
    cpu: median(warm.map(({ cpu }) => cpu)),
    wall: median(warm.map(({ wall }) => wall)),
    coldCpu: cold.cpu,
    memory: peak - before,
    repetitions: warm.length,
    result: { ...cold.result, tools },
  }
}

/** Milliseconds of all threads: collecting garbage and compiling count. */
async function once(run, given) {
  const cpu = process.cpuUsage()
  const started = performance.now()
  const result = await run(given)
  const wall = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: (user + system) / 1000, wall, result }
}

/** Counts how often the scenarios' tools run, until the count is asked for. */
async function watchTools() {
  const { TOOLS } = await import(pathToFileURL(join(process.env.HEDDLE_BENCH, "lib", "script.mjs")).href)
  let count = 0
  const originals = Object.values(TOOLS).map((tool) => [tool, tool.run])
  for (const [tool, run] of originals) {
    tool.run = (given) => {
      count++
      return run(given)
    }
  }
  return () => {
    for (const [tool, run] of originals) tool.run = run
    return count
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

function say(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}
