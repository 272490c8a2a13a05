/**
 * The sources of a project that uses the packed packages: what is compiled and run to show that they arrive whole.
 *
 * Each line with `@ts-expect-error` is a proof: where the types are missing, everything is `any`, the error does
 * not come, and the compiler complains about the line.
 */
import type { Entry } from "./packed.ts"

/** Imports every entry, one after the other, and tells all that fail. */
export function importingProgram(entries: readonly Entry[]): string {
  return `
const specifiers = ${JSON.stringify(entries.map(({ specifier }) => specifier))}
for (const specifier of specifiers) {
  try {
    await import(specifier)
  } catch (error) {
    console.error(specifier + ": " + error.message)
    process.exitCode = 1
  }
}
`
}

/** Imports the entry that it is given, and prints the addresses of all modules that this loads, as JSON. */
export const LOADING_PROGRAM = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
await import(process.argv[2])
console.log(JSON.stringify(loaded))
`

/** Uses every entry with its types. */
export function typedProgram(entries: readonly Entry[]): string {
  return entries
    .map(
      ({ specifier }, index) => `import * as entry${index} from "${specifier}"
// @ts-expect-error ${specifier} has no such export
entry${index}.thereIsNoSuchExport
`,
    )
    .join("")
}

/** Adds a message of the application's own to the vocabulary, and narrows by it. */
export const MERGING_PROGRAM = `
import type { AgentMessage, Message } from "@heddle/types"

declare module "@heddle/types" {
  interface CustomAgentMessages {
    notice: { role: "notice"; headline: string }
  }
}

export function headline(message: AgentMessage): string {
  if (message.role === "notice") return message.headline
  // @ts-expect-error only a notice has a headline
  message.headline
  const known: Message = message
  return known.role
}

export const notice: AgentMessage = { role: "notice", headline: "New" }

// @ts-expect-error a notice has a headline
export const incomplete: AgentMessage = { role: "notice" }

// @ts-expect-error the model's messages are not extended
export const toModel: Message = { role: "notice", headline: "New" }
`

/** How a project finds modules: as Node.js does, or as bundlers do. */
export type Resolution = "nodenext" | "bundler"

/**
 * The settings of a strict project that resolves modules in this way.
 *
 * @param include - the folder with its sources.
 * @param types - packages whose globals it uses: none where a browser must do.
 */
export function compilerSettings(
  resolution: Resolution,
  include: string,
  types: readonly string[] = [],
): string {
  return JSON.stringify({
    compilerOptions: {
      module: resolution === "nodenext" ? "nodenext" : "esnext",
      moduleResolution: resolution,
      target: "es2023",
      lib: ["es2023", "dom", "dom.asynciterable"],
      types,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: false,
    },
    include: [include],
  })
}

/**
 * Keeps what the compiler says about this project and about our declarations.
 *
 * Declarations are checked (no `skipLibCheck`), ours with those of vendors; theirs are not ours to repair.
 */
export function relevantErrors(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => /error TS\d+/.test(line))
    .filter((line) => !/^\.\.|node_modules\/(?!@heddle\/)/.test(line))
}
