/**
 * Recorded bodies of Bedrock, where they are at hand.
 *
 * They live beside the project, not in it: at `../shared/fixtures` from its root, or at `HEDDLE_FIXTURES`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../../..")
const FOLDER = join(process.env.HEDDLE_FIXTURES ?? resolve(ROOT, "../shared/fixtures"), "bedrock-converse")

export const HAS_RECORDINGS: boolean = existsSync(FOLDER)

/** Part of a test's name: says why it was skipped. */
export const WHERE: string = HAS_RECORDINGS
  ? "recorded bodies"
  : "recorded bodies (skipped: set HEDDLE_FIXTURES to their folder)"

export interface Recording {
  readonly name: string
  readonly bytes: Uint8Array
}

/** @param ending `.bin` for streams, `.json` for refusals. */
export function recordings(ending: ".bin" | ".json" = ".bin"): Recording[] {
  if (!HAS_RECORDINGS) return []
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ending) && !file.includes(".request."))
    .map((name) => ({ name, bytes: readFileSync(join(FOLDER, name)) }))
}

/** @param part A part of the name that only one recording has. */
export function recording(part: string): Recording {
  const found = recordings().filter(({ name }) => name.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} recordings are named like ${part}`)
  return found[0]!
}
