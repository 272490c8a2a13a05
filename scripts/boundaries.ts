/**
 * Finds every arrow between packages that the dependency table does not draw, and every import that would break
 * a package outside this repository.
 *
 * The checks look at sources and manifests only. What a published package really does, in Node.js, in a browser
 * and under a type checker, is tried out by `check-packages.ts`.
 */
import { isBuiltin } from "node:module"
import { posix } from "node:path"
import { ADAPTER, DEPENDENCY_TABLE, TEST_PACKAGES, VENDOR_SDKS } from "./dependency-table.ts"
import { type ModuleReference, readModuleSyntax } from "./module-syntax.ts"
import type { Manifest, Member, SourceFile, Workspace } from "./workspace.ts"

/** One violation. */
export interface Finding {
  /** A file, with the line where there is one. */
  readonly where: string
  readonly what: string
}

const SCOPE = "@heddle/"
const ROOT_FOLDERS = ["scripts", "test", "bench"]

/** @returns the violations, in the order of the files; empty when the house is in order. */
export function checkBoundaries(workspace: Workspace): Finding[] {
  return [
    ...workspace.packages.flatMap((member) => [
      ...checkManifest(member),
      ...checkSources(member, workspace),
      ...checkTests(member, workspace),
      ...(member.id === "types" ? checkEmitsNothing(member) : []),
    ]),
    ...workspace.examples.flatMap((member) =>
      [...member.sources, ...member.tests].flatMap((file) =>
        checkImports(file, workspace, {
          home: member.folder,
          declared: namesIn(member.manifest, workspace.manifest),
        }),
      ),
    ),
    ...workspace.sources.flatMap((file) =>
      checkImports(file, workspace, {
        home: posix.dirname(file.path).split("/")[0] ?? "",
        declared: namesIn(workspace.manifest),
      }),
    ),
  ]
}

/** @returns sources that are long enough to ask for a reason; no violation. */
export function findLongFiles(workspace: Workspace, limit = 300): string[] {
  return workspace.packages
    .flatMap(({ sources }) => sources)
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > limit)
    .map(({ path, lines }) => `${path} has ${lines} lines`)
}

function checkManifest(member: Member): Finding[] {
  const { folder, id, manifest, sources } = member
  const where = `${folder}/package.json`
  const findings: Finding[] = []
  const report = (what: string) => findings.push({ where, what })

  const row = rowOf(id)
  const published = Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  })
  for (const name of published) {
    if (name.startsWith(SCOPE)) {
      if (!row.packages.includes(bare(name))) report(`depends on ${name}, which ${allowance(id)}`)
    } else if (id in DEPENDENCY_TABLE && !row.registry?.includes(name)) {
      report(`depends on ${name}, which its row of the dependency table does not list`)
    }
  }
  for (const name of Object.keys(manifest.devDependencies ?? {})) {
    if (name.startsWith(SCOPE) && !mayTest(id, bare(name))) {
      report(testObjection(id, name))
    }
  }
  const vendors = published.filter((name) => VENDOR_SDKS.includes(name))
  if (vendors.length > 1) report(`depends on the SDKs of more than one vendor: ${vendors.join(", ")}`)

  const used = new Set(sources.flatMap(specifiersOf).map(packageOf))
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (sources.length > 0 && !used.has(name)) report(`depends on ${name}, and no source imports it`)
  }

  const inside = Object.keys(manifest.exports ?? {}).join(", ")
  const outside = Object.keys(manifest.publishConfig?.exports ?? {}).join(", ")
  if (inside !== outside) report(`exports "${inside}" here and "${outside}" when published`)
  if (sources.some(({ path }) => isNodeFile(member, path)) && !manifest.exports?.["./node"]) {
    report('has a src/node, and no entry "./node" that leads to it')
  }
  return findings
}

function checkSources(member: Member, workspace: Workspace): Finding[] {
  const { folder, id, manifest, sources } = member
  const { devDependencies: _, ...published } = manifest
  return sources.flatMap((file) => {
    const findings = checkImports(file, workspace, { home: `${folder}/src`, declared: namesIn(published) })
    const report = (line: number, what: string) => findings.push({ where: `${file.path}:${line}`, what })
    const syntax = readModuleSyntax(file.path, file.text)

    for (const { specifier, line } of syntax.references) {
      if (specifier === undefined) {
        report(line, "computes what it imports, which hides it from bundlers and from this check")
      } else if (specifier === manifest.name || specifier.startsWith(`${manifest.name}/`)) {
        report(line, `imports its own package by name, "${specifier}"`)
      } else if (specifier.startsWith(SCOPE) && !rowOf(id).packages.includes(bare(specifier))) {
        report(line, `imports ${packageOf(specifier)}, which ${allowance(id)}`)
      } else if (isNodeFile(member, file.path)) {
        // Node.js and the rest of the package are at its service.
      } else if (isBuiltin(specifier)) {
        report(line, `imports "${specifier}" outside of src/node: the package must run in browsers`)
      } else if (specifier.startsWith(".") && isNodeFile(member, resolve(file, specifier))) {
        report(line, `imports "${specifier}", which is for Node.js only`)
      }
    }
    if (file.path === `${folder}/src/index.ts`) {
      for (const line of syntax.exportsAll) report(line, "exports everything of a file: name the exports")
    }
    return findings
  })
}

