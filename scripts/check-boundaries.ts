/** Checks the dependency table against every manifest and every import; see `boundaries.ts`. */
import { fileURLToPath } from "node:url"
import { checkBoundaries, findLongFiles } from "./boundaries.ts"
import { readWorkspace } from "./workspace.ts"

const workspace = readWorkspace(fileURLToPath(new URL("..", import.meta.url)))
const findings = checkBoundaries(workspace)

for (const { where, what } of findings) console.error(`${where} ${what}`)
for (const line of findLongFiles(workspace)) console.log(`note: ${line}`)
console.log(`Boundaries: ${workspace.packages.length} packages, ${findings.length} violations`)
process.exitCode = findings.length > 0 ? 1 : 0
