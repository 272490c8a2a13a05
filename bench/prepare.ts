/**
 * Makes what is measured: the packages as a user installs them, and the peers.
 *
 * Nothing here runs in `npm test`. A peer is installed once, when it is first asked for, with the versions that
 * the scenarios name.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findUnbuilt, installConsumer, packAll, run } from "../scripts/packed.ts"
import { readWorkspace } from "../scripts/workspace.ts"
import { CONSUMER, environment, type Places, ROOT } from "./places.ts"

/** What the contestant imports, and what that stands on. */
const MEASURED = [
  "types",
  "stream",
  "tools",
  "loop",
  "agent",
  "proxy-client",
  "provider-kit",
  "anthropic",
  "openai",
  "google",
]

/** Builds, packs and installs the packages. */
export async function installOurs(): Promise<void> {
  const everything = readWorkspace(ROOT)
  const workspace = {
    ...everything,
    packages: everything.packages.filter(({ id }) => MEASURED.includes(id)),
  }
  const filters = workspace.packages.map(({ manifest }) => `--filter=${manifest.name}`)
  const built = await run(ROOT, ROOT, "turbo", ["run", "build", ...filters, "--output-logs=errors-only"])
  const missing = findUnbuilt(workspace)
  if (missing.length > 0) throw new Error(`The build made no ${missing.join(", ")}:\n${built.output}`)

  const tarballs = mkdtempSync(join(tmpdir(), "heddle-bench-"))
  try {
    rmSync(CONSUMER, { recursive: true, force: true })
    await installConsumer(workspace, await packAll(workspace, tarballs), CONSUMER)
    // Resolves from this folder, whoever asks.
    writeFileSync(join(CONSUMER, "imp.mjs"), "export default (specifier) => import(specifier)\n")
  } finally {
    rmSync(tarballs, { recursive: true, force: true })
  }
}

export function hasOurs(): boolean {
  return existsSync(join(CONSUMER, "imp.mjs"))
}

/** Installs the peers, where they are not there yet. What is there is left alone. */
export function installPeers(places: Places): void {
  const { dirs } = readDependencies(places)
  if (Object.keys(dirs).every((name) => existsSync(join(places.peers, name, "imp.mjs")))) return
  console.error(`Installing the peers into ${places.peers} (once, some minutes) ...`)
  mkdirSync(places.peers, { recursive: true })
  const { status } = spawnSync("bash", [join(places.scenarios, "setup.sh")], {
    env: environment(places),
    stdio: ["ignore", "inherit", "inherit"],
  })
  if (status !== 0) throw new Error("The peers could not be installed: see above.")
}

/** @returns the versions that are measured, by package: only those of contestants, not what they stand on. */
export function versionsOf(places: Places): Map<string, string> {
  const versions = Object.values(readDependencies(places).dirs)
    .flat()
    .map((name) => [name.slice(0, name.lastIndexOf("@")), name.slice(name.lastIndexOf("@") + 1)] as const)
  return new Map(versions)
}

function readDependencies({ scenarios }: Places): { dirs: Record<string, string[]> } {
  return JSON.parse(readFileSync(join(scenarios, "deps.json"), "utf8"))
}
