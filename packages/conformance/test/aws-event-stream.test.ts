import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { crc32 as zlibCrc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { eventStreamMessage } from "../src/node.ts"
import { crc32 } from "../src/wires/aws-event-stream.ts"
import { readFrames } from "./read-frames.ts"

const root =
  process.env.HEDDLE_FIXTURES ?? fileURLToPath(new URL("../../../../shared/fixtures", import.meta.url))
const folder = join(root, "bedrock-converse")
const recordings = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".bin")) : []
if (recordings.length === 0)
  console.log(`No recordings in ${folder}: AWS frames are compared with nothing real`)

describe("eventStreamMessage", () => {
  test("writes frames that a reader with checksums of its own accepts", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 30 }),
          fc.string({ unit: "grapheme" }),
          { maxKeys: 5, noNullPrototype: true },
        ),
        fc.string({ unit: "grapheme" }),
        (headers, payload) => {
          const message = eventStreamMessage(headers, new TextEncoder().encode(payload))

          expect(readFrames(message)).toEqual([{ headers, payload }])
        },
      ),
    )
  })

  test.skipIf(recordings.length === 0)("writes the very bytes that Bedrock sent", () => {
    for (const name of recordings) {
      const recorded = new Uint8Array(readFileSync(join(folder, name)))
      const written = readFrames(recorded).map(({ headers, payload }) =>
        eventStreamMessage(headers, new TextEncoder().encode(payload)),
      )

      expect(Buffer.concat(written).equals(recorded), name).toBe(true)
    }
  })
})

describe("crc32", () => {
  test("is the checksum of zlib", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32(bytes) === zlibCrc32(bytes)))
  })
})
