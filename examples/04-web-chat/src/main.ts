/**
 * Starts the web chat: `npm start -- [--port NUMBER] [--model PROVIDER/ID]`.
 *
 * Exit codes: 1 the server could not start, 2 the command line makes no sense.
 */
import { parseArgs } from "node:util"
import { buildAssets } from "./assets.ts"
import { beginWith, KEY_NAMES, offerModels } from "./models.ts"
import { serve } from "./server.ts"

const HELP = `Usage: npm start -- [--port NUMBER] [--model PROVIDER/ID]

Serves a chat page on this machine. It works offline, on a scripted model; with a key in one of
${KEY_NAMES.join(", ")} the page also offers the models of its vendor.

  --port NUMBER        where to listen (default: 4004; 0 takes any port that is free)
  --model PROVIDER/ID  which model the page begins with, for example openai/gpt-6-luna
  --help               show this
`

process.exitCode = await main()

async function main(): Promise<number> {
  const command = readCommandLine()
  if (typeof command === "string") {
    process.stderr.write(`${command}. Try --help.\n`)
    return 2
  }
  if (command.help) {
    process.stdout.write(HELP)
    return 0
  }
  try {
    const offer = offerModels(process.env)
    const { url } = await serve({
      ...(command.model === undefined ? offer : beginWith(command.model, offer)),
      assets: await buildAssets(),
      port: command.port,
      log: (line) => process.stderr.write(`${line}\n`),
    })
    process.stdout.write(`The chat is at ${url}. Ctrl-C ends it.\n`)
    return 0
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    return 1
  }
}

/** @returns what is wrong with the command line, where something is. */
function readCommandLine():
  | { port: number; model?: string | undefined; help?: boolean | undefined }
  | string {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: "4004" },
        model: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    })
    const port = Number(values.port)
    if (Number.isInteger(port) && port >= 0 && port < 65_536) return { ...values, port }
    return `--port takes a number from 0 to 65535, not "${values.port}"`
  } catch (error) {
    return (error as Error).message.split("\n")[0]?.replace(/\.$/, "") ?? "The command line makes no sense"
  }
}
