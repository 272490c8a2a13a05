/**
 * Recorded bodies of vendors, where they are at hand.
 *
 * They live beside the project, not in it: at `../shared/fixtures` from its root, or at `HEDDLE_FIXTURES`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../../..")
const FOLDER = process.env.HEDDLE_FIXTURES ?? resolve(ROOT, "../shared/fixtures")

export const HAS_RECORDINGS: boolean = existsSync(FOLDER)

/** Part of a test's name: says why it was skipped. */
export const WHERE: string = HAS_RECORDINGS
  ? "recorded bodies"
  : "recorded bodies (skipped: set HEDDLE_FIXTURES to their folder)"

export interface Recording {
  /** Folder and file. */
  readonly name: string
  /** A provider id. */
  readonly provider: string
  readonly bytes: Uint8Array
}

/** The recordings of one wire. */
export interface Recordings {
  /** @param ending `.sse` for streams, `.json` for bodies that were not streamed. */
  all(ending?: ".sse" | ".json"): Recording[]
  /** @param part A part of the name that only one recording has. */
  one(part: string, ending?: ".sse" | ".json"): Recording
  /** Bodies of refusals, with their status. */
  errors(): (Recording & { readonly status: number })[]
}

/** @param wire The end of the folders' names: `chat` or `responses`. What precedes it names the vendor. */
function recordingsOf(wire: string, providers: Readonly<Record<string, string>> = {}): Recordings {
  const all = (ending: ".sse" | ".json" = ".sse"): Recording[] => {
    if (!HAS_RECORDINGS) return []
    return readdirSync(FOLDER)
      .filter((folder) => folder.endsWith(`-${wire}`))
      .flatMap((folder) => {
        const vendor = folder.slice(0, -wire.length - 1)
        return readdirSync(join(FOLDER, folder))
          .filter((file) => file.endsWith(ending) && !file.includes(".request."))
          .map((file) => ({
            name: `${folder}/${file}`,
            provider: providers[vendor] ?? vendor,
            bytes: readFileSync(join(FOLDER, folder, file)),
          }))
      })
  }
  return {
    all,
    one(part, ending) {
      const found = all(ending).filter(({ name }) => name.includes(part))
      if (found.length !== 1) throw new Error(`${found.length} recordings are named like ${part}`)
      return found[0]!
    },
    errors: () =>
      all(".json").flatMap((recording) => {
        const status = /\/error(\d+)--/.exec(recording.name)?.[1]
        return status ? [{ ...recording, status: Number(status) }] : []
      }),
  }
}

export const CHAT: Recordings = recordingsOf("chat")
export const RESPONSES: Recordings = recordingsOf("responses", { bedrock: "amazon-bedrock" })
