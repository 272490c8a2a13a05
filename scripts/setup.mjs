/**
 * Installs what is missing, and only then: the first half of `npm start` and `npm test`.
 *
 * Runs on the Node.js and npm that a fresh machine has (Node.js 20 and later), so this file is plain
 * JavaScript without dependencies. The packages bring a Node.js of their own for everything after it.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const stamp = join(root, "node_modules", ".heddle-setup")
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const wanted = readFileSync(join(root, "pnpm-lock.yaml"), "utf8")

if (!isInstalled()) install()
checkNode()

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === wanted
}

function install() {
  console.error("Setting up: installing dependencies (once, about half a minute) ...")
  // Always with -y: without it npx stops where its configuration says not to ask.
  const { status, error } = spawnSync("npx", ["-y", packageManager, "install", "--frozen-lockfile"], {
    cwd: root,
    // The package manager's own chatter must not end up in what a piped `npm start` prints.
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  })
  if (error || status !== 0) {
    console.error(`Setting up failed: ${error?.message ?? `the package manager ended with ${status}`}.`)
    console.error("Check that the npm registry can be reached, then run the command again.")
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

/** The Node.js of node_modules runs our sources as they are; without it, the machine's own must be able to. */
function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  const bundled = existsSync(
    join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node"),
  )
  if (bundled || major > 22 || (major === 22 && minor >= 18)) return
  console.error(
    `Node.js ${process.version} cannot run TypeScript sources, and Node.js 24 could not be installed.`,
  )
  console.error("Install Node.js 22.18 or later, then run the command again.")
  process.exit(1)
}
