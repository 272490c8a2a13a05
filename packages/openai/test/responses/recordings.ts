/**
 * Recorded bodies of servers of the Responses API, where they are at hand.
 *
 * They live beside the project, not in it: at `../shared/fixtures` from its root, or at `HEDDLE_FIXTURES`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../../../..")
const FOLDER = process.env.HEDDLE_FIXTURES ?? resolve(ROOT, "../shared/fixtures")

export const HAS_RECORDINGS: boolean = existsSync(FOLDER)

/** Part of a test's name: says why it was skipped. */
export const WHERE: string = HAS_RECORDINGS
  ? "recorded responses"
  : "recorded responses (skipped: set HEDDLE_FIXTURES to their folder)"

export interface Recording {
  /** Folder and file. */
  readonly name: string
  /** A provider id. */
  readonly provider: string
  readonly bytes: Uint8Array
}

const PROVIDERS: Readonly<Record<string, string>> = { bedrock: "amazon-bedrock" }

/** @param ending `.sse` for streams, `.json` for bodies that were not streamed. */
export function recordings(ending: ".sse" | ".json" = ".sse"): Recording[] {
  if (!HAS_RECORDINGS) return []
  const folders = readdirSync(FOLDER).filter((name) => name.endsWith("-responses"))
  return folders.flatMap((folder) => {
    const vendor = folder.replace(/-responses$/, "")
    return readdirSync(join(FOLDER, folder))
      .filter((file) => file.endsWith(ending) && !file.includes(".request."))
      .map((file) => ({
        name: `${folder}/${file}`,
        provider: PROVIDERS[vendor] ?? vendor,
        bytes: readFileSync(join(FOLDER, folder, file)),
      }))
  })
}

/** @param part A part of the name that only one recording has. */
export function recording(part: string, ending: ".sse" | ".json" = ".sse"): Recording {
  const found = recordings(ending).filter(({ name }) => name.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} recordings are named like ${part}`)
  return found[0]!
}
