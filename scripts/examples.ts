/**
 * Runs the examples the way a reader would, without a network and without keys.
 *
 * An example verifies itself: it asserts what it shows and ends with another status than 0 when that fails. Its
 * script `check` is run, or `start` where there is none.
 */
import { spawn } from "node:child_process"
import { delimiter, dirname, join } from "node:path"
import type { Member } from "./workspace.ts"

export interface ExampleRun {
  readonly example: string
  /** What went wrong; absent when nothing did. */
  readonly failure?: string
  /** Everything the example printed, both streams. */
  readonly output: string
  /** Wall-clock time. Unit: milliseconds. */
  readonly duration: number
}

export interface ExampleOptions {
  /** Root of the workspace: its tools come first in the example's path, then this Node.js. */
  readonly root: string
  /** An example that takes longer is stopped and has failed. Unit: milliseconds. */
  readonly timeLimit: number
}

/** Never rejects: whatever happens is in the answer. */
export async function runExample(
  { folder, manifest }: Member,
  { root, timeLimit }: ExampleOptions,
): Promise<ExampleRun> {
  const started = performance.now()
  const command = manifest.scripts?.check ?? manifest.scripts?.start
  let output = ""

  const failure = await new Promise<string | undefined>((settle) => {
    if (command === undefined) return settle("has neither a script check nor a script start")
    // A process group of its own, so that a time limit also ends what the command has started.
    const child = spawn(command, {
      cwd: join(root, folder),
      env: offlineEnvironment(root),
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    const limit = setTimeout(() => {
      settle(`took longer than ${timeLimit / 1000} s and was stopped`)
      if (child.pid !== undefined)
        process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL")
    }, timeLimit)
    child.on("error", (error) => settle(`did not start: ${error.message}`))
    child.on("close", (status, signal) => {
      clearTimeout(limit)
      settle(status === 0 ? undefined : `ended with ${signal ?? `status ${status}`}`)
    })
  })

  return {
    example: manifest.name,
    ...(failure !== undefined && { failure }),
    output,
    duration: performance.now() - started,
  }
}

/** The environment without anything that looks like a key, with the repository's tools, without a network. */
function offlineEnvironment(root: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/(_API_KEY|_TOKEN|_SECRET)$|^(AWS|GOOGLE|NODE_OPTIONS|NODE_ENV|VITEST)/.test(name),
  )
  return {
    ...Object.fromEntries(inherited),
    PATH: [join(root, "node_modules", ".bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
    NODE_OPTIONS: `--import=${new URL("./loopback-only.ts", import.meta.url)}`,
  }
}
