import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { checkBoundaries, findLongFiles } from "./boundaries.ts"
import { readWorkspace } from "./workspace.ts"

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-boundaries-"))
  plant("package.json", { name: "heddle", devDependencies: { vitest: "5.0.0" } })
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function plant(path: string, content: string | object) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content))
}

function plantPackage(id: string, manifest: object = {}, index = "") {
  const exports = { ".": "./src/index.ts" }
  plant(`packages/${id}/package.json`, {
    name: `@heddle/${id}`,
    exports,
    publishConfig: { exports },
    ...manifest,
  })
  plant(`packages/${id}/src/index.ts`, index)
}

function findings() {
  return checkBoundaries(readWorkspace(root)).map(({ where, what }) => `${where} ${what}`)
}

describe("the dependency table", () => {
  test("is content with arrows that go down", () => {
    plantPackage("types", {}, "export type A = string")
    plantPackage(
      "stream",
      { dependencies: { "@heddle/types": "workspace:^" } },
      'import type { A } from "@heddle/types"\nexport const a: A = ""',
    )
    plantPackage(
      "acme",
      { dependencies: { "@heddle/types": "workspace:^", "acme-sdk": "1" } },
      'import type { A } from "@heddle/types"\nexport const a = (): Promise<A> => import("acme-sdk/deep")',
    )

    expect(findings()).toEqual([])
  })

  test("refuses an arrow that a manifest draws upwards", () => {
    plantPackage("agent")
    plantPackage("stream", { peerDependencies: { "@heddle/agent": "workspace:^" } })

    expect(findings()).toEqual([
      "packages/stream/package.json depends on @heddle/agent, which stream may not: it may use types",
    ])
  })

  test.each([
    { written: 'import { a } from "@heddle/agent"' },
    { written: 'import type { A } from "@heddle/agent"' },
    { written: 'export { a } from "@heddle/agent"' },
    { written: 'export type * from "@heddle/agent"' },
    { written: 'export const a = import("@heddle/agent")' },
    { written: 'export type A = import("@heddle/agent").A' },
    { written: 'import a = require("@heddle/agent")' },
    { written: 'declare module "@heddle/agent" {}' },
  ])("refuses an arrow that a source draws upwards: $written", ({ written }) => {
    plantPackage("agent")
    plantPackage("loop", {}, `// agent\n${written}`)

    expect(findings()).toContain(
      "packages/loop/src/index.ts:2 imports @heddle/agent, which loop may not: it may use types, stream, tools",
    )
  })

  test("keeps an adapter away from the engine, also one that no row mentions", () => {
    plantPackage("loop")
    plantPackage("acme", {}, 'import { agentLoop } from "@heddle/loop"')

    expect(findings()).toContain(
      "packages/acme/src/index.ts:1 imports @heddle/loop, which an adapter may not: it may use types, stream, provider-kit",
    )
  })

  test("grants an adapter the SDK of one vendor only", () => {
    plantPackage(
      "acme",
      { dependencies: { openai: "7", "@google/genai": "3" } },
      'import "openai"\nimport "@google/genai"',
    )

    expect(findings()).toEqual([
      "packages/acme/package.json depends on the SDKs of more than one vendor: openai, @google/genai",
    ])
  })

  test("refuses a package from the registry that its row does not list", () => {
    plantPackage("stream", { dependencies: { lodash: "4" } }, 'import "lodash"')

    expect(findings()).toEqual([
      "packages/stream/package.json depends on lodash, which its row of the dependency table does not list",
    ])
  })

  test("refuses a dependency that no source imports", () => {
    plantPackage("types")
    plantPackage(
      "stream",
      { dependencies: { "@heddle/types": "workspace:^" } },
      'export const quoted = "import @heddle/types" // import "@heddle/types"',
    )

    expect(findings()).toEqual([
      "packages/stream/package.json depends on @heddle/types, and no source imports it",
    ])
  })

  test("lets tests use what is below, the scripted provider and the conformance kit, and nothing else", () => {
    for (const id of ["faux", "conformance", "stream", "agent"]) plantPackage(id)
    plantPackage("loop", {
      devDependencies: Object.fromEntries(
        ["stream", "faux", "conformance"].map((id) => [`@heddle/${id}`, "workspace:^"]),
      ),
    })
    plant(
      "packages/loop/test/a.test.ts",
      'import { test } from "vitest"\nimport "@heddle/faux"\nimport "@heddle/conformance"\nimport "@heddle/stream"\nimport "node:fs"',
    )
    expect(findings()).toEqual([])

    plant("packages/loop/test/b.test.ts", '\nimport "@heddle/agent"')
    expect(findings()).toContain(
      "packages/loop/test/b.test.ts:2 tests with @heddle/agent, which is neither below loop nor faux or conformance",
    )
  })
})

