/** Sends a request to a local server and returns the body that arrived. */
import type { Context, Message, Model, SimpleStreamOptions } from "@heddle/types"
import { type AnthropicMessagesConfig, anthropicMessages } from "../src/index.ts"
import { freeze } from "./freeze.ts"
import { modelOf } from "./replay.ts"
import { answer, type Exchange, startServer } from "./scripted-server.ts"

export interface Asking {
  readonly messages?: readonly Message[]
  readonly context?: Partial<Context>
  readonly model?: Partial<Model<"anthropic-messages">>
  readonly options?: SimpleStreamOptions
  readonly config?: AnthropicMessagesConfig
}

export function user(content: Extract<Message, { role: "user" }>["content"]): Message {
  return { role: "user", content, timestamp: 0 }
}

/** Everything that is passed is frozen, so that a write to it fails. */
export async function exchange(asking: Asking = {}): Promise<Exchange> {
  const server = await startServer(answer())
  const context = freeze({ messages: asking.messages ?? [user("Hi")], ...asking.context })
  const model = freeze(modelOf({ baseUrl: server.baseUrl, ...asking.model }))
  const streamFn = anthropicMessages({ apiKey: "sk-test", ...asking.config })
  const { errorMessage } = await streamFn(model, context, freeze(asking.options ?? {})).result()
  const [request] = server.requests
  if (!request || errorMessage) throw new Error(errorMessage ?? "Nothing was sent")
  return request
}

// biome-ignore lint/suspicious/noExplicitAny: a body is looked at from outside
export async function bodyOf(asking: Asking = {}): Promise<any> {
  return (await exchange(asking)).body
}
