import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { runExample } from "./examples.ts"
import { readWorkspace } from "./workspace.ts"

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-examples-"))
  writeFileSync(join(root, "package.json"), '{ "name": "heddle" }')
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

async function run(scripts: Record<string, string>, program = "", timeLimit = 20_000) {
  const folder = join(root, "examples", "01-planted")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "planted", scripts }))
  writeFileSync(join(folder, "main.mjs"), program)
  const [member] = readWorkspace(root).examples
  if (!member) throw new Error("The planted example was not found.")
  return runExample(member, { root, timeLimit })
}

describe("an example", () => {
  test("passes when it ends with status 0", async () => {
    expect(await run({ start: "node main.mjs" }, "console.log('hello')")).toMatchObject({
      example: "planted",
      output: "hello\n",
    })
  })

  test("is run by its script check where it has one", async () => {
    expect(await run({ start: "echo start", check: "echo check" })).toMatchObject({ output: "check\n" })
  })

  test("fails when it ends with another status, and what it printed is kept", async () => {
    const program = "console.error('1 is not 2'); process.exit(3)"

    expect(await run({ start: "node main.mjs" }, program)).toMatchObject({
      failure: "ended with status 3",
      output: "1 is not 2\n",
    })
  })

  test("fails when it takes longer than it may, and is stopped", async () => {
    expect(await run({ start: "node main.mjs" }, "setInterval(() => {}, 1000)", 300)).toMatchObject({
      failure: "took longer than 0.3 s and was stopped",
    })
  })

  test("fails when it has no script to run", async () => {
    expect(await run({})).toMatchObject({ failure: "has neither a script check nor a script start" })
  })

  test("fails when it needs the network", async () => {
    const { failure, output } = await run({ start: "node main.mjs" }, "await fetch('http://192.0.2.1/')")

    expect(failure).toBe("ended with status 1")
    expect(output).toContain("A connection to 192.0.2.1 was refused")
  })

  test("sees no keys", async () => {
    vi.stubEnv("ACME_API_KEY", "secret")

    expect(await run({ start: "node main.mjs" }, "console.log(process.env.ACME_API_KEY)")).toMatchObject({
      output: "undefined\n",
    })
  })
})
