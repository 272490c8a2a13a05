/**
 * Builds the body of a request for a response.
 *
 * It is pure, and asks the row of the vendor (`compat.ts`) what may be said and how. Nothing is stored at the
 * vendor (`store: false`), so the history travels with every request, and with it, encrypted, what the model
 * has thought.
 *
 * @see https://developers.openai.com/api/reference/resources/responses/methods/create
 */
import { clampMaxTokens, resolveReasoning } from "@heddle/provider-kit"
import type { Context, Model, SimpleStreamOptions, Tool, ToolChoice } from "@heddle/types"
import { toMetadata } from "../metadata.ts"
import { promptCache } from "../prompt-cache.ts"
import { toParameters } from "../tool-parameters.ts"
import type { ResolvedCompat } from "./compat.ts"
import { toInput } from "./to-input.ts"

/** The body of a request. Vendors' extensions make it wider than OpenAI's own type. */
export type ResponsesRequest = Readonly<Record<string, unknown>> & {
  readonly model: string
  readonly stream: true
}

type Fields = Readonly<Record<string, unknown>>

/**
 * @param context Its history has gone through `adaptHistory` of `@heddle/provider-kit`.
 * @throws where a tool's schema cannot be stated as JSON Schema.
 */
export function toRequest(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
): ResponsesRequest {
  const metadata = toMetadata(options.metadata)
  return {
    model: model.id,
    ...instructions(context, compat),
    input: toInput(context, compat),
    ...toolFields(context.tools ?? [], options.toolChoice, compat),
    ...limits(model, context, options, compat),
    ...reasoning(model, options, compat),
    ...promptCache(options, compat),
    ...(compat.supportsMetadata && metadata !== undefined && { metadata }),
    store: false,
    ...compat.extraBody,
    stream: true,
  }
}

function instructions({ systemPrompt }: Context, compat: ResolvedCompat): Fields {
  return systemPrompt && compat.systemPrompt === "instructions" ? { instructions: systemPrompt } : {}
}

/** A choice among no tools is refused. */
function toolFields(tools: readonly Tool[], choice: ToolChoice | undefined, compat: ResolvedCompat): Fields {
  if (tools.length === 0) return {}
  return {
    tools: tools.map((tool) => toTool(tool, compat)),
    ...(choice !== undefined && { tool_choice: toToolChoice(choice) }),
  }
}

/** Left out, `strict` means that OpenAI rewrites the schema. */
function toTool({ name, description, parameters }: Tool, compat: ResolvedCompat): Fields {
  const strict = compat.supportsStrictMode && { strict: false }
  return { type: "function", name, description, parameters: toParameters(parameters), ...strict }
}

function toToolChoice(choice: ToolChoice): unknown {
  return typeof choice === "object" ? { type: "function", name: choice.name } : choice
}

function limits(
  model: Model,
  context: Context,
  { maxTokens, temperature }: SimpleStreamOptions,
  compat: ResolvedCompat,
): Fields {
  const isLimited = compat.supportsMaxOutputTokens && maxTokens !== undefined
  const tokens = isLimited ? clampMaxTokens(model, context, maxTokens) : undefined
  return {
    ...(tokens !== undefined && { max_output_tokens: Math.max(tokens, compat.leastOutputTokens) }),
    ...(compat.supportsTemperature && temperature !== undefined && { temperature }),
  }
}

/** A model that cannot think is asked neither for thinking nor to encrypt any: OpenAI refuses both. */
function reasoning(model: Model, options: SimpleStreamOptions, compat: ResolvedCompat): Fields {
  if (!model.reasoning) return {}
  return {
    ...effort(model, options, compat),
    ...(compat.supportsEncryptedReasoning && { include: ["reasoning.encrypted_content"] }),
  }
}

function effort(model: Model, options: SimpleStreamOptions, compat: ResolvedCompat): Fields {
  const resolved = resolveReasoning(model, options.reasoning, compat.reasoningLevels)
  if (!resolved) return {}
  if (resolved.level === "off") {
    const off = resolved.value ?? compat.reasoningOffEffort
    return off === null ? {} : { reasoning: { effort: off } }
  }
  const summary = compat.reasoningSummary !== null && { summary: compat.reasoningSummary }
  return { reasoning: { effort: resolved.value ?? resolved.level, ...summary } }
}
