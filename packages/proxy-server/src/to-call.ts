/**
 * What the StreamFn is called with: the server's model, and of the client's request what a client may say.
 *
 * Everything is built anew from the fields that are known, so nothing else of a body reaches an adapter, whatever
 * its names are.
 */
import { emptyUsage } from "@heddle/stream"
import type { Context, Message, Model, SimpleStreamOptions, Tool, Usage } from "@heddle/types"
import { Refused } from "./refused.ts"
import type { BlockShape, MessageShape, RequestShape } from "./request-shape.ts"

/** Caps on what a client asks for. */
export interface CallLimits {
  readonly maxTokens: number
  /** Milliseconds. */
  readonly maxRetryDelayMs: number
}

/** JSON of this many characters is no metadata any more. */
const LONGEST_METADATA = 16_384

const OPTIONS = [
  "temperature",
  "reasoning",
  "toolChoice",
  "cacheRetention",
  "sessionId",
] as const satisfies readonly (keyof SimpleStreamOptions)[]

const LEVELS = ["minimal", "low", "medium", "high", "xhigh", "max"] as const

/** @throws {Refused} 422 when the metadata is too long. */
export function toOptions(
  asked: Readonly<Record<string, unknown>> = {},
  model: Model,
  limits: CallLimits,
): SimpleStreamOptions {
  const { thinkingBudgets, metadata, maxTokens, maxRetryDelayMs } = pick(asked, [
    "thinkingBudgets",
    "metadata",
    "maxTokens",
    "maxRetryDelayMs",
  ]) as SimpleStreamOptions
  if (metadata && JSON.stringify(metadata).length > LONGEST_METADATA) {
    throw new Refused(422, "invalid_request", `options.metadata has more than ${LONGEST_METADATA} characters`)
  }
  const wanted = maxTokens ?? limits.maxTokens
  const possible = model.maxTokens > 0 ? model.maxTokens : Infinity
  const { toolChoice, ...rest } = pick(asked, OPTIONS) as SimpleStreamOptions
  return {
    ...rest,
    ...(toolChoice && {
      toolChoice: typeof toolChoice === "string" ? toolChoice : { name: toolChoice.name },
    }),
    ...(thinkingBudgets && { thinkingBudgets: pickNumbers(thinkingBudgets, LEVELS) }),
    ...(metadata && { metadata: withoutPrototype(metadata) }),
    ...(wanted < Infinity && { maxTokens: Math.min(wanted, limits.maxTokens, possible) }),
    // 0 asks for no cap at all, which is the server's to give.
    maxRetryDelayMs: Math.min(maxRetryDelayMs || limits.maxRetryDelayMs, limits.maxRetryDelayMs),
  }
}

export function toContext({ systemPrompt, messages, tools }: RequestShape["context"], now: number): Context {
  return {
    ...(systemPrompt !== undefined && { systemPrompt }),
    messages: messages.map((message) => toMessage(message, now)),
    ...(tools && { tools: tools.map(toTool) }),
  }
}

function toTool({
  name,
  description = "",
  parameters,
}: NonNullable<RequestShape["context"]["tools"]>[number]): Tool {
  return { name, description, parameters }
}

const FIELDS = {
  user: ["role", "timestamp"],
  assistant: [
    "role",
    "api",
    "provider",
    "model",
    "responseId",
    "responseModel",
    "stopReason",
    "rawStopReason",
    "errorMessage",
    "failure",
    "timestamp",
  ],
  // Not `details`: they are the client's own.
  toolResult: ["role", "toolCallId", "toolName", "addedToolNames", "isError", "timestamp"],
} as const

const BLOCK_FIELDS = {
  text: ["type", "text", "textSignature"],
  image: ["type", "data", "mimeType"],
  thinking: ["type", "thinking", "thinkingSignature", "redacted"],
  toolCall: ["type", "id", "name", "arguments", "thoughtSignature", "argumentsError"],
  opaque: ["type", "kind", "data"],
} as const

/** What clients may leave out. */
const MISSING = {
  user: {},
  assistant: { api: "unknown", provider: "unknown", model: "unknown", stopReason: "stop" },
  toolResult: { isError: false },
} as const

function toMessage(message: MessageShape, now: number): Message {
  const { role, content } = message
  return {
    ...MISSING[role],
    timestamp: now,
    ...pick(message, FIELDS[role]),
    content: typeof content === "string" ? content : content.map(toBlock),
    ...(role === "assistant" && { usage: toUsage(message.usage as Partial<Usage> | undefined) }),
  } as Message
}

function toBlock(block: BlockShape): object {
  return { ...(block.type === "opaque" && { data: null }), ...pick(block, BLOCK_FIELDS[block.type]) }
}

function toUsage(usage: Partial<Usage> = {}): Usage {
  const empty = emptyUsage()
  const counts = pickNumbers(usage, Object.keys({ ...empty, reasoning: 0, cacheWriteLong: 0 }))
  return {
    ...empty,
    ...counts,
    cost: { ...empty.cost, ...pickNumbers(usage.cost ?? {}, Object.keys(empty.cost)) },
  }
}

/** @returns the own fields of these names. */
function pick<TName extends string>(value: object, names: readonly TName[]): { [Name in TName]?: unknown } {
  const picked: { [Name in TName]?: unknown } = {}
  for (const name of names) if (Object.hasOwn(value, name)) picked[name] = Reflect.get(value, name)
  return picked
}

function pickNumbers(value: object, names: readonly string[]): Record<string, number> {
  const numbers = Object.entries(pick(value, names)).filter(([, count]) => typeof count === "number")
  return Object.fromEntries(numbers) as Record<string, number>
}

/** Adapters copy metadata into their requests, not all of them with care. */
function withoutPrototype<T>(value: T): T {
  const json = JSON.stringify(value)
  return JSON.parse(json, (key, inner) => (key === "__proto__" ? undefined : inner))
}
