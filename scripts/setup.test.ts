import { spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

/**
 * What `npx` does in these tests: notes how it was called, then installs, or fails as `$BROKEN` says.
 * Like the real one it can succeed without the Node.js it was asked for (`$NO_NODE`, unless forced).
 */
const FAKE_NPX = `#!/bin/sh
echo "$@" >> calls.log
if [ -n "$NODE_ENV" ]; then echo "NODE_ENV=$NODE_ENV" >> calls.log; fi
if [ -n "$BROKEN" ]; then echo "$BROKEN"; exit 1; fi
mkdir -p node_modules/.bin node_modules/vitest packages/loop/node_modules/vitest
case "$NO_NODE $*" in "yes "*--force) ;; "yes "*) exit 0 ;; esac
printf '#!/bin/sh\\n' > node_modules/.bin/node
chmod +x node_modules/.bin/node
`

const OLD_NODE = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-setup-"))
  for (const child of ["scripts", "bin", "packages/loop"]) mkdirSync(join(folder, child), { recursive: true })
  cpSync(new URL("./setup.mjs", import.meta.url), join(folder, "scripts/setup.mjs"))
  const manifest = { packageManager: "pnpm@12.0.0", devDependencies: { vitest: "5.0.0" } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  writeFileSync(join(folder, "packages/loop/package.json"), JSON.stringify(manifest))
  writeFileSync(join(folder, "pnpm-lock.yaml"), "lockfileVersion: '9.0'")
  writeFileSync(join(folder, "pnpm-workspace.yaml"), "packages: [packages/*]")
  writeFileSync(join(folder, "old-node.cjs"), OLD_NODE)
  writeFileSync(join(folder, "bin/npx"), FAKE_NPX)
  chmodSync(join(folder, "bin/npx"), 0o755)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function setUp(environment: Record<string, string> = {}, flags: string[] = []) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, join(folder, "scripts/setup.mjs")],
    {
      cwd: folder,
      env: { PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`, ...environment },
      encoding: "utf8",
    },
  )
  const log = join(folder, "calls.log")
  const calls = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  rmSync(log, { force: true })
  return { status, stdout, lastLine: stderr.trim().split("\n").at(-1), calls }
}

describe.skipIf(process.platform === "win32")("the set-up", () => {
  test("installs from the frozen lockfile without asking, and prints nothing to standard output", () => {
    const { status, stdout, calls } = setUp()

    expect({ status, stdout }).toEqual({ status: 0, stdout: "" })
    expect(calls).toEqual([expect.stringMatching(/^-y pnpm@12\.0\.0 install --frozen-lockfile --config\./)])
  })

  test("does nothing when nothing is missing", () => {
    setUp()

    expect(setUp()).toEqual({ status: 0, stdout: "", lastLine: "", calls: [] })
  })

  test("starts over after an installation that was interrupted", () => {
    setUp()
    rmSync(join(folder, "node_modules/.heddle-setup"))

    expect(setUp().calls).toHaveLength(1)
  })

  test("installs again when the lockfile has changed since", () => {
    setUp()
    writeFileSync(join(folder, "pnpm-lock.yaml"), "lockfileVersion: '9.1'")

    expect(setUp().calls).toHaveLength(1)
    expect(setUp().calls).toHaveLength(0)
  })

  test("installs again when the folder was copied from elsewhere with its node_modules", () => {
    setUp()
    const moved = `${folder}-copy`
    renameSync(folder, moved)
    folder = moved

    expect(setUp().calls).toHaveLength(1)
  })

  test("installs again when one package's node_modules was cleaned away", () => {
    setUp()
    rmSync(join(folder, "packages/loop/node_modules"), { recursive: true })

    expect(setUp().calls).toHaveLength(1)
  })

  test("installs the development tools in production mode, too", () => {
    expect(setUp({ NODE_ENV: "production" }).calls).toHaveLength(1)
  })

  test("asks once more for a Node.js that did not arrive, where the machine's own is too old", () => {
    const { status, calls } = setUp({ NO_NODE: "yes" }, ["--require", "./old-node.cjs"])

    expect(status).toBe(0)
    expect(calls.map((call) => call.includes("--force"))).toEqual([false, true])
  })

  test("does without a Node.js of its own where the machine's own is new enough", () => {
    expect(setUp({ NO_NODE: "yes" })).toMatchObject({ status: 0, calls: { length: 1 } })
  })

  test.each([
    {
      output: "npm error code ECONNREFUSED",
      says: "the npm registry cannot be reached (ECONNREFUSED): check the network, then try again.",
    },
    {
      output: "Error: ERR_PNPM_META_FETCH_FAIL",
      says: "the npm registry cannot be reached (ERR_PNPM_META_FETCH_FAIL): check the network, then try again.",
    },
    {
      output: 'ERR_PNPM_PACKAGE_MANAGER_NO_IMPORTER: Cannot install with "frozen-lockfile" because',
      says: 'pnpm-lock.yaml does not fit the package.json files: run "npx -y pnpm@12 install" and commit what it changes.',
    },
    {
      output: "something new",
      says: "the package manager ended with status 1: see .reports/setup.log.",
    },
  ])("fails with one line when the package manager prints $output", ({ output, says }) => {
    const { status, lastLine } = setUp({ BROKEN: output })

    expect(status).toBe(1)
    expect(lastLine).toBe(`Setting up failed: ${says}`)
    expect(readFileSync(join(folder, ".reports/setup.log"), "utf8")).toBe(`${output}\n`)
    expect(setUp().calls).toHaveLength(1)
  })
})
