/** One answer of the model, while it arrives and afterwards. A delta costs one append, however long the answer. */
import type { AssistantMessage } from "@heddle/types"
import {
  type Block,
  type BlockView,
  opaqueView,
  ToolCallView,
  textView,
  thinkingView,
} from "./block-views.ts"
import { create } from "./element.ts"

const NOTES: Readonly<Partial<Record<AssistantMessage["stopReason"], string>>> = {
  length: "The answer reached its length limit.",
  aborted: "Stopped.",
}

export class AnswerView {
  readonly element: HTMLElement = create("article", "answer")
  readonly #blocks: BlockView[] = []
  readonly #calls: Map<string, ToolCallView>

  /** @param calls Where tool calls are found by their id when something happens to them. */
  constructor(calls: Map<string, ToolCallView>) {
    this.#calls = calls
    this.element.ariaLabel = "Answer"
    this.element.ariaBusy = "true"
  }

  open(index: number, block: Block): void {
    const view = this.#viewOf(block)
    this.#blocks[index] = view
    this.element.append(view.element)
  }

  append(index: number, delta: string): void {
    this.#blocks[index]?.append(delta)
  }

  close(index: number, block: Block): void {
    this.#blocks[index]?.close(block)
  }

  end({ stopReason, errorMessage }: AssistantMessage): void {
    this.element.ariaBusy = null
    if (stopReason === "error") {
      this.element.append(create("p", "failure", errorMessage ?? "The model failed, and did not say why."))
    } else if (NOTES[stopReason]) this.element.append(create("p", "note", NOTES[stopReason]))
  }

  /** Shows an answer that is there already. */
  restore(message: AssistantMessage): void {
    for (const [index, block] of message.content.entries()) {
      this.open(index, block)
      this.close(index, block)
    }
    this.end(message)
  }

  #viewOf(block: Block): BlockView {
    if (block.type === "text") return textView()
    if (block.type === "thinking") return thinkingView()
    if (block.type === "opaque") return opaqueView()
    const view = new ToolCallView(block.name)
    this.#calls.set(block.id, view)
    return view
  }
}
