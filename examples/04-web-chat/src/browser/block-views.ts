/** One view per kind of content block: it opens empty, grows by deltas, and closes with what the block became. */
import type { AgentToolResult, AssistantMessage, ToolCall } from "@heddle/types"
import { create } from "./element.ts"

export type Block = AssistantMessage["content"][number]

export interface BlockView {
  readonly element: HTMLElement
  append(delta: string): void
  /** @param block The finished block. */
  close(block: Block): void
}

export function textView(): BlockView {
  const text = document.createTextNode("")
  return {
    element: create("div", "text", text),
    append: (delta) => text.appendData(delta),
    close: (block) => {
      if (block.type === "text" && block.text !== text.data) text.data = block.text
    },
  }
}

/** Open while the model thinks, one line of it afterwards. */
export function thinkingView(): BlockView {
  const text = document.createTextNode("")
  const label = create("span", "label", "Thinking …")
  const gist = create("span", "gist")
  const element = create("details", "thinking", create("summary", "", label, gist), create("p", "", text))
  element.open = true
  return {
    element,
    append: (delta) => text.appendData(delta),
    close: (block) => {
      if (block.type !== "thinking") return
      text.data = block.redacted ? "The vendor does not show this thought." : block.thinking
      label.textContent = "Thought"
      gist.textContent = text.data
      element.open = false
      element.hidden = text.data === ""
    },
  }
}

/** A call: what the model asked for, whether it runs, and what came of it. */
export class ToolCallView implements BlockView {
  readonly element: HTMLElement
  readonly #args = create("code", "args")
  readonly #state = create("span", "state")
  readonly #details = create("pre", "")

  constructor(toolName: string) {
    const name = create("span", "name", toolName)
    const summary = create("summary", "", name, this.#args, this.#state)
    this.element = create("details", "tool", summary, this.#details)
    this.#show("arriving", "being written")
  }

  append(delta: string): void {
    this.#args.append(delta)
  }

  close(block: Block): void {
    if (block.type !== "toolCall") return
    this.#args.textContent = argumentsOf(block)
    this.#details.textContent = JSON.stringify(block.arguments, undefined, 2)
    this.#show("waiting", "not run")
  }

  run(): void {
    this.#show("running", "running …")
  }

  finish({ content }: Pick<AgentToolResult, "content">, isError: boolean): void {
    const text = content.map((part) => (part.type === "text" ? part.text : `(${part.mimeType})`)).join("\n")
    this.#details.append(`\n\n${text}`)
    this.#show(isError ? "failed" : "done", isError ? "failed" : "done")
  }

  #show(state: string, words: string): void {
    this.element.dataset.state = state
    this.#state.textContent = words
  }
}

/** What the vendor did by itself, such as a search of its own. */
export function opaqueView(): BlockView {
  const element = create("p", "note")
  return {
    element,
    append: () => {},
    close: (block) => {
      if (block.type === "opaque") element.textContent = `The vendor: ${block.kind.replaceAll("_", " ")}`
    },
  }
}

function argumentsOf({ arguments: args }: ToolCall): string {
  const values = Object.values(args).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  )
  return values.join(", ")
}
