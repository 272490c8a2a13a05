/**
 * Says what happens to readers who do not see the page: steps as they begin, answers when they are complete.
 *
 * The conversation itself is not live, or every delta would be read out.
 */
import type { AgentEvent } from "@heddle/types"

export class Announcer {
  readonly #status: HTMLElement

  constructor(status: HTMLElement) {
    this.#status = status
  }

  say(text: string): void {
    this.#status.textContent = text
  }

  readonly hear = (event: AgentEvent): void => {
    if (event.type === "agent_start") this.say("The model is answering")
    else if (event.type === "tool_execution_start") this.say(`Running the tool ${event.toolName}`)
    else if (event.type === "tool_execution_end" && event.isError) this.say(`${event.toolName} failed`)
    else if (event.type === "message_end" && event.message.role === "assistant") {
      const { content, stopReason, errorMessage } = event.message
      const text = content
        .map((block) => (block.type === "text" ? block.text : ""))
        .join("\n")
        .trim()
      if (stopReason === "error") this.say(`The model failed: ${errorMessage ?? ""}`)
      else if (stopReason === "aborted") this.say("Stopped")
      else if (text !== "") this.say(text)
    }
  }
}
