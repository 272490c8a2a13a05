/**
 * Tries the packages out as their users will: packed, installed with npm, imported, compiled against, bundled.
 *
 * Needs a build, and the npm registry for what the packages depend on. Everything happens in a temporary folder.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findBrowserProblem, measureOwnCode } from "./bundles.ts"
import {
  compilerSettings,
  importingProgram,
  LOADING_PROGRAM,
  MERGING_PROGRAM,
  type Resolution,
  relevantErrors,
  typedProgram,
} from "./consumer-sources.ts"
import { findPrograms } from "./documented-programs.ts"
import { borrow, type Entry, entriesOf, findUnbuilt, installConsumer, packAll, run } from "./packed.ts"
import { type Budgets, importingModule, judgeLoading, judgeSize } from "./size-budgets.ts"
import { readWorkspace } from "./workspace.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const workspace = readWorkspace(root)
const entries = entriesOf(workspace.packages)
const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-packages-")))
const consumer = join(folder, "consumer")
const problems: string[] = []

try {
  await check("every entry is built", async () =>
    findUnbuilt(workspace).map((path) => `${path} is missing: run "npm run build"`),
  )
  if (problems.length === 0) await checkPacked()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

console.log(
  `Packages: ${workspace.packages.length} packages, ${entries.length} entries, ${problems.length} problems`,
)
process.exitCode = problems.length > 0 ? 1 : 0

async function checkPacked() {
  const tarballs = await packAll(workspace, folder)

  await check("publint finds nothing", () =>
    forEachPackage(async (name) => {
      const { ok, output } = await run(root, root, "publint", ["--strict", tarballs.get(name) ?? ""])
      return ok ? [] : [`${name}: ${output.trim()}`]
    }),
  )
  await check("are the types wrong finds nothing", () =>
    forEachPackage(async (name) => {
      const { ok, output } = await run(root, root, "attw", [
        "--profile",
        "esm-only",
        "--format",
        "ascii",
        tarballs.get(name) ?? "",
      ])
      return ok ? [] : [`${name}: ${output.trim()}`]
    }),
  )
  await check("npm installs the tarballs", async () => {
    await installConsumer(workspace, tarballs, consumer)
    return []
  })
  await check("Node.js imports every entry", async () => {
    writeFileSync(join(consumer, "import.mjs"), importingProgram(entries))
    const { ok, output } = await run(root, consumer, process.execPath, ["import.mjs"])
    return ok ? [] : output.trim().split("\n")
  })
  const budgets: Budgets = JSON.parse(readFileSync(join(root, "scripts/size-budgets.json"), "utf8"))
  await check("importing an entry loads few modules, and no vendor's SDK", async () => {
    writeFileSync(join(consumer, "load.mjs"), LOADING_PROGRAM)
    const found: string[] = []
    for (const { specifier, member } of entries) {
      if (member.manifest.peerDependencies) continue // brings what its user has: a test runner
      const { ok, output } = await run(root, consumer, process.execPath, ["load.mjs", specifier])
      if (!ok) return [`${specifier}: ${output.trim()}`]
      found.push(...judgeLoading(specifier, JSON.parse(output) as string[], budgets.loadedModules))
    }
    return found
  })
  const everywhere = entries.filter(({ isNode }) => !isNode)
  await checkTypes("nodenext", everywhere)
  await checkTypes("bundler", everywhere)
  await checkTypes(
    "nodenext",
    entries.filter(({ isNode }) => isNode),
    ["node"],
  )
  await check("browsers get along with every entry but ./node", async () => {
    const found: string[] = []
    for (const { specifier, member } of everywhere) {
      const peers = Object.keys(member.manifest.peerDependencies ?? {})
      const problem = await findBrowserProblem(consumer, specifier, peers)
      if (problem) found.push(`${specifier}: ${problem}`)
    }
    return found
  })
  await check("bundles keep to their budgets", async () => {
    const found: string[] = []
    for (const [title, budget] of Object.entries(budgets.applications)) {
      const code = importingModule(budget.imports)
      const size = await measureOwnCode(consumer, code, (path) => path.startsWith("@heddle/"))
      found.push(...judgeSize(title, size, budget))
    }
    for (const { id, manifest } of workspace.packages) {
      const code = `export * from "${manifest.name}"`
      const size = await measureOwnCode(consumer, code, (path) => path === manifest.name)
      found.push(...judgeSize(id, size, budgets.packages[id] ?? budgets.otherPackages))
    }
    return found
  })
  // Last, because documentation may use what the workspace has beside its packages: schema libraries, Node.js.
  await check("documented programs compile", async () => {
    borrow(root, consumer, Object.keys(workspace.manifest.devDependencies ?? {}))
    mkdirSync(join(consumer, "documented"))
    for (const { path, text } of workspace.documents.flatMap(findPrograms)) {
      writeFileSync(join(consumer, "documented", path), text)
    }
    return compile(compilerSettings("nodenext", "documented", ["node"]))
  })
}

async function checkTypes(resolution: Resolution, used: readonly Entry[], globals: readonly string[] = []) {
  const folder = ["typed", ...globals].join("-")
  await check(`TypeScript reads the types (${[resolution, ...globals].join(", ")})`, () => {
    borrow(
      root,
      consumer,
      globals.map((name) => `@types/${name}`),
    )
    mkdirSync(join(consumer, folder), { recursive: true })
    writeFileSync(join(consumer, folder, "entries.ts"), typedProgram(used))
    writeFileSync(join(consumer, folder, "merging.ts"), MERGING_PROGRAM)
    return compile(compilerSettings(resolution, folder, globals))
  })
}

async function compile(settings: string): Promise<string[]> {
  writeFileSync(join(consumer, "tsconfig.json"), settings)
  const { ok, output } = await run(root, consumer, "tsc", ["-p", "tsconfig.json", "--pretty", "false"])
  return ok || /error TS\d+/.test(output) ? relevantErrors(output) : [`tsc: ${output}`]
}

async function check(title: string, look: () => Promise<string[]>) {
  const started = performance.now()
  const found = await look().catch((error: Error) => [error.message])
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${found.length > 0 ? "failed" : "passed"}  ${seconds.padStart(5)} s  ${title}`)
  for (const problem of found) console.error(`  ${problem.replaceAll("\n", "\n  ")}`)
  problems.push(...found)
}

/** Two at a time: the tools are processes of their own, and machines of two cores are common. */
async function forEachPackage(look: (name: string) => Promise<string[]>): Promise<string[]> {
  const names = workspace.packages.map(({ manifest }) => manifest.name)
  const found: string[] = []
  const work = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) found.push(...(await look(name)))
  }
  await Promise.all([work(), work()])
  return found
}
