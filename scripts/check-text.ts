/** Checks every file git knows, or would be told of; see `text-rules.ts`. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { checkText } from "./text-rules.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const paths = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(root, path)))

const findings = checkText(paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })))

for (const { where, what } of findings) console.error(`${where} ${what}`)
console.log(`Text: ${paths.length} files, ${findings.length} violations`)
process.exitCode = findings.length > 0 ? 1 : 0