describe("an import", () => {
  test("goes through the exports of a package", () => {
    plantPackage("types")
    plantPackage("stream", { dependencies: { "@heddle/types": "*" } }, 'import "@heddle/types/src/index.ts"')

    expect(findings()).toEqual([
      'packages/stream/src/index.ts:1 imports "@heddle/types/src/index.ts" past the exports of @heddle/types',
    ])
  })

  test("does not reach into another package by a path", () => {
    plantPackage("stream", {}, 'import "../../types/src/index.ts"')
    plant("packages/stream/test/a.test.ts", 'import "../src/index.ts"\nimport "../../types/src/index.ts"')
    plant("examples/01-a/package.json", { name: "a" })
    plant("examples/01-a/src/main.ts", 'import "../../../packages/stream/src/index.ts"')
    plant("test/laws/a.test.ts", 'import "../../packages/stream/src/index.ts"')
    plant("bench/a.ts", 'import "../scripts/packed.ts"\nimport "../packages/stream/src/index.ts"')

    expect(findings()).toEqual([
      'packages/stream/src/index.ts:1 reaches out of packages/stream/src with "../../types/src/index.ts": import the package by its name',
      'packages/stream/test/a.test.ts:2 reaches out of packages/stream with "../../types/src/index.ts": import the package by its name',
      'examples/01-a/src/main.ts:1 reaches out of examples/01-a with "../../../packages/stream/src/index.ts": import the package by its name',
      'test/laws/a.test.ts:1 reaches out of test with "../../packages/stream/src/index.ts": import the package by its name',
      'bench/a.ts:2 reaches out of bench with "../packages/stream/src/index.ts": import the package by its name',
    ])
  })

  test("is declared in the manifest, and a source's not among the development tools", () => {
    plantPackage("acme", { devDependencies: { "acme-sdk": "1" } }, 'import "acme-sdk"\nimport "vitest"')
    plant("examples/01-a/package.json", { name: "a" })
    plant("examples/01-a/src/main.ts", 'import "acme-sdk/deep"')

    expect(findings()).toEqual([
      "packages/acme/src/index.ts:1 imports acme-sdk without declaring it in a package.json",
      "packages/acme/src/index.ts:2 imports vitest without declaring it in a package.json",
      "examples/01-a/src/main.ts:1 imports acme-sdk without declaring it in a package.json",
    ])
  })

  test("names a package that exists", () => {
    plantPackage("loop", {}, 'import "@heddle/typos"')

    expect(findings()).toContain(
      "packages/loop/src/index.ts:1 imports @heddle/typos, and there is no such package",
    )
  })

  test("says what it imports before it runs", () => {
    plantPackage("stream", {}, 'const name = "node:" + "fs"\nexport const hidden = import(name)')

    expect(findings()).toEqual([
      "packages/stream/src/index.ts:2 computes what it imports, which hides it from bundlers and from this check",
    ])
  })

  test("does not go through the package's own name", () => {
    plantPackage("stream", {}, 'import "@heddle/stream"')

    expect(findings()).toEqual([
      'packages/stream/src/index.ts:1 imports its own package by name, "@heddle/stream"',
    ])
  })
})

describe("Node.js", () => {
  test.each(["node:fs", "fs", "node:test"])("is not imported outside of src/node: %s", (builtin) => {
    plantPackage("stream", {}, `export const later = () => import("${builtin}")`)

    expect(findings()).toEqual([
      `packages/stream/src/index.ts:1 imports "${builtin}" outside of src/node: the package must run in browsers`,
    ])
  })

  test("is at home in src/node, which other sources leave alone", () => {
    const exports = { ".": "./src/index.ts", "./node": "./src/node.ts" }
    plantPackage("proxy-server", { exports, publishConfig: { exports } })
    plant("packages/proxy-server/src/node.ts", 'import "node:http"\nimport "./index.ts"')
    plant("packages/proxy-server/src/node/socket.ts", 'import "node:net"')
    expect(findings()).toEqual([])

    plant("packages/proxy-server/src/handler.ts", 'import "./node/socket.ts"')
    expect(findings()).toEqual([
      'packages/proxy-server/src/handler.ts:1 imports "./node/socket.ts", which is for Node.js only',
    ])
  })

  test("has an entry of its own", () => {
    plantPackage("proxy-server")
    plant("packages/proxy-server/src/node.ts", 'import "node:http"')

    expect(findings()).toEqual([
      'packages/proxy-server/package.json has a src/node, and no entry "./node" that leads to it',
    ])
  })
})

describe("the vocabulary", () => {
  test("may hold types of every kind", () => {
    plantPackage("types", {}, 'import type { A } from "./a.ts"\nexport type * from "./a.ts"')
    plant(
      "packages/types/src/a.ts",
      "export interface A {}\nexport type B = A\ndeclare const c: unique symbol\nexport declare const d: typeof c\nexport {}",
    )
    plant("packages/types/dist/index.js", "export {}\n//# sourceMappingURL=index.js.map")

    expect(findings()).toEqual([])
  })

  test.each([
    "export const a = 1",
    "export enum A {}",
    "export class A {}",
    "import './a.ts'",
    "export { type A } from './a.ts'",
    "import { type A } from './a.ts'",
  ])("leaves no JavaScript behind: %s", (written) => {
    plantPackage("types", {}, `export type B = string\n${written}`)

    expect(findings()).toEqual([
      "packages/types/src/index.ts:2 leaves JavaScript behind, and the vocabulary is types only",
    ])
  })

  test("leaves none in the build, either", () => {
    plantPackage("types")
    plant("packages/types/dist/index.js", "export {}\nconsole.log(1)")

    expect(findings()).toEqual([
      "packages/types/dist/index.js:2 leaves JavaScript behind, and the vocabulary is types only",
    ])
  })
})

describe("a package", () => {
  test("names what its index exports", () => {
    plantPackage("stream", {}, 'export type * from "./a.ts"\nexport * from "./a.ts"')

    expect(findings()).toEqual([
      "packages/stream/src/index.ts:2 exports everything of a file: name the exports",
    ])
  })

  test("has the same entries here and when published", () => {
    plantPackage("stream", { publishConfig: { exports: { ".": "", "./extra": "" } } })

    expect(findings()).toEqual([
      'packages/stream/package.json exports "." here and "., ./extra" when published',
    ])
  })

  test("is told which of its sources are long, and passes all the same", () => {
    plantPackage("stream", {}, "\n".repeat(301))
    plant("packages/stream/src/short.ts", "\n".repeat(300))

    expect(findLongFiles(readWorkspace(root))).toEqual(["packages/stream/src/index.ts has 301 lines"])
    expect(findings()).toEqual([])
  })
})
