/**
 * Prints a run as it happens, as a tree: thinking, text, tool calls with their arguments, times and results,
 * and at the end what it cost. Reads nothing but the agent's events.
 */
import { styleText } from "node:util"
import type { AgentEvent, AssistantMessage, ToolResultMessage } from "@heddle/types"

type Style = Parameters<typeof styleText>[0]

const RESULT_LINES = 6
const LINE_LENGTH = 140

export interface PrinterOptions {
  readonly write: (text: string) => void
  readonly color: boolean
  /** Milliseconds, for durations only. */
  readonly now: () => number
}

export class RunPrinter {
  readonly #options: PrinterOptions
  readonly #startedAt: number
  readonly #calls = new Map<string, { readonly at: number; readonly title: string }>()
  /** The block whose text is being written, so that deltas of another begin a line of their own. */
  #writing: number | undefined
  #turns = 0
  #callCount = 0
  #usage = { input: 0, output: 0, cost: 0 }

  constructor(options: PrinterOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  question(text: string, where: string): void {
    this.#line("bold", `● ${text}`)
    this.#line("dim", `│ ${where}`)
  }

  /** Takes every event of the run. */
  readonly onEvent = (event: AgentEvent): void => {
    switch (event.type) {
      case "turn_start":
        this.#turns++
        return
      case "message_update":
        this.#update(event.assistantMessageEvent)
        return
      case "message_end":
        if (event.message.role === "assistant") this.#finish(event.message)
        return
      case "tool_execution_start": {
        this.#callCount++
        const title = `${event.toolName} ${shorten(JSON.stringify(event.args))}`
        this.#calls.set(event.toolCallId, { at: this.#options.now(), title })
        this.#line("cyan", `├─ ${title}`)
        return
      }
      case "tool_execution_update":
        this.#line("dim", `│  … ${firstLine(event.partialResult.content)}`)
        return
      case "tool_execution_end": {
        const { at = 0, title = event.toolName } = this.#calls.get(event.toolCallId) ?? {}
        const [style, mark] = event.isError ? (["red", "✗"] as const) : (["green", "✓"] as const)
        this.#line(style, `│  ${mark} ${title} · ${Math.round(this.#options.now() - at)} ms`)
        this.#result(event.result.content)
        return
      }
      case "agent_end":
        this.#end(event.reason)
    }
  }

  #update(event: Extract<AgentEvent, { type: "message_update" }>["assistantMessageEvent"]): void {
    if (event.type !== "text_delta" && event.type !== "thinking_delta") return
    const thinking = event.type === "thinking_delta"
    const style: Style = thinking ? ["dim", "italic"] : "reset"
    if (this.#writing !== event.contentIndex) {
      this.#breakLine()
      this.#options.write(this.#style("dim", thinking ? "├─ thinking: " : "├─ "))
      this.#writing = event.contentIndex
    }
    this.#options.write(this.#style(style, event.delta.replaceAll("\n", "\n│  ")))
  }

  #finish(message: AssistantMessage): void {
    this.#breakLine()
    this.#usage.input += message.usage.input + message.usage.cacheRead + message.usage.cacheWrite
    this.#usage.output += message.usage.output
    this.#usage.cost += message.usage.cost.total
    if (message.stopReason === "length")
      this.#line("yellow", "│  (the answer was cut off at the token limit)")
  }

  #result(content: ToolResultMessage["content"]): void {
    const lines = textOf(content).split("\n")
    for (const line of lines.slice(0, RESULT_LINES)) this.#line("dim", `│    ${shorten(line)}`)
    if (lines.length > RESULT_LINES) this.#line("dim", `│    … ${lines.length - RESULT_LINES} more lines`)
  }

  #end(reason: string): void {
    const { input, output, cost } = this.#usage
    const seconds = ((this.#options.now() - this.#startedAt) / 1000).toFixed(1)
    const facts = [
      reason,
      plural(this.#turns, "turn"),
      plural(this.#callCount, "tool call"),
      `${input} tokens in, ${output} out`,
      `$${cost.toFixed(4)}`,
      `${seconds} s`,
    ]
    this.#line("bold", `└─ ${facts.join(" · ")}`)
  }

  #line(style: Style, text: string): void {
    this.#breakLine()
    this.#options.write(`${this.#style(style, text)}\n`)
  }

  #breakLine(): void {
    if (this.#writing !== undefined) this.#options.write("\n")
    this.#writing = undefined
  }

  #style(style: Style, text: string): string {
    return this.#options.color ? styleText(style, text, { validateStream: false }) : text
  }
}

function textOf(content: ToolResultMessage["content"]): string {
  return content.map((block) => (block.type === "text" ? block.text : "(image)")).join("\n")
}

function firstLine(content: ToolResultMessage["content"]): string {
  return shorten(textOf(content).split("\n")[0] ?? "")
}

function shorten(text: string): string {
  return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
