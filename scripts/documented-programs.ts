/**
 * Finds the programs in documentation: fences of TypeScript that import one of our packages.
 *
 * What imports nothing of ours is a fragment, what imports a file of the reader's is half a program, and what is
 * followed by "(*sketch*" says so itself: these are left alone.
 */
import type { SourceFile } from "./workspace.ts"

const FENCE = /^[ \t]*```(\w*).*\n([\s\S]*?)^[ \t]*```[ \t]*$(\s*\(\*sketch\*)?/gm

/**
 * @returns the programs as files of one folder. A line of a program has the number that it has in the documentation,
 *   so what a compiler says about it leads there.
 */
export function findPrograms({ path, text }: SourceFile): SourceFile[] {
  return [...text.matchAll(FENCE)].flatMap(({ 1: language = "", 2: code = "", 3: sketch, index }) => {
    const isProgram = /\bfrom "@heddle\//.test(code) && !/\bfrom "\./.test(code) && sketch === undefined
    if (!["ts", "typescript"].includes(language) || !isProgram) return []
    const line = text.slice(0, index).split("\n").length
    const name = `${path.replace(/\.md$/, "").replaceAll("/", ".")}.${line}.ts`
    return [{ path: name, text: "\n".repeat(line) + code }]
  })
}
