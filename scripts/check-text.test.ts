import { describe, expect, test } from "vitest"
import { checkText } from "./text-rules.ts"

function findings(path: string, text: string) {
  return checkText([{ path, text }]).map(({ where, what }) => `${where} ${what}`)
}

describe("a file", () => {
  test.each([
    { text: "// TODO later", says: 'marks unfinished work: finish it, or open an issue ("TODO")' },
    { text: "# FIXME", says: 'marks unfinished work: finish it, or open an issue ("FIXME")' },
    { text: 'read("/home/kim/notes")', says: 'names a path of somebody\'s machine ("/home/k")' },
    { text: "see /Users/kim/a", says: 'names a path of somebody\'s machine ("/Users/k")' },
    { text: "C:\\Users\\kim", says: 'names a path of somebody\'s machine ("C:\\Users\\")' },
    {
      text: "from https://registry.npmjs.org/zod",
      says: 'names a package registry: which one is used is up to whoever installs ("registry.npmjs.org")',
    },
    {
      text: "    resolution: {integrity: x, tarball: https://packages.example.test/zod.tgz}",
      says: 'names a package registry: which one is used is up to whoever installs ("tarball: https:")',
    },
  ])("does not say $text", ({ text, says }) => {
    expect(findings("docs/a.md", `first line\n${text}`)).toEqual([`docs/a.md:2 ${says}`])
  })

  test.each(["describe.skip('a')", "test.only('a')", "it.todo('a')", "test.concurrent.fails('a')"])(
    "does not switch tests off: %s",
    (text) => {
      expect(findings("packages/a/test/a.test.ts", text)).toEqual([
        expect.stringContaining("packages/a/test/a.test.ts:1 switches tests off, or all others"),
      ])
    },
  )

  test.each([
    "test.skipIf(fixtures === undefined)('replays the recordings')",
    "https://example.test/home/kim",
    "the method of todo lists",
    "import { a } from './tmp/a.ts'",
    "registry.listTools()",
  ])("may say %s", (text) => {
    expect(findings("packages/a/test/a.test.ts", text)).toEqual([])
  })
})
