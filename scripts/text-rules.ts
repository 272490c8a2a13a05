/**
 * What no file of the repository says: marks of unfinished work, switched-off tests, and facts about the machine
 * it was written on.
 *
 * These are rules about words, so patterns do; rules about code are in `boundaries.ts` and in biome.json.
 */
import type { Finding } from "./boundaries.ts"
import type { SourceFile } from "./workspace.ts"

interface Rule {
  readonly what: string
  readonly pattern: RegExp
  /** Files the rule is for. Default: every file. */
  readonly files?: RegExp
}

const RULES: readonly Rule[] = [
  {
    what: "marks unfinished work: finish it, or open an issue",
    pattern: /\b(TODO|FIXME|XXX)\b/,
  },
  {
    what: "switches tests off, or all others",
    pattern: /\b(test|it|describe|suite)(\.\w+)*\.(only|skip|todo|fails)\b/,
    files: /\.(test|test-d)\.ts$/,
  },
  {
    what: "names a path of somebody's machine",
    pattern: /(?<![\w.~-])\/(work|tmp|root|home|Users)\/[\w.]|[A-Z]:\\Users\\/,
  },
  {
    what: "names a package registry: which one is used is up to whoever installs",
    pattern: /\bregistry\.[a-z0-9-]+\.[a-z]+|_authToken|^\s*registry\s*=|\btarball: *['"]?https?:/i,
  },
]

/** These two spell out what the others must not say. */
const EXEMPT = ["scripts/text-rules.ts", "scripts/check-text.test.ts"]

export function checkText(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => !EXEMPT.includes(path))
    .flatMap(({ path, text }) => {
      const rules = RULES.filter(({ files: wanted }) => wanted?.test(path) ?? true)
      return text.split("\n").flatMap((line, index) =>
        rules.flatMap(({ what, pattern }) => {
          const found = pattern.exec(line)?.[0]
          return found ? [{ where: `${path}:${index + 1}`, what: `${what} ("${found.trim()}")` }] : []
        }),
      )
    })
}
