/**
 * Prints `N passed, N failed`, counted from vitest's JSON report, and ends with status 1 when a test failed or
 * none ran.
 *
 * Plain JavaScript without dependencies: it also has an answer when nothing could be installed.
 */
import { existsSync, readFileSync } from "node:fs"

const path = process.argv[2]
const report = path && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { testResults: [] }

const results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length

// A file that fails outside of its tests, or before they exist, is one failure.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((result) => result.status === "failed"),
).length

const passed = count("passed")
const failed = count("failed") + brokenFiles
const skipped = results.length - passed - count("failed")

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
