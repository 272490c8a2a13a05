/**
 * Checks the demo as its user meets it: runs it on this folder, and looks for facts in what it prints.
 */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL("..", import.meta.url))
const main = fileURLToPath(new URL("main.ts", import.meta.url))

function demo(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args, "--dir", here], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  })
  assert.equal(stderr, "")
  assert.equal(status, 0)
  return stdout
}

assert.match(demo(), /There are \d+ files and 2 folders here\./)
assert.match(demo("Where is calculate defined?"), /src\/calculate\.ts:\d+: export function calculate/)
assert.match(demo("What is 19 * 21?"), /19 \* 21 = 399\./)
console.log("All checks passed.")
