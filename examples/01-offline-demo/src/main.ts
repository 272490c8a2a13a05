/**
 * The demo: `npm start -- "question" --dir PATH`. See `command-line.ts` for what it takes.
 *
 * Exit codes: 0 answered, 1 the run failed, 2 the command line makes no sense, 130 stopped by Ctrl-C.
 */
import { resolve } from "node:path"
import { Agent } from "@heddle/agent"
import { faux, fauxModel } from "@heddle/faux"
import { openaiCompletions } from "@heddle/openai"
import type { Model, StreamFn } from "@heddle/types"
import { type Command, HELP, readCommandLine, UsageError } from "./command-line.ts"
import { Folder } from "./folder.ts"
import { RunPrinter } from "./run-printer.ts"
import { answer } from "./scripted-model.ts"
import { folderTools } from "./tools.ts"

const TERMINAL_SPEED = 80

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    const command = readCommandLine(process.argv.slice(2), process.env.OPENAI_API_KEY)
    if (!command) {
      process.stdout.write(HELP)
      return 0
    }
    // npm runs scripts in the project's root and tells where the person was.
    const path = resolve(process.env.INIT_CWD ?? ".", command.dir)
    const folder = await Folder.open(path).catch(() => {
      throw new UsageError(`There is no folder ${path}`)
    })
    return await ask(command, folder)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}. Try --help.\n`)
    return 2
  }
}

async function ask(command: Command, folder: Folder): Promise<number> {
  const { model, streamFn } = chooseModel(command)
  const printer = new RunPrinter({
    write: (text) => process.stdout.write(text),
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    now: () => performance.now(),
  })
  const agent = new Agent({
    streamFn,
    initialState: {
      model,
      systemPrompt: `You answer questions about the folder ${folder.root}. Use the tools; state only what they say.`,
      tools: folderTools(folder),
      thinkingLevel: model.reasoning ? "low" : "off",
    },
  })
  agent.subscribe(printer.onEvent)

  let interrupts = 0
  const onInterrupt = (): void => {
    if (++interrupts > 1) process.exit(130)
    agent.abort("Stopped by Ctrl-C")
  }
  process.on("SIGINT", onInterrupt)
  printer.question(command.question, `${folder.root} · ${model.name}`)
  await agent.prompt(command.question)
  process.off("SIGINT", onInterrupt)

  if (interrupts > 0) {
    const { messages } = agent.state
    const results = messages.filter((message) => message.role === "toolResult").length
    process.stdout.write(`Stopped. Kept: ${messages.length} messages, ${results} of them tool results.\n`)
    return 130
  }
  if (agent.state.errorMessage !== undefined) {
    process.stderr.write(`The run failed: ${agent.state.errorMessage}\n`)
    return 1
  }
  return 0
}

function chooseModel({ model, baseUrl, speed }: Command): { model: Model; streamFn: StreamFn } {
  if (model === undefined) {
    const tokensPerSecond = speed ?? (process.stdout.isTTY ? TERMINAL_SPEED : undefined)
    return {
      model: fauxModel({ name: "scripted model, offline" }),
      streamFn: faux(answer, { tokensPerSecond }),
    }
  }
  return {
    model: {
      id: model,
      name: baseUrl ? `${model} at ${baseUrl}` : `${model} at OpenAI`,
      api: "openai-completions",
      provider: baseUrl ? "custom" : "openai",
      baseUrl: baseUrl ?? "",
      reasoning: false,
      input: ["text"],
      // What this server charges is not known here, so the cost shown is 0.
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 4096,
    },
    streamFn: openaiCompletions(),
  }
}
