/** A mock of OpenAI's API that others wrote: what we and our own server misunderstand alike shows there. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Message, SimpleStreamOptions, Tool } from "@heddle/types"
import { afterAll, beforeAll } from "vitest"

/** Runs for all tests of a file. */
export function useMock(fixtures: string): { readonly baseUrl: string } {
  let mock: ChildProcess
  let baseUrl = ""
  beforeAll(async () => {
    const cli = join(dirname(createRequire(import.meta.url).resolve("@copilotkit/aimock")), "cli.js")
    mock = spawn(process.execPath, [cli, "--port", "0", "--fixtures", fixtures, "--strict"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    baseUrl = `${await addressOf(mock)}/v1`
  }, 20_000)
  afterAll(() => void mock.kill())
  return {
    get baseUrl() {
      return baseUrl
    },
  }
}

/** The mock says on which port it listens. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ""
    child.stdout?.on("data", (text: Buffer) => {
      said += text.toString()
      const address = /listening on (http:\/\/[\d.:]+)/.exec(said)?.[1]
      if (address) resolve(address)
    })
    child.on("exit", () => reject(new Error(`The mock ended before it listened: ${said}`)))
  })
}

/** Makes the mock misbehave. */
export function chaos(name: string, amount = "1"): SimpleStreamOptions {
  return { headers: { [`x-aimock-chaos-${name}`]: amount } }
}

const nothing = { type: "object", properties: {} }

/** Those that its answers call. */
export const TOOLS: readonly Tool[] = [
  { name: "weather", description: "The weather in a city", parameters: nothing },
  { name: "now", description: "The time", parameters: nothing },
]

export function user(content: string): Message {
  return { role: "user", content, timestamp: 0 }
}
