/**
 * What was asked for on the command line, or one line that says what is wrong with it.
 */
import { parseArgs } from "node:util"

export const HELP = `Usage: npm start -- ["question"] [--dir PATH] [options]

Runs an agent with real tools (list a folder, read a file, search text, calculate, tell the time) on a folder.
Without options it works offline, on a scripted model that plans from the question's words.

  --dir PATH        the folder to work on                       (default: where you are)
  --model NAME      ask this model: on --base-url, or on OpenAI with the key in OPENAI_API_KEY
  --base-url URL    an OpenAI-compatible server, for example http://localhost:11434/v1
  --speed NUMBER    tokens per second of the scripted model      (default: 80 on a terminal, else no limit)
  --help            show this

Ctrl-C stops the run and shows what was kept; a second Ctrl-C leaves at once.
`

export const DEFAULT_QUESTION = "What is in this folder, and what does its README say?"

export interface Command {
  readonly question: string
  readonly dir: string
  readonly model: string | undefined
  readonly baseUrl: string | undefined
  readonly speed: number | undefined
}

/** The command line makes no sense. The message is for the person who typed it. */
export class UsageError extends Error {}

/**
 * @returns undefined when help was asked for.
 * @throws {UsageError}
 */
export function readCommandLine(args: readonly string[], apiKey: string | undefined): Command | undefined {
  const { values, positionals } = parse(args)
  if (values.help) return undefined
  const question = positionals.join(" ").trim() || DEFAULT_QUESTION
  const { model, "base-url": baseUrl } = values
  if (baseUrl !== undefined && !/^https?:$/.test(protocolOf(baseUrl))) {
    throw new UsageError(`--base-url must be an http or https URL, not "${baseUrl}"`)
  }
  if (baseUrl !== undefined && !model)
    throw new UsageError("--base-url needs --model NAME: which model to ask there")
  if (model !== undefined && baseUrl === undefined && !apiKey) {
    throw new UsageError("--model needs --base-url URL, or a key for OpenAI in OPENAI_API_KEY")
  }
  const speed = values.speed === undefined ? undefined : Number(values.speed)
  if (speed !== undefined && !(speed > 0))
    throw new UsageError(`--speed must be a number above 0, not "${values.speed}"`)
  return { question, dir: values.dir ?? ".", model, baseUrl, speed }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        dir: { type: "string" },
        model: { type: "string" },
        "base-url": { type: "string" },
        speed: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    })
  } catch (error) {
    const [line = "The command line makes no sense"] = (error as Error).message.split("\n")
    throw new UsageError(line.replace(/\. To specify a positional argument.*$/, ""))
  }
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ""
}
