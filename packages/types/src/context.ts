import type { Message } from "./message.ts"
import type { Tool } from "./tool.ts"

/** What one request says to a model. A field that is `undefined` counts as absent. */
export interface Context {
  readonly systemPrompt?: string | undefined
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[] | undefined
}
