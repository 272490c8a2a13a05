/**
 * Does what `docs/writing-an-adapter.md` says, as its reader would: puts its files into a folder, compiles
 * them, runs the program and the conformance suite.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
// Inside the repository, so that the packages are found, and where git does not look.
const folder = join(root, ".reports", "writing-an-adapter")

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const text = readFileSync(join(root, "docs", "writing-an-adapter.md"), "utf8")
  for (const [, name = "", code = ""] of text.matchAll(/^```ts\n\/\/ file: (\S+)\n([\s\S]*?)^```$/gm)) {
    writeFileSync(join(folder, name), code)
  }
  const base = JSON.stringify(join(root, "tsconfig.json"))
  writeFileSync(join(folder, "tsconfig.json"), `{ "extends": ${base}, "include": ["*.ts"] }`)
  const config = 'export default { test: { include: ["conformance.test.ts"] } }\n'
  writeFileSync(join(folder, "vitest.config.mjs"), config)
})

function run(...command: string[]) {
  const [program = "", ...args] = command
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  })
  return { status, output: stdout + stderr }
}

describe("docs/writing-an-adapter.md", () => {
  test("compiles", () => {
    const { status, output } = run(join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json")

    expect(output).toBe("")
    expect(status).toBe(0)
  })

  test("runs", () => {
    expect(run("try.ts")).toEqual({ status: 0, output: "stop 0.0000233\n" })
  })

  test("passes the conformance suite", () => {
    const { status, output } = run(join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", folder)

    expect(output).toMatch(/Tests {2}\d+ passed/)
    expect(output).not.toMatch(/failed/)
    expect(status).toBe(0)
  })
})
