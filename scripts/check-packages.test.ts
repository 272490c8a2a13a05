import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { findBrowserProblem, measureOwnCode } from "./bundles.ts"
import {
  compilerSettings,
  importingProgram,
  LOADING_PROGRAM,
  MERGING_PROGRAM,
  relevantErrors,
  typedProgram,
} from "./consumer-sources.ts"
import { entriesOf, findUnbuilt, run } from "./packed.ts"
import budgets from "./size-budgets.json" with { type: "json" }
import { judgeLoading, judgeSize } from "./size-budgets.ts"
import { readWorkspace } from "./workspace.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-packages-"))
  plant("package.json", { name: "consumer", type: "module" })
  vi.spyOn(console, "log").mockImplementation(() => {})
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

function plant(path: string, content: string | object) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content))
}

function plantInstalled(name: string, code: string, types = "export {}") {
  const exports = { ".": { types: "./index.d.ts", default: "./index.js" } }
  plant(`node_modules/${name}/package.json`, { name, type: "module", sideEffects: false, exports })
  plant(`node_modules/${name}/index.js`, code)
  plant(`node_modules/${name}/index.d.ts`, types)
}

function plantPackage(id: string, keys: string[]) {
  const exports = Object.fromEntries(
    keys.map((key) => [key, { default: `./dist/${key.slice(2) || "index"}.js` }]),
  )
  plant(`packages/${id}/package.json`, { name: `@heddle/${id}`, exports, publishConfig: { exports } })
}

describe("the entries of the packages", () => {
  test("are found by their exports, and Node.js may be used in one of them", () => {
    plantPackage("proxy-server", [".", "./node", "./package.json"])

    expect(
      entriesOf(readWorkspace(folder).packages).map(({ specifier, isNode }) => ({ specifier, isNode })),
    ).toEqual([
      { specifier: "@heddle/proxy-server", isNode: false },
      { specifier: "@heddle/proxy-server/node", isNode: true },
    ])
  })

  test("are missed where no build has made them", () => {
    plantPackage("loop", [".", "./extra"])
    plant("packages/loop/dist/index.js", "")

    expect(findUnbuilt(readWorkspace(folder))).toEqual(["packages/loop/dist/extra.js"])
  })

  test("fail by name where Node.js cannot import them", () => {
    plantPackage("loop", ["."])
    plantPackage("agent", ["."])
    plantInstalled("@heddle/loop", "export const a = 1")
    plantInstalled("@heddle/agent", "throw new Error('no window')")
    plant("import.mjs", importingProgram(entriesOf(readWorkspace(folder).packages)))

    const { status, stderr } = spawnSync(process.execPath, ["import.mjs"], { cwd: folder, encoding: "utf8" })

    expect({ status, stderr }).toEqual({ status: 1, stderr: "@heddle/agent: no window\n" })
  })
})

describe("importing an entry", () => {
  function load(specifier: string): string[] {
    plant("load.mjs", LOADING_PROGRAM)
    const { stdout } = spawnSync(process.execPath, ["load.mjs", specifier], { cwd: folder, encoding: "utf8" })
    return JSON.parse(stdout) as string[]
  }

  test("loads what it imports, and what that imports", () => {
    plantInstalled("openai", "export default 1")
    plantInstalled("@heddle/stream", "export const a = 1")
    plantInstalled(
      "@heddle/openai",
      "export * from '@heddle/stream'; export const sdk = () => import('openai')",
    )
    plantInstalled("@heddle/eager", "import 'openai'; import 'node:fs'")

    const lazy = load("@heddle/openai")
    const eager = load("@heddle/eager")

    expect(judgeLoading("@heddle/openai", lazy, 2)).toEqual([])
    expect(judgeLoading("@heddle/openai", lazy, 1)).toEqual([
      "importing @heddle/openai loads 2 modules, 1 are allowed",
    ])
    expect(judgeLoading("@heddle/eager", eager, 20)).toEqual(["importing @heddle/eager loads openai"])
  })

  test("has a budget", () => {
    expect(budgets.loadedModules).toBeLessThanOrEqual(20)
  })
})

