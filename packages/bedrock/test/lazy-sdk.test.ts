import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"

const run = promisify(execFile)

/** Imports the package in a fresh process and prints the modules that were loaded. */
const PROGRAM = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
await import(process.argv[1])
console.log(JSON.stringify(loaded))
`

describe("importing @heddle/bedrock", () => {
  test("loads the event-stream parser of the kit and nothing else that others wrote", async () => {
    const entry = join(import.meta.dirname, "../src/index.ts")

    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM, "--", entry])

    const loaded = JSON.parse(stdout) as string[]
    const foreign = loaded.filter((url) => url.includes("/node_modules/"))
    expect(loaded.length).toBeGreaterThan(10)
    expect(foreign.filter((url) => !url.includes("/eventsource-parser/"))).toEqual([])
    expect(loaded.filter((url) => url.includes("/bedrock/")).length).toBeLessThanOrEqual(20)
  })
})
