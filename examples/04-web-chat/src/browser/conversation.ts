/** Shows the transcript: a restored one at once, a running one event by event. */
import type { AgentEvent, AgentMessage, AssistantMessageEvent } from "@heddle/types"
import { AnswerView } from "./answer-view.ts"
import type { ToolCallView } from "./block-views.ts"
import { create } from "./element.ts"

/** How far from its end a reader may be, in pixels, for the page to follow what arrives. */
const NEAR = 80

export class Conversation {
  readonly #log: HTMLElement
  readonly #list: HTMLElement
  readonly #calls = new Map<string, ToolCallView>()
  #answer: AnswerView | undefined

  /** @param log What scrolls. @param list Where messages go. */
  constructor(log: HTMLElement, list: HTMLElement) {
    this.#log = log
    this.#list = list
  }

  restore(messages: readonly AgentMessage[]): void {
    this.#calls.clear()
    this.#list.replaceChildren()
    for (const message of messages) {
      if (message.role === "user") this.#addQuestion(message)
      else if (message.role === "assistant") this.#addAnswer().restore(message)
      else if (message.role === "toolResult") this.#finish(message.toolCallId, message, message.isError)
    }
    this.#answer = undefined
    this.#log.scrollTop = this.#log.scrollHeight
  }

  readonly show = (event: AgentEvent): void => {
    const follow = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < NEAR
    this.#apply(event)
    if (follow) this.#log.scrollTop = this.#log.scrollHeight
  }

  /** Says what belongs to no message. */
  note(text: string): void {
    const note = create("p", "failure", text)
    note.role = "alert"
    this.#list.append(note)
  }

  #apply(event: AgentEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.message.role === "user") this.#addQuestion(event.message)
        else if (event.message.role === "assistant") this.#addAnswer()
        return
      case "message_update":
        this.#grow(event.assistantMessageEvent)
        return
      case "message_end":
        if (event.message.role === "assistant") this.#answer?.end(event.message)
        return
      case "tool_execution_start":
        this.#calls.get(event.toolCallId)?.run()
        return
      case "tool_execution_end":
        this.#finish(event.toolCallId, event.result, event.isError)
        return
    }
  }

  #grow(event: AssistantMessageEvent): void {
    if (event.type === "start" || event.type === "done" || event.type === "error") return
    const { contentIndex } = event
    const block = event.partial.content[contentIndex]
    if ("delta" in event) this.#answer?.append(contentIndex, event.delta)
    else if (!block) return
    else if (event.type.endsWith("_start")) this.#answer?.open(contentIndex, block)
    else this.#answer?.close(contentIndex, block)
  }

  #finish(toolCallId: string, ...outcome: Parameters<ToolCallView["finish"]>): void {
    this.#calls.get(toolCallId)?.finish(...outcome)
    // Some vendors count their calls from one in every answer.
    this.#calls.delete(toolCallId)
  }

  #addQuestion({ content }: Extract<AgentMessage, { role: "user" }>): void {
    const text =
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : `(${part.mimeType})`)).join("\n")
    const question = create("article", "question", create("div", "text", text))
    question.ariaLabel = "You"
    this.#list.append(question)
  }

  #addAnswer(): AnswerView {
    this.#answer = new AnswerView(this.#calls)
    this.#list.append(this.#answer.element)
    return this.#answer
  }
}
