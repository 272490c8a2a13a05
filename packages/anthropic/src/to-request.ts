/**
 * Builds the body of a request.
 *
 * It is pure, and asks what is known of model and server (`compat.ts`) what may be said. What they do not take
 * is left out: the vendor answers 400 to any of it.
 *
 * @see https://platform.claude.com/docs/en/api/messages/create
 */
import { clampMaxTokens } from "@heddle/provider-kit"
import { toJsonSchema } from "@heddle/stream"
import type { Context, Model, SimpleStreamOptions, Tool, ToolChoice } from "@heddle/types"
import { cacheMark, markLast, markLastTurn } from "./cache-control.ts"
import type { ResolvedCompat } from "./compat.ts"
import { containerOf } from "./container.ts"
import { toMessages, type WireMessage } from "./to-messages.ts"
import { toThinking } from "./to-thinking.ts"
import { textOf, type WireObject } from "./wire.ts"

/** The body of a request. Betas and compatible servers make it wider than the SDK's type. */
export type MessagesRequest = WireObject & {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly WireMessage[]
  readonly stream: true
}

/** The wire wants a limit. This one is for models that name none. */
const USUAL_MAX_TOKENS = 4096

/**
 * @param context Its history has gone through `adaptHistory` of `@heddle/provider-kit`.
 * @param serverTools Tools that the vendor runs, in the vendor's words.
 * @throws where a tool's schema cannot be stated as JSON Schema.
 */
export function toRequest(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  serverTools: readonly WireObject[] = [],
): MessagesRequest {
  const mark = cacheMark(options.cacheRetention, compat)
  const tools = [...(context.tools ?? []).map(toTool), ...serverTools]
  const messages = toMessages(context.messages, compat)
  const maxTokens = clampMaxTokens(model, context, options.maxTokens) ?? USUAL_MAX_TOKENS
  const isForced = tools.length > 0 && forcesCall(options.toolChoice)
  const thinking = toThinking(model, options, compat, { maxTokens, messages, isForced })
  const container = containerOf(context.messages)
  return {
    model: model.id,
    max_tokens: maxTokens,
    ...system(context.systemPrompt, mark),
    messages: markLastTurn(messages, mark),
    ...toolFields(tools, options.toolChoice, mark),
    ...thinking,
    ...temperature(options.temperature, thinking, compat),
    ...metadata(options.metadata),
    ...(container !== undefined && { container }),
    ...compat.extraBody,
    stream: true,
  }
}

function system(prompt: string | undefined, mark: WireObject | undefined): object {
  if (prompt === undefined || prompt.trim() === "") return {}
  return { system: markLast([{ type: "text", text: prompt }], mark) }
}

/** The vendor refuses a schema whose type is not said to be an object. */
function toTool({ name, description, parameters }: Tool): WireObject {
  const schema = { type: "object", ...toJsonSchema(parameters) }
  return { name, ...(description !== "" && { description }), input_schema: schema }
}

/** A choice among no tools is refused. */
function toolFields(
  tools: readonly WireObject[],
  choice: ToolChoice | undefined,
  mark: WireObject | undefined,
): object {
  if (tools.length === 0) return {}
  return {
    tools: markLast(tools, mark),
    ...(choice !== undefined && { tool_choice: toToolChoice(choice) }),
  }
}

function toToolChoice(choice: ToolChoice): WireObject {
  if (typeof choice === "object") return { type: "tool", name: choice.name }
  return { type: choice === "required" ? "any" : choice }
}

function forcesCall(choice: ToolChoice | undefined): boolean {
  return choice === "required" || typeof choice === "object"
}

/** Whoever thinks takes no other temperature than the usual one. */
function temperature(value: number | undefined, { thinking }: WireObject, compat: ResolvedCompat): object {
  const type = (thinking as { readonly type?: unknown } | undefined)?.type
  const isThinking = type === "adaptive" || type === "enabled"
  return value === undefined || isThinking || !compat.supportsTemperature ? {} : { temperature: value }
}

/** Everything else is refused. */
function metadata(values: SimpleStreamOptions["metadata"]): object {
  const user = textOf(values?.user_id)
  return user === "" ? {} : { metadata: { user_id: user } }
}
