import type { Message } from "./message.ts"
import type { Tool } from "./tool.ts"

/** What one request says to a model. */
export interface Context {
  readonly systemPrompt?: string
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[]
}
