/** Asks a local server, and tells what reached it. */
import type { Context, Model, SimpleStreamOptions } from "@heddle/types"
import { type OpenAIResponsesConfig, openaiResponses } from "../../src/index.ts"
import { freeze } from "../freeze.ts"
import { bytesOf, type Exchange, type Reply, raw, startServer } from "../scripted-server.ts"
import { modelOf } from "./replay.ts"
import { HELLO } from "./wire-events.ts"

export const KEY = "sk-test-4f9c2b7a"

/** Streams the events. Nothing closes the stream but its end. */
export function answer(events: readonly object[] = HELLO): Reply {
  return raw(bytesOf(events))
}

export interface Question {
  readonly provider?: string
  readonly model?: Partial<Model<"openai-responses">>
  readonly context?: Partial<Context>
  readonly options?: SimpleStreamOptions
  readonly config?: OpenAIResponsesConfig
}

/** @returns the request as a server received it. What is passed is frozen first. */
export async function exchangeOf(question: Question = {}): Promise<Exchange> {
  const { provider = "openai", context = {}, options = {}, config = {} } = question
  const server = await startServer(answer())
  const model = freeze(modelOf(provider, { baseUrl: server.baseUrl, ...question.model }))
  const messages = [{ role: "user", content: "Hi", timestamp: 0 }] as const
  const { tools, ...rest } = context // a zod schema cannot be frozen: it fills itself in
  const frozen = { ...freeze({ messages, ...rest }), ...(tools && { tools: Object.freeze(tools) }) }
  const streamFn = openaiResponses({ apiKey: KEY, ...config })
  const { stopReason, errorMessage } = await streamFn(model, frozen, freeze(options)).result()
  const [exchange] = server.requests
  if (stopReason !== "stop" || !exchange) throw new Error(`The request failed: ${errorMessage}`)
  return exchange
}

/** @returns the body of the request as a server received it. */
export async function bodyOf(question: Question = {}): Promise<Record<string, unknown>> {
  return (await exchangeOf(question)).body
}
