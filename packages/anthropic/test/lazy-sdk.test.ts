import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"

/** Imports the package and makes an adapter in a fresh process, and prints the modules that were loaded. */
const PROGRAM = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const { anthropicMessages } = await import(process.argv[1])
anthropicMessages({ apiKey: "sk-test" })
console.log(JSON.stringify(loaded))
`

describe("importing @heddle/anthropic", () => {
  test("loads the event-stream parser and nothing else that others wrote, least of all the SDK", async () => {
    const entry = join(import.meta.dirname, "../src/index.ts")
    const args = ["--input-type=module", "--eval", PROGRAM, "--", entry]

    const { stdout } = await promisify(execFile)(process.execPath, args)

    const loaded = JSON.parse(stdout) as string[]
    const foreign = loaded.filter((url) => url.includes("/node_modules/"))
    expect(loaded.some((url) => url.endsWith("/anthropic/src/adapter.ts"))).toBe(true)
    expect(foreign.filter((url) => !url.includes("/eventsource-parser/"))).toEqual([])
  })
})
