/** A server of others that answers like Anthropic, OpenAI and Google, with what `answers.json` says. */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

export interface Mock {
  /** For example `http://127.0.0.1:49152`. */
  readonly url: string
  stop(): void
}

/** Starts it on a free port, which it tells. */
export async function startMock(): Promise<Mock> {
  const cli = join(dirname(createRequire(import.meta.url).resolve("@copilotkit/aimock")), "cli.js")
  const answers = join(import.meta.dirname, "answers.json")
  const child = spawn(process.execPath, [cli, "--port", "0", "--fixtures", answers, "--strict"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  return { url: await addressOf(child), stop: () => void child.kill() }
}

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
