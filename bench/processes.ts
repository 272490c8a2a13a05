/** Starts the processes that are measured, and the server that some of them read from. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { BENCH, environment, type Places } from "./places.ts"
import { OURS } from "./plan.ts"

/** What one process measured. */
export interface Sample {
  /** Milliseconds, user and system, all threads: the median of the repetitions. */
  readonly cpu: number
  /** Milliseconds, the median of the repetitions. */
  readonly wall: number
  /** CPU milliseconds of the first repetition. */
  readonly coldCpu: number
  /** How far the resident memory grew at most in the first repetition. Mebibytes. */
  readonly memory: number
  readonly repetitions: number
  readonly result: Readonly<Record<string, number>>
}

export interface Failure {
  readonly error: string
}

/** What a contestant says of itself. */
export interface Description {
  readonly label?: string
  readonly modes: Readonly<Record<string, readonly string[]>>
  readonly scenarios: readonly string[]
  /** Code that makes a usable agent; `imp` imports from the folder. */
  readonly cold?: { readonly dir: string; readonly code: string }
  readonly bundle?: BundledCode | readonly BundledCode[]
}

export interface BundledCode {
  readonly dir: string
  readonly code: string
  readonly variant?: string
}

const DESCRIBING_S = 60

export function modulePath(contestant: string, { scenarios }: Places): string {
  return join(contestant === OURS ? BENCH : scenarios, "contestants", `${contestant}.mjs`)
}

export function describe(contestant: string, places: Places): Promise<Description | Failure> {
  return speak<Description>([modulePath(contestant, places)], places, DESCRIBING_S)
}

export function measure(
  contestant: string,
  scenario: string,
  parameters: object,
  places: Places,
  timeoutS: number,
): Promise<Sample | Failure> {
  const path = modulePath(contestant, places)
  return speak<Sample>([path, scenario, JSON.stringify(parameters)], places, timeoutS)
}

/** Runs `child.mjs`. What it prints last is its answer; one that gives none has failed. */
function speak<T>(words: readonly string[], places: Places, timeoutS: number): Promise<T | Failure> {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ["--expose-gc", "--no-warnings", join(BENCH, "child.mjs"), ...words],
      { stdio: ["ignore", "pipe", "pipe"], env: environment(places) },
    )
    let output = ""
    let complaint = ""
    let late = false
    child.stdout.on("data", (text) => {
      output += text
    })
    child.stderr.on("data", (text) => {
      complaint += text
    })
    const timer = setTimeout(() => {
      late = true
      child.kill("SIGKILL")
    }, timeoutS * 1000)
    child.on("error", (error) => {
      complaint += error.message
    })
    child.on("close", () => {
      clearTimeout(timer)
      if (late) return resolve({ error: `it took more than ${timeoutS} s` })
      try {
        resolve(JSON.parse(output.trim().split("\n").at(-1) ?? ""))
      } catch {
        resolve({ error: (complaint || output || "it said nothing").slice(-400) })
      }
    })
  })
}

export interface Server {
  readonly url: string
  stop(): void
}

/** The vendors' wires, from a process of their own on loopback. It ends with this process, whatever happens. */
export function startServer(places: Places): Promise<Server> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(places.scenarios, "lib", "server.mjs")], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: environment(places),
    })
    child.on("error", reject)
    child.on("exit", (status) => reject(new Error(`The server ended with status ${status}`)))
    child.stdout?.on("data", (text) => {
      const port = /PORT (\d+)/.exec(String(text))?.[1]
      if (port) resolve({ url: `http://127.0.0.1:${port}`, stop: () => void child.kill() })
    })
  })
}
