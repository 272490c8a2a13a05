/** Keeps the conversation in the browser. Whatever stands there is checked: other versions may have written it. */
import type { AgentMessage } from "@heddle/types"

const KEY = "heddle-web-chat"

export interface Saved {
  readonly messages: readonly AgentMessage[]
  /** Provider and id of the model, `openai/gpt-6-luna`. */
  readonly model?: string | undefined
}

/** @returns an empty conversation where there is none that can be read. */
export function load(): Saved {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? "{}")
    const messages = Array.isArray(saved.messages) && saved.messages.every(isMessage) ? saved.messages : []
    return { messages, model: typeof saved.model === "string" ? saved.model : undefined }
  } catch {
    return { messages: [] }
  }
}

/** @returns false when the browser has no room for it, or keeps nothing. */
export function save(saved: Saved): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(saved))
    return true
  } catch {
    return false
  }
}

function isMessage(value: unknown): value is AgentMessage {
  const { role, content, toolCallId } = Object(value)
  if (role === "user") return typeof content === "string" || isContent(content)
  if (role === "toolResult") return typeof toolCallId === "string" && isContent(content)
  return role === "assistant" && isContent(content)
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.every((block) => typeof Object(block).type === "string")
}
