/**
 * What a recording keeps of a request: what the model was told and asked for, and nothing else.
 *
 * Keys, headers, functions and signals stay out, and so does what differs from run to run without meaning
 * anything to the model: times, the ids of sessions, the `details` of tool results.
 */
import { toJsonSchema } from "@heddle/stream"
import type { Context, Message, SimpleStreamOptions, Tool } from "@heddle/types"

/** JSON. */
export interface RecordedRequest {
  readonly systemPrompt?: string
  readonly messages: readonly object[]
  readonly tools?: readonly object[]
  readonly options: object
}

/** Options that change the answer. */
const OPTIONS = ["temperature", "maxTokens", "toolChoice", "reasoning", "thinkingBudgets"] as const

/** @returns undefined for a request that has no JSON, which is then recorded without. */
export function toRecordedRequest(
  context: Context,
  options: SimpleStreamOptions = {},
): RecordedRequest | undefined {
  const { systemPrompt, messages, tools } = context
  try {
    const request = {
      systemPrompt,
      messages: messages.map(toRecordedMessage),
      tools: tools?.map(toRecordedTool),
      options: Object.fromEntries(OPTIONS.map((name) => [name, options[name]])),
    }
    return JSON.parse(JSON.stringify(request))
  } catch {
    return undefined
  }
}

function toRecordedMessage(message: Message): object {
  const { role, content } = message
  if (message.role === "user") return { role, content }
  if (message.role === "assistant") return { role, content, stopReason: message.stopReason }
  const { toolCallId, toolName, isError, addedToolNames } = message
  return { role, toolCallId, toolName, content, isError, addedToolNames }
}

function toRecordedTool({ name, description, parameters }: Tool): object {
  return { name, description, parameters: toJsonSchema(parameters) }
}

/** @returns the path of the first place where the two are not the same, such as `messages[2].content`. */
export function firstDifference(one: unknown, other: unknown, path = ""): string | undefined {
  if (Object.is(one, other)) return undefined
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    return path === "" ? "the request" : path
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const inner = Array.isArray(one) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`
    const found = firstDifference(Reflect.get(one, key), Reflect.get(other, key), inner)
    if (found !== undefined) return found
  }
  return undefined
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
