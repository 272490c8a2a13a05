/**
 * The packages as their users get them: packed into tarballs, and installed by npm in a project that knows
 * nothing of this repository.
 *
 * Sources resolve to each other here without a build, so only the packed form shows a forgotten file, a wrong
 * entry or a type that did not make it into the declarations.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Member, Workspace } from "./workspace.ts"

/** One way into a package. */
export interface Entry {
  readonly member: Member
  /** As imported: `@heddle/stream/partial-json`. */
  readonly specifier: string
  /** Whether it may use Node.js: the entry `./node`, and nothing else. */
  readonly isNode: boolean
}

export interface CommandResult {
  readonly ok: boolean
  /** Both streams. */
  readonly output: string
}

/** @returns the entries of the packages, `./package.json` apart. */
export function entriesOf(packages: readonly Member[]): Entry[] {
  return packages.flatMap((member) =>
    Object.keys(member.manifest.exports ?? {})
      .filter((key) => key !== "./package.json")
      .map((key) => ({ member, specifier: member.manifest.name + key.slice(1), isNode: key === "./node" })),
  )
}

/** @returns files that a published entry leads to and no build has made, from the root of the workspace. */
export function findUnbuilt({ root, packages }: Workspace): string[] {
  return packages.flatMap(({ folder, manifest }) =>
    Object.values(manifest.publishConfig?.exports ?? {})
      .flatMap((target) => (typeof target === "string" ? [target] : Object.values(target as object)))
      .map((target) => `${folder}/${String(target).replace(/^\.\//, "")}`)
      .filter((path) => !existsSync(join(root, path))),
  )
}

/** Packs every package, and returns where its tarball is, by the package's name. */
export async function packAll(workspace: Workspace, destination: string): Promise<Map<string, string>> {
  const { ok, output } = await run(workspace.root, workspace.root, "pnpm", [
    "-r",
    "--filter",
    "./packages/*",
    "pack",
    "--pack-destination",
    destination,
  ])
  if (!ok) throw new Error(`The packages could not be packed:\n${output}`)
  const files = readdirSync(destination)
  return new Map(
    workspace.packages.map(({ manifest: { name, version } }) => {
      const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`
      if (!files.includes(file)) throw new Error(`Packing ${name} made no ${file}.`)
      return [name, join(destination, file)]
    }),
  )
}

/** Makes a project that depends on every tarball. What packages only peer with comes from the workspace. */
export async function installConsumer(
  { root, packages }: Workspace,
  tarballs: ReadonlyMap<string, string>,
  folder: string,
): Promise<void> {
  mkdirSync(folder)
  const dependencies = Object.fromEntries([...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]))
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module", dependencies }),
  )
  const { ok, output } = await run(root, folder, "npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--legacy-peer-deps",
    "--prefer-offline",
  ])
  if (!ok) throw new Error(`npm could not install the packed packages:\n${output}`)
  borrow(
    root,
    folder,
    packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {})),
  )
}

/** Gives the project what the workspace has installed for itself. */
export function borrow(root: string, folder: string, names: readonly string[]): void {
  for (const name of names) {
    const installed = join(folder, "node_modules", name)
    if (existsSync(installed)) continue
    mkdirSync(dirname(installed), { recursive: true })
    symlinkSync(join(root, "node_modules", name), installed, "junction")
  }
}

/** Runs one of the workspace's tools. Never rejects: a tool that fails has said why. */
export async function run(
  root: string,
  folder: string,
  tool: string,
  parameters: readonly string[],
): Promise<CommandResult> {
  const path = [join(root, "node_modules", ".bin"), dirname(process.execPath), process.env.PATH].join(
    delimiter,
  )
  try {
    const { stdout, stderr } = await promisify(execFile)(tool, parameters, {
      cwd: folder,
      env: { ...process.env, PATH: path, NO_COLOR: "1" },
      shell: process.platform === "win32",
      maxBuffer: 64 * 1024 * 1024,
    })
    return { ok: true, output: stdout + stderr }
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string }
    return { ok: false, output: stdout + stderr || message }
  }
}
