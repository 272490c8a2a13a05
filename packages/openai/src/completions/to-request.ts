/**
 * Builds the body of a chat completion.
 *
 * It is pure, and asks the row of the vendor (`compat.ts`) what may be said and how. A field that a vendor
 * does not know is left out: several answer 400 to any of them.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
import { clampMaxTokens } from "@heddle/provider-kit"
import type { Context, Model, SimpleStreamOptions, Tool, ToolChoice } from "@heddle/types"
import { toMetadata } from "../metadata.ts"
import { promptCache } from "../prompt-cache.ts"
import { toParameters } from "../tool-parameters.ts"
import { markCache } from "./cache-control.ts"
import type { ResolvedCompat } from "./compat.ts"
import { toMessages } from "./to-messages.ts"
import { toReasoning } from "./to-reasoning.ts"

/** The body of a request. Vendors' extensions make it wider than OpenAI's own type. */
export type CompletionsRequest = Readonly<Record<string, unknown>> & {
  readonly model: string
  readonly stream: true
}

/**
 * @param context Its history has gone through `adaptHistory` of `@heddle/provider-kit`.
 * @throws where a tool's schema cannot be stated as JSON Schema.
 */
export function toRequest(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
): CompletionsRequest {
  const messages = toMessages(model, context, compat)
  const isMarked = compat.cacheControlFormat === "anthropic"
  return {
    model: model.id,
    messages: isMarked ? markCache(messages, options.cacheRetention) : messages,
    ...(compat.supportsUsageInStreaming && { stream_options: { include_usage: true } }),
    ...toolFields(context.tools ?? [], options.toolChoice, compat),
    ...maxTokens(model, context, options.maxTokens, compat),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...toReasoning(model, options, compat),
    ...promptCache(options, compat),
    ...retention(options.metadata, compat),
    ...(compat.openRouterRouting && { provider: compat.openRouterRouting }),
    ...compat.extraBody,
    stream: true,
  }
}

/** An empty list of tools is refused, and a choice among none as well. */
function toolFields(tools: readonly Tool[], choice: ToolChoice | undefined, compat: ResolvedCompat): object {
  if (tools.length === 0) return {}
  return {
    tools: tools.map((tool) => toTool(tool, compat)),
    ...(choice !== undefined && { tool_choice: toToolChoice(choice, compat) }),
    ...(compat.asksForParallelToolCalls && { parallel_tool_calls: true }),
    ...(compat.asksForToolStream && { tool_stream: true }),
  }
}

function toTool({ name, description, parameters }: Tool, compat: ResolvedCompat): object {
  const strict = compat.supportsStrictMode && { strict: false }
  return {
    type: "function",
    function: { name, description, parameters: toParameters(parameters), ...strict },
  }
}

function toToolChoice(choice: ToolChoice, compat: ResolvedCompat): unknown {
  if (typeof choice === "object") return { type: "function", function: { name: choice.name } }
  return choice === "required" ? compat.requiredToolChoice : choice
}

function maxTokens(
  model: Model,
  context: Context,
  requested: number | undefined,
  compat: ResolvedCompat,
): object {
  if (requested === undefined && !compat.alwaysSendsMaxTokens) return {}
  const tokens = clampMaxTokens(model, context, requested)
  return tokens === undefined ? {} : { [compat.maxTokensField]: tokens }
}

/** OpenAI refuses metadata on a completion that is not stored, so who passes metadata has it stored. */
function retention(values: SimpleStreamOptions["metadata"], compat: ResolvedCompat): object {
  const metadata = toMetadata(values)
  const isSent = compat.supportsMetadata && metadata !== undefined
  return { ...(compat.supportsStore && { store: isSent }), ...(isSent && { metadata }) }
}
