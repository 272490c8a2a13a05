/**
 * What one request says: the transcript as the model may see it, the tools it is shown, and the options that
 * are not the loop's own.
 *
 * Pure but for the hooks it calls. It does not send anything; see `response-reader.ts`.
 */
import { toJsonSchema } from "@heddle/stream"
import type {
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  Message,
  SimpleStreamOptions,
  ThinkingLevel,
  Tool,
} from "@heddle/types"
import { errorText } from "./errors.ts"

/** The loop's own keys. Everything else in a config passes on to the StreamFn. */
const OWN_KEYS: ReadonlySet<string> = new Set<Exclude<keyof AgentLoopConfig, keyof SimpleStreamOptions>>([
  "model",
  "convertToLlm",
  "transformContext",
  "getApiKey",
  "getSteeringMessages",
  "getFollowUpMessages",
  "shouldStopAfterTurn",
  "prepareNextTurn",
  "toolExecution",
  "maxParallelToolCalls",
  "toolEndOrder",
  "beforeToolCall",
  "afterToolCall",
  "abortGraceMs",
  "firstEventTimeoutMs",
  "streamIdleTimeoutMs",
  "streamFn",
  "now",
])

/**
 * @param apiKey Wins over `config.apiKey` unless it is undefined or empty.
 * @param thinkingLevel Wins over `config.reasoning` unless it is undefined; `"off"` asks for no reasoning.
 */
export function toStreamOptions(
  config: AgentLoopConfig,
  apiKey: string | undefined,
  thinkingLevel: ThinkingLevel | undefined,
  signal: AbortSignal,
): SimpleStreamOptions {
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(config)) {
    if (value !== undefined && !OWN_KEYS.has(key)) options[key] = value
  }
  if (apiKey) options.apiKey = apiKey
  if (thinkingLevel === "off") delete options.reasoning
  else if (thinkingLevel !== undefined) options.reasoning = thinkingLevel
  options.signal = signal
  return options
}

/** The bridge between the two worlds where `convertToLlm` is not given: custom messages are not sent. */
export function standardMessages(messages: readonly AgentMessage[]): Message[] {
  return messages.filter(
    (message): message is Message =>
      message.role === "user" || message.role === "assistant" || message.role === "toolResult",
  )
}

/**
 * The tools the model is shown: all that are not deferred, and the deferred ones that a result in the
 * transcript names. Derived from the transcript, so that it survives a reload.
 */
export function shownTools(
  tools: readonly AgentTool[],
  transcript: readonly AgentMessage[],
): readonly AgentTool[] {
  if (!tools.some((tool) => tool.deferred)) return tools
  const added = new Set<string>()
  for (const message of transcript) {
    if (message.role === "toolResult") for (const name of message.addedToolNames ?? []) added.add(name)
  }
  return tools.filter((tool) => !tool.deferred || added.has(tool.name))
}

/**
 * A tool as plain data.
 *
 * @throws where its parameters are no schema, or a Standard Schema cannot state its JSON Schema.
 */
export function toPlainTool({ name, description, parameters }: AgentTool): Tool {
  try {
    return { name, description, parameters: toJsonSchema(parameters) }
  } catch (cause) {
    throw new Error(`Tool ${name} cannot be shown to the model: ${errorText(cause)}`, { cause })
  }
}
