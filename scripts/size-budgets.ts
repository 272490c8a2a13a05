/** Holds the size of a bundle against what it may be; the numbers are in `size-budgets.json`. */
import type { BundleSize } from "./bundles.ts"
import { VENDOR_SDKS } from "./dependency-table.ts"

export interface Budget {
  /** Minified, gzipped own code. Unit: bytes. */
  readonly bytes: number
  /** Files of ours in the bundle, exactly. Default: any number. */
  readonly modules?: number
}

export interface Budgets {
  /** What applications import together, by a title: names by package. Everything of ours below counts. */
  readonly applications: Readonly<
    Record<string, Budget & { readonly imports: Readonly<Record<string, readonly string[]>> }>
  >
  /** A package by itself, by its folder's name: all it exports, and nothing it depends on. */
  readonly packages: Readonly<Record<string, Budget>>
  /** A package without a budget of its own. */
  readonly otherPackages: Budget
  /** How many modules importing an entry may load, whoever wrote them. */
  readonly loadedModules: number
}

/** The module of an application that imports these names. */
export function importingModule(imports: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(imports)
    .map(([specifier, names]) => `export { ${names.join(", ")} } from "${specifier}"`)
    .join("\n")
}

/** Also says the size when it is fine: a budget is set by looking at these lines. */
export function judgeSize(title: string, { bytes, modules }: BundleSize, budget: Budget): string[] {
  console.log(`        ${bytes} of ${budget.bytes} bytes, ${modules.length} modules  ${title}`)
  const found: string[] = []
  if (bytes > budget.bytes) found.push(`${title} has ${bytes} bytes of code, ${budget.bytes} are allowed`)
  if (budget.modules !== undefined && modules.length !== budget.modules) {
    found.push(`${title} has ${modules.length} modules, not ${budget.modules}: ${modules.join(", ")}`)
  }
  return found
}

/** @param urls The modules that importing the entry loads. An SDK waits for the first request. */
export function judgeLoading(specifier: string, urls: readonly string[], most: number): string[] {
  console.log(`        ${urls.length} of ${most} modules  ${specifier}`)
  const sdks = VENDOR_SDKS.filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`)))
  return [
    ...sdks.map((name) => `importing ${specifier} loads ${name}`),
    ...(urls.length > most
      ? [`importing ${specifier} loads ${urls.length} modules, ${most} are allowed`]
      : []),
  ]
}