describe("the types of an installed package", () => {
  const root = dirname(import.meta.dirname)

  async function compile(types: string) {
    plantPackage("types", ["."])
    plantInstalled("@heddle/types", "export {}", types)
    plant("entries.ts", typedProgram(entriesOf(readWorkspace(folder).packages)))
    plant("merging.ts", MERGING_PROGRAM)
    plant("tsconfig.json", compilerSettings("nodenext", "*.ts"))
    return relevantErrors(
      (await run(root, folder, "tsc", ["-p", "tsconfig.json", "--pretty", "false"])).output,
    )
  }

  test("are extended by an application's own messages", async () => {
    expect(
      await compile(`
        export interface CustomAgentMessages {}
        export type Message = { role: "user" }
        export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages]
      `),
    ).toEqual([])
  })

  test("are missed where they are any", async () => {
    const errors = await compile(`
      export interface CustomAgentMessages {}
      export type Message = any
      export type AgentMessage = any
      declare const everything: any
      export = everything
    `)

    expect(errors.join("\n")).toContain("error TS2578: Unused '@ts-expect-error' directive.")
  })

  test("are checked themselves, and a vendor's are not", () => {
    expect(
      relevantErrors(
        [
          "node_modules/@heddle/loop/dist/a.d.ts(1,1): error TS2304: Cannot find name 'A'.",
          "node_modules/openai/a.d.ts(1,1): error TS2304: Cannot find name 'B'.",
          "entries.ts(1,1): error TS2304: Cannot find name 'C'.",
        ].join("\n"),
      ),
    ).toEqual([
      "node_modules/@heddle/loop/dist/a.d.ts(1,1): error TS2304: Cannot find name 'A'.",
      "entries.ts(1,1): error TS2304: Cannot find name 'C'.",
    ])
  })
})

describe("a bundle for browsers", () => {
  test("is fine without Node.js", async () => {
    plantInstalled("a", "export const a = new URL('http://a.test/').host + AbortSignal.abort().aborted")

    expect(await findBrowserProblem(folder, "a", [])).toBeUndefined()
  })

  test("fails on a module of Node.js, also one that a dependency imports later", async () => {
    plantInstalled("sdk", "import 'node:fs'")
    plantInstalled("a", "export const a = () => import('sdk')")

    expect(await findBrowserProblem(folder, "a", [])).toMatch(/sdk\/index\.js: Could not resolve "node:fs"/)
  })

  test.each(["process.env.A", "Buffer.from('')", "setImmediate(() => {})"])(
    "fails on a global of Node.js: %s",
    async (code) => {
      plantInstalled("a", `export const a = ${code}`)
      // Without the mark esbuild keeps what nobody uses, as an application with side effects would.
      plant("node_modules/a/package.json", { name: "a", type: "module", exports: "./index.js" })

      expect(await findBrowserProblem(folder, "a", [])).toMatch(/is not defined/)
    },
  )

  test("leaves a peer to whoever brings it", async () => {
    plantInstalled("a", "export { test } from 'vitest'")

    expect(await findBrowserProblem(folder, "a", ["vitest"])).toBeUndefined()
  })
})

describe("the size of a bundle", () => {
  test("is our code, and not what it depends on", async () => {
    plantInstalled("sdk", `export const sdk = "${"large".repeat(1000)}"`)
    plantInstalled("@heddle/stream", "export const used = 'used'; export const unused = 'unused'")
    plantInstalled("@heddle/loop", "export { sdk } from 'sdk'; export { used as b } from '@heddle/stream'")

    const size = await measureOwnCode(folder, 'export { b, sdk } from "@heddle/loop"', (path) =>
      path.startsWith("@heddle/"),
    )

    expect(size.modules).toEqual(["@heddle/loop/index.js", "@heddle/stream/index.js"])
    expect(size.bytes).toBeLessThan(120)
  })

  test("keeps to its budget, in bytes and in modules", () => {
    const size = { bytes: 100, modules: ["a.js", "b.js"] }

    expect(judgeSize("agent", size, { bytes: 100, modules: 2 })).toEqual([])
    expect(judgeSize("agent", size, { bytes: 100 })).toEqual([])
    expect(judgeSize("agent", size, { bytes: 99, modules: 1 })).toEqual([
      "agent has 100 bytes of code, 99 are allowed",
      "agent has 2 modules, not 1: a.js, b.js",
    ])
  })
})
