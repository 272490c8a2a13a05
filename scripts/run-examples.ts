/** Runs every example and tells how it went; see `examples.ts`. */
import { fileURLToPath } from "node:url"
import { runExample } from "./examples.ts"
import { readWorkspace } from "./workspace.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const { examples } = readWorkspace(root)
let failed = 0

// One after the other: an example may listen on a port, and its time limit is for an idle machine.
for (const member of examples) {
  const { example, failure, output, duration } = await runExample(member, { root, timeLimit: 120_000 })
  console.log(`${failure ? "failed" : "passed"}  ${example}  ${(duration / 1000).toFixed(1)} s`)
  if (failure === undefined) continue
  failed += 1
  console.error(`${member.folder} ${failure}. It printed:\n${output.trim().replaceAll(/^/gm, "  | ")}`)
}
console.log(`Examples: ${examples.length} run, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
