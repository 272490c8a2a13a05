import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"

function count(...files: { status: string; tests: string[] }[]) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-count-"))
  const report = join(folder, "tests.json")
  if (files.length > 0) {
    const testResults = files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((test) => ({ status: test })),
    }))
    writeFileSync(report, JSON.stringify({ testResults }))
  }
  const script = fileURLToPath(new URL("./count-tests.mjs", import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, [script, report], { encoding: "utf8" })
  rmSync(folder, { recursive: true })
  return `${stdout}status ${status}`
}

describe("the count of a test run", () => {
  test("is green when every test passed", () => {
    expect(count({ status: "passed", tests: ["passed", "passed"] })).toBe("2 passed, 0 failed\nstatus 0")
  })

  test("is red when a test failed", () => {
    expect(count({ status: "failed", tests: ["passed", "failed"] })).toBe("1 passed, 1 failed\nstatus 1")
  })

  test("names tests that did not run", () => {
    expect(count({ status: "passed", tests: ["passed", "skipped", "todo", "pending"] })).toBe(
      "1 passed, 0 failed, 3 skipped\nstatus 0",
    )
  })

  test("takes a file that broke outside of its tests for a failure", () => {
    expect(count({ status: "failed", tests: [] }, { status: "failed", tests: ["passed"] })).toBe(
      "1 passed, 2 failed\nstatus 1",
    )
  })

  test("is red when nothing ran", () => {
    expect(count({ status: "passed", tests: ["skipped"] })).toBe("0 passed, 0 failed, 1 skipped\nstatus 1")
    expect(count()).toBe("0 passed, 0 failed\nstatus 1")
  })
})