function checkTests({ folder, id, manifest, tests }: Member, workspace: Workspace): Finding[] {
  return tests.flatMap((file) => [
    ...checkImports(file, workspace, { home: folder, declared: namesIn(manifest, workspace.manifest) }),
    ...readModuleSyntax(file.path, file.text)
      .references.filter(({ specifier }) => specifier?.startsWith(SCOPE) && !mayTest(id, bare(specifier)))
      .map(({ specifier, line }) => ({
        where: `${file.path}:${line}`,
        what: testObjection(id, specifier),
      })),
  ])
}

/** What holds for every file: it stays at home, uses entries, and declares what it uses. */
function checkImports(
  file: SourceFile,
  workspace: Workspace,
  { home, declared }: { home: string; declared: ReadonlySet<string> },
): Finding[] {
  return readModuleSyntax(file.path, file.text).references.flatMap((reference) => {
    const what = objectionTo(reference, file, workspace, home, declared)
    return what ? [{ where: `${file.path}:${reference.line}`, what }] : []
  })
}

function objectionTo(
  { specifier }: ModuleReference,
  file: SourceFile,
  workspace: Workspace,
  home: string,
  declared: ReadonlySet<string>,
): string | undefined {
  if (specifier === undefined || isBuiltin(specifier)) return
  if (specifier.startsWith(".")) {
    const path = resolve(file, specifier)
    // Tests and benchmarks of the root may use the root's own scripts, such as what packs the packages.
    return path.startsWith(`${home}/`) || (ROOT_FOLDERS.includes(home) && path.startsWith("scripts/"))
      ? undefined
      : `reaches out of ${home} with "${specifier}": import the package by its name`
  }
  const name = packageOf(specifier)
  if (name.startsWith(SCOPE)) {
    const target = workspace.packages.find(({ manifest }) => manifest.name === name)
    if (!target) return `imports ${name}, and there is no such package`
    const entry = `.${specifier.slice(name.length)}`
    if (!target.manifest.exports?.[entry]) return `imports "${specifier}" past the exports of ${name}`
  }
  return declared.has(name) ? undefined : `imports ${name} without declaring it in a package.json`
}

/** Law L11: the vocabulary is types only. */
function checkEmitsNothing({ sources, built }: Member): Finding[] {
  return [...sources, ...built].flatMap((file) =>
    readModuleSyntax(file.path, file.text).runtimeStatements.map((line) => ({
      where: `${file.path}:${line}`,
      what: "leaves JavaScript behind, and the vocabulary is types only",
    })),
  )
}

function rowOf(id: string) {
  return DEPENDENCY_TABLE[id] ?? ADAPTER
}

function allowance(id: string): string {
  const kind = DEPENDENCY_TABLE[id] ? id : "an adapter"
  return `${kind} may not: it may use ${rowOf(id).packages.join(", ") || "no package"}`
}

function testObjection(id: string, name: string | undefined): string {
  return `tests with ${name}, which is neither below ${id} nor ${TEST_PACKAGES.join(" or ")}`
}

/** Tests may use whatever lies below their package, also what only its dependencies use. */
function mayTest(id: string, target: string): boolean {
  return target === id || TEST_PACKAGES.includes(target) || isBelow(id, target)
}

function isBelow(id: string, target: string): boolean {
  return rowOf(id).packages.some((lower) => lower === target || isBelow(lower, target))
}

/** `src/node.ts` and everything under `src/node`: the sources of the entry `./node`. */
function isNodeFile({ folder }: Member, path: string): boolean {
  return path === `${folder}/src/node.ts` || path.startsWith(`${folder}/src/node/`)
}

function namesIn(...manifests: Partial<Manifest>[]): Set<string> {
  return new Set(
    manifests.flatMap((manifest) => [
      manifest.name ?? "",
      ...Object.keys({
        ...manifest.dependencies,
        ...manifest.devDependencies,
        ...manifest.peerDependencies,
        ...manifest.optionalDependencies,
      }),
    ]),
  )
}

function specifiersOf(file: SourceFile): string[] {
  return readModuleSyntax(file.path, file.text).references.flatMap(({ specifier }) => specifier ?? [])
}

function resolve(file: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(file.path), specifier)
}

/** `@heddle/stream/partial-json` → `@heddle/stream`; `openai/helpers` → `openai`. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

/** `@heddle/stream/partial-json` → `stream`. */
function bare(specifier: string): string {
  return packageOf(specifier).slice(SCOPE.length)
}
