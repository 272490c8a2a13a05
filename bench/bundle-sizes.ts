/** How much a page has to load: bundles for the browser, minified and gzipped. */
import { isBuiltin } from "node:module"
import { gzipSync } from "node:zlib"
import { build, type Plugin } from "esbuild"
import { measureOwnCode } from "../scripts/bundles.ts"
import { folderOf } from "./cold-start.ts"
import { CONSUMER, type Places } from "./places.ts"
import { OURS, PEERS } from "./plan.ts"
import { type BundledCode, describe } from "./processes.ts"
import { isFailure } from "./rounds.ts"

export interface BundleSizes {
  readonly date: string
  readonly bundles: readonly MeasuredBundle[]
}

export interface MeasuredBundle {
  readonly contestant: string
  readonly variant: string
  /** Bytes of what is loaded at the start, everything included. */
  readonly bytes?: number
  /** Bytes of it that are of this repository. */
  readonly ownBytes?: number
  /** Whether modules of Node.js had to be replaced by nothing to make the bundle. */
  readonly needsStubs?: boolean
  readonly error?: string
}

const ENTRY = "entry.js"

export async function measureBundles(
  contestants: readonly string[],
  places: Places,
  say: (line: string) => void,
): Promise<BundleSizes> {
  const bundles: MeasuredBundle[] = []
  for (const contestant of [OURS, ...PEERS].filter((each) => contestants.includes(each))) {
    const description = await describe(contestant, places)
    if (isFailure(description)) {
      say(`${contestant} is left out: ${description.error}`)
      continue
    }
    for (const bundle of [description.bundle ?? []].flat()) {
      const measured = await measureBundle(contestant, bundle, places)
      bundles.push(measured)
      say(`s7 ${contestant}, ${measured.variant}: ${measured.bytes ?? measured.error} bytes`)
    }
  }
  return { date: new Date().toISOString(), bundles }
}

async function measureBundle(
  contestant: string,
  { dir, code, variant = "Agent and proxy client" }: BundledCode,
  places: Places,
): Promise<MeasuredBundle> {
  const folder = folderOf(dir, places)
  const about = { contestant, variant }
  const own = contestant === OURS && {
    ownBytes: (await measureOwnCode(CONSUMER, code, (path) => path.startsWith("@heddle/"))).bytes,
  }
  try {
    return { ...about, ...own, bytes: await sizeOf(folder, code, []), needsStubs: false }
  } catch {
    // Perhaps it can be made without Node.js's modules.
  }
  try {
    return { ...about, ...own, bytes: await sizeOf(folder, code, [NOTHING_OF_NODE]), needsStubs: true }
  } catch (error) {
    return { ...about, error: String((error as Error).message).slice(0, 200) }
  }
}

/** @returns the gzipped size of the entry and of all it loads at once. */
async function sizeOf(folder: string, code: string, plugins: Plugin[]): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder, sourcefile: ENTRY },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    splitting: true,
    outdir: "out",
    metafile: true,
    write: false,
    logLevel: "silent",
    external: plugins.length > 0 ? ["@opentelemetry/api"] : [],
    plugins,
  })
  const outputs = Object.entries(metafile.outputs)
  const loaded = new Set<string>()
  const load = (path: string) => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { kind, path: imported, external } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && !external) load(imported)
  }
  load(
    outputs.find(([, { entryPoint }]) => entryPoint?.includes("stdin") || entryPoint?.includes(ENTRY))?.[0] ??
      "",
  )
  return outputFiles
    .filter(({ path }) => [...loaded].some((file) => path.replaceAll("\\", "/").endsWith(file)))
    .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).byteLength, 0)
}

const NOTHING_OF_NODE: Plugin = {
  name: "nothing-of-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z_]/ }, ({ path }) =>
      isBuiltin(path) ? { path, namespace: "nothing" } : undefined,
    )
    onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "module.exports = {}" }))
  },
}
