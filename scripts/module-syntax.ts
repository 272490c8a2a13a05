/**
 * Reads off a TypeScript source what it takes from other modules, and what of it exists at run time.
 *
 * A parser does it, not a pattern: an import in a comment or in a string is none, `import("x").Type` is one.
 * Nothing is resolved here; see `boundaries.ts` for what a specifier may name.
 */
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

/** One place in a source that names another module. */
export interface ModuleReference {
  /** As written; `undefined` where it is computed at run time. */
  readonly specifier: string | undefined
  /** 1-based. */
  readonly line: number
}

/** What is said about modules in one source. */
export interface ModuleSyntax {
  /** Imports and re-exports, of types and values, static and dynamic, and `declare module` with a name. */
  readonly references: readonly ModuleReference[]
  /** Lines of `export * from`, `export type *` apart. */
  readonly exportsAll: readonly number[]
  /** Lines of top-level statements that leave JavaScript behind. `export {}` does not count. */
  readonly runtimeStatements: readonly number[]
}

/** @throws Error naming the file when it does not parse. */
export function readModuleSyntax(path: string, text: string): ModuleSyntax {
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path} does not parse: ${errors[0].message}`)

  const lineOf = lineFinder(text)
  const references: ModuleReference[] = []
  const refer = (source: ESTree.Node) =>
    references.push({
      specifier: source.type === "Literal" && typeof source.value === "string" ? source.value : undefined,
      line: lineOf(source.start),
    })

  new Visitor({
    ImportDeclaration: (node) => refer(node.source),
    ExportAllDeclaration: (node) => refer(node.source),
    ExportNamedDeclaration: (node) => node.source && refer(node.source),
    ImportExpression: (node) => refer(node.source),
    TSImportType: (node) => refer(node.source),
    TSExternalModuleReference: (node) => refer(node.expression),
    TSModuleDeclaration: (node) => node.id.type === "Literal" && refer(node.id),
  }).visit(program)

  const linesOf = (nodes: readonly ESTree.Node[]) => nodes.map((node) => lineOf(node.start))
  return {
    references,
    exportsAll: linesOf(
      program.body.filter((node) => node.type === "ExportAllDeclaration" && node.exportKind === "value"),
    ),
    runtimeStatements: linesOf(program.body.filter((node) => !isErased(node))),
  }
}

function isErased(node: ESTree.Statement | ESTree.Directive): boolean {
  switch (node.type) {
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
      return true
    case "ImportDeclaration":
      return node.importKind === "type"
    case "ExportAllDeclaration":
      return node.exportKind === "type"
    case "ExportNamedDeclaration":
      // `export { type A } from "x"` stays behind as an import of "x" under verbatimModuleSyntax.
      return node.exportKind === "type" || (!node.declaration && !node.source && node.specifiers.length === 0)
    default:
      return "declare" in node && node.declare === true
  }
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    const next = starts.findIndex((start) => start > offset)
    return next < 0 ? starts.length : next
  }
}
