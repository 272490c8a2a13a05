/**
 * Builds the body of a request.
 *
 * It is pure, and asks what is known of the model (`compat.ts`) what may be said. What a model does not take is
 * left out: the service answers 400 to any of it.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import type {
  CachePointBlock,
  ConverseStreamCommandInput,
  GuardrailStreamConfiguration,
  Tool as WireTool,
  ToolChoice as WireToolChoice,
} from "@aws-sdk/client-bedrock-runtime"
import { clampMaxTokens } from "@heddle/provider-kit"
import { toJsonSchema } from "@heddle/stream"
import type { Context, Model, SimpleStreamOptions, Tool, ToolChoice } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import { toMessages, type WireMessage } from "./to-messages.ts"
import { type Thinking, toThinking } from "./to-thinking.ts"

/** The input of the SDK's `ConverseStreamCommand`. */
export type ConverseRequest = ConverseStreamCommandInput

/**
 * @param context Its history has gone through `adaptHistory` of `@heddle/provider-kit`.
 * @throws where a tool's schema cannot be stated as JSON Schema, and for a picture that is not base64.
 */
export function toRequest(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
  guardrail?: GuardrailStreamConfiguration,
): ConverseRequest {
  const cachePoint = toCachePoint(options.cacheRetention, compat)
  const messages = toMessages(context.messages, compat)
  const isForced = (context.tools ?? []).length > 0 && forcesCall(options.toolChoice)
  const maxTokens = clampMaxTokens(model, context, options.maxTokens)
  const thinking = toThinking(model, options, compat, {
    maxTokens: maxTokens ?? Infinity,
    messages,
    isForced,
  })
  return {
    modelId: model.id,
    ...toSystem(context.systemPrompt, cachePoint.system),
    messages: markLastTurn(messages, cachePoint.messages),
    ...toToolConfig(context.tools ?? [], options.toolChoice, messages, compat, cachePoint.tools),
    ...toInferenceConfig(options, maxTokens, thinking, compat),
    ...toModelFields(thinking, compat),
    ...toRequestMetadata(options.metadata),
    ...(guardrail && { guardrailConfig: guardrail }),
  }
}

type CachePoints = { readonly [Place in ResolvedCompat["cachePoints"][number]]?: CachePointBlock }

/** What is kept for an hour must not stand behind what is kept for five minutes, so all are alike. */
function toCachePoint(retention: SimpleStreamOptions["cacheRetention"], compat: ResolvedCompat): CachePoints {
  if (retention === "none") return {}
  const isLong = retention === "long" && compat.supportsLongCacheRetention
  const point: CachePointBlock = { type: "default", ...(isLong && { ttl: "1h" }) }
  return Object.fromEntries(compat.cachePoints.map((place) => [place, point]))
}

function toSystem(
  prompt: string | undefined,
  cachePoint: CachePointBlock | undefined,
): Partial<ConverseRequest> {
  if (prompt === undefined || prompt.trim() === "") return {}
  return { system: [{ text: prompt }, ...(cachePoint ? [{ cachePoint }] : [])] }
}

/** The end of the last user turn is where the next request of the conversation will read on. */
function markLastTurn(messages: WireMessage[], cachePoint: CachePointBlock | undefined): WireMessage[] {
  messages.findLast(({ role }) => role === "user")?.content.push(...(cachePoint ? [{ cachePoint }] : []))
  return messages
}

/**
 * Stands in for tools where there are none to call but the conversation has calls in it: Bedrock then wants
 * some definition of tools. It has no word for "call no tool" either.
 */
const NO_TOOL: WireTool = {
  toolSpec: {
    name: "unavailable",
    description: "No tool can be called now. Answer without.",
    inputSchema: { json: { type: "object", properties: {} } },
  },
}

function toToolConfig(
  tools: readonly Tool[],
  choice: ToolChoice | undefined,
  messages: readonly WireMessage[],
  compat: ResolvedCompat,
  cachePoint: CachePointBlock | undefined,
): Partial<ConverseRequest> {
  if (tools.length === 0 || choice === "none") {
    return messages.some(hasToolBlock) ? { toolConfig: { tools: [NO_TOOL] } } : {}
  }
  const toolChoice = toToolChoice(choice, compat)
  return {
    toolConfig: {
      tools: [...tools.map(toTool), ...(cachePoint ? [{ cachePoint }] : [])],
      ...(toolChoice && { toolChoice }),
    },
  }
}

function hasToolBlock({ content }: WireMessage): boolean {
  return content.some(({ toolUse, toolResult }) => toolUse !== undefined || toolResult !== undefined)
}

/** A schema must say that it is an object's, and a description must not be empty. */
function toTool({ name, description, parameters }: Tool): WireTool {
  const json = { type: "object", ...toJsonSchema(parameters) } as ToolSchema
  return { toolSpec: { name, ...(description.trim() !== "" && { description }), inputSchema: { json } } }
}

type ToolSchema = NonNullable<NonNullable<WireTool.ToolSpecMember["toolSpec"]["inputSchema"]>["json"]>

/** `any` comes closest to one tool where the model cannot be told which. */
function toToolChoice(choice: ToolChoice | undefined, compat: ResolvedCompat): WireToolChoice | undefined {
  const takes = (word: ResolvedCompat["toolChoices"][number]): boolean => compat.toolChoices.includes(word)
  if (typeof choice === "object" && takes("tool")) return { tool: { name: choice.name } }
  if (forcesCall(choice) && takes("any")) return { any: {} }
  return choice === "auto" && takes("auto") ? { auto: {} } : undefined
}

function forcesCall(choice: ToolChoice | undefined): boolean {
  return choice === "required" || typeof choice === "object"
}

/** Bedrock sets aside as many tokens as are asked for, so none are asked for unless the caller does. */
function toInferenceConfig(
  options: SimpleStreamOptions,
  maxTokens: number | undefined,
  thinking: Thinking,
  compat: ResolvedCompat,
): Partial<ConverseRequest> {
  const { temperature } = options
  const saysTokens = options.maxTokens !== undefined || thinking.needsMaxTokens
  const inferenceConfig = {
    ...(saysTokens && !thinking.rulesOutMaxTokens && maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined &&
      !thinking.rulesOutTemperature &&
      compat.supportsTemperature && { temperature }),
  }
  return Object.keys(inferenceConfig).length > 0 ? { inferenceConfig } : {}
}

function toModelFields(thinking: Thinking, compat: ResolvedCompat): Partial<ConverseRequest> {
  const fields = { ...thinking.fields, ...compat.additionalModelRequestFields }
  if (Object.keys(fields).length === 0) return {}
  return {
    additionalModelRequestFields: fields as NonNullable<ConverseRequest["additionalModelRequestFields"]>,
  }
}

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
const METADATA_KEY = /^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/
const METADATA_VALUE = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/
const MOST_METADATA = 16

/** What the service's log would refuse is left out: it says something about the request, not in it. */
function toRequestMetadata(metadata: SimpleStreamOptions["metadata"]): Partial<ConverseRequest> {
  const entries = Object.entries(metadata ?? {})
    .flatMap(([key, value]) => (isScalar(value) ? [[key, String(value)] as const] : []))
    .filter(([key, value]) => METADATA_KEY.test(key) && METADATA_VALUE.test(value))
    .slice(0, MOST_METADATA)
  return entries.length > 0 ? { requestMetadata: Object.fromEntries(entries) } : {}
}

function isScalar(value: unknown): value is string | number | boolean | bigint {
  return ["string", "number", "boolean", "bigint"].includes(typeof value)
}
