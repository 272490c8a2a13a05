/**
 * The repository as the checks see it: every package and example with its manifest and its sources.
 *
 * Reading happens here and nowhere else, so that a check is a function from a workspace to findings, and a test
 * can plant a violation in a small tree of its own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly version?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface SourceFile {
  /** From the root of the workspace, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** A folder with a package.json. */
export interface Member {
  /** From the root of the workspace: `packages/loop`. */
  readonly folder: string
  /** The folder's own name: `loop`. */
  readonly id: string
  readonly manifest: Manifest
  /** TypeScript under `src`. */
  readonly sources: readonly SourceFile[]
  /** TypeScript under `test`. */
  readonly tests: readonly SourceFile[]
  /** JavaScript under `dist`; empty before a build. */
  readonly built: readonly SourceFile[]
}

export interface Workspace {
  readonly root: string
  readonly manifest: Manifest
  readonly packages: readonly Member[]
  readonly examples: readonly Member[]
  /** TypeScript of the root itself: `scripts`, `test` and `bench`. */
  readonly sources: readonly SourceFile[]
  /** What users read: every README, and `docs`. Changelogs tell of code that is no more. */
  readonly documents: readonly SourceFile[]
}

export function readWorkspace(root: string): Workspace {
  const packages = readMembers(root, "packages")
  const examples = readMembers(root, "examples")
  const readmes = ["", ...[...packages, ...examples].map(({ folder }) => `${folder}/`)]
    .map((folder) => `${folder}README.md`)
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
  return {
    root,
    manifest: readManifest(root, "."),
    packages,
    examples,
    documents: [...readmes, ...readSources(root, "docs", ".md")],
    sources: ["scripts", "test", "bench"].flatMap((folder) => readSources(root, folder, ".ts")),
  }
}

function readMembers(root: string, parent: string): Member[] {
  if (!existsSync(join(root, parent))) return []
  return readdirSync(join(root, parent))
    .sort()
    .filter((id) => existsSync(join(root, parent, id, "package.json")))
    .map((id) => {
      const folder = `${parent}/${id}`
      return {
        folder,
        id,
        manifest: readManifest(root, folder),
        sources: readSources(root, `${folder}/src`, ".ts"),
        tests: readSources(root, `${folder}/test`, ".ts"),
        built: readSources(root, `${folder}/dist`, ".js"),
      }
    })
}

function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
}

function readSources(root: string, folder: string, extension: string): SourceFile[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(extension) && !name.split("/").includes("node_modules"))
    .sort()
    .map((name) => {
      const path = `${folder}/${name}`
      return { path, text: readFileSync(join(root, path), "utf8") }
    })
}
