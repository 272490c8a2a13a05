/**
 * Installs what is missing, and only then: the first half of `npm start` and `npm test`.
 *
 * Runs on the Node.js and npm that a fresh machine has (Node.js 20 and later), so this file is plain
 * JavaScript without dependencies. The packages bring a Node.js of their own for everything after it.
 *
 * An installation counts as done when its stamp says so: the stamp is written last, so an interrupted one has
 * none, and it names the lockfile, the machine and the folder, so a changed lockfile and a copied
 * `node_modules` are noticed. What the package manager prints goes to a log: on success it interests nobody, on
 * failure the last line says what to do.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const windows = process.platform === "win32"
const root = realpathSync(fileURLToPath(new URL("..", import.meta.url)))
const modules = join(root, "node_modules")
const stampFile = join(modules, ".heddle-setup")
const logFile = join(root, ".reports", "setup.log")
const bundledNode = join(modules, ".bin", windows ? "node.cmd" : "node")

const stamp = [
  createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .update(readFileSync(join(root, "pnpm-workspace.yaml")))
    .digest("hex"),
  `${process.platform}-${process.arch}`,
  root,
].join("\n")

if (!isInstalled()) {
  console.error("Setting up: installing dependencies (once, about half a minute) ...")
  install()
  // A download of Node.js that failed is no error to the package manager: it is optional. Ask once more.
  if (!canRunTypeScript()) install("--force")
  if (!canRunTypeScript()) {
    fail(
      `Node.js ${process.version} cannot run TypeScript and Node.js 24 could not be installed: install Node.js 22.18 or later`,
    )
  }
  writeFileSync(stampFile, stamp)
}

function isInstalled() {
  return (
    existsSync(stampFile) &&
    readFileSync(stampFile, "utf8") === stamp &&
    [root, ...workspaceFolders()].every(isLinked) &&
    canRunTypeScript()
  )
}

/** Whether everything a package.json asks for stands in its `node_modules`: a cleaned folder is noticed. */
function isLinked(folder) {
  const { dependencies, devDependencies } = readManifest(folder)
  return Object.keys({ ...dependencies, ...devDependencies }).every((name) =>
    existsSync(join(folder, "node_modules", name)),
  )
}

function workspaceFolders() {
  return ["packages", "examples"].flatMap((parent) => {
    const folder = join(root, parent)
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((child) => existsSync(join(child, "package.json")))
  })
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
}

function install(...flags) {
  // Production mode would leave the tools out. Between retries, the defaults wait a minute: a person is waiting.
  const {
    NODE_ENV: _,
    npm_config_fetch_retry_mintimeout = "1000",
    npm_config_fetch_retry_maxtimeout = "5000",
    ...environment
  } = process.env
  mkdirSync(join(root, ".reports"), { recursive: true })
  const log = openSync(logFile, "w")
  // Always with -y: without it npx stops where its configuration says not to ask.
  const { packageManager } = readManifest(root)
  const { status, signal, error } = spawnSync(
    "npx",
    [
      "-y",
      packageManager,
      "install",
      "--frozen-lockfile",
      "--config.confirmModulesPurge=false",
      "--config.fetchRetryMintimeout=1000",
      "--config.fetchRetryMaxtimeout=5000",
      ...flags,
    ],
    {
      cwd: root,
      env: { ...environment, npm_config_fetch_retry_mintimeout, npm_config_fetch_retry_maxtimeout },
      stdio: ["ignore", log, log],
      shell: windows,
    },
  )
  closeSync(log)
  if (status !== 0)
    fail(explain(error?.message ?? signal ?? `status ${status}`, readFileSync(logFile, "utf8")))
  if (existsSync(bundledNode) && !runs(bundledNode)) rmSync(bundledNode)
}

function explain(ending, log) {
  if (/Cannot install with "frozen-lockfile"|ERR_PNPM_OUTDATED_LOCKFILE/.test(log)) {
    return 'pnpm-lock.yaml does not fit the package.json files: run "npx -y pnpm@12 install" and commit what it changes'
  }
  const code = log.match(/\b(ERR_PNPM_\w+)/)?.[1] ?? log.match(/npm error code (\w+)/)?.[1]
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|ENETUNREACH)|FETCH|NETWORK/.test(code ?? "")) {
    return `the npm registry cannot be reached (${code}): check the network, then try again`
  }
  return `the package manager ended with ${ending}${code ? ` (${code})` : ""}: see .reports/setup.log`
}

/** The Node.js of node_modules runs our sources as they are; without it, the machine's own must be able to. */
function canRunTypeScript() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  return existsSync(bundledNode) || major > 22 || (major === 22 && minor >= 18)
}

/** A binary made for another C library is there and does not start: the machine's own is better than that. */
function runs(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore", shell: windows }).status === 0
}

function fail(reason) {
  console.error(`Setting up failed: ${reason}.`)
  process.exit(1)
}
