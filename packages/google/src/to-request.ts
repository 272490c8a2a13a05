/**
 * Builds the body of `streamGenerateContent`.
 *
 * It is pure, and asks `compat.ts` what may be said to the model. The model itself stands in the address.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
import { clampMaxTokens } from "@heddle/provider-kit"
import { toJsonSchema } from "@heddle/stream"
import type { Context, Model, SimpleStreamOptions, StreamOptions, Tool, ToolChoice } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import { toContents, type WireContent } from "./to-contents.ts"
import { toThinkingConfig } from "./to-thinking.ts"

/** The body of a request. */
export type GeminiRequest = Readonly<Record<string, unknown>> & {
  readonly contents: readonly WireContent[]
}

/** From which probability on content of a category is blocked, in Google's words. */
export interface SafetySetting {
  /** For example `HARM_CATEGORY_HARASSMENT`. */
  readonly category: string
  /** For example `BLOCK_ONLY_HIGH`. */
  readonly threshold: string
  /** Vertex only: `SEVERITY` or `PROBABILITY`. */
  readonly method?: string | undefined
}

/** What the request says beside the context and the options. */
export interface RequestSettings {
  readonly compat: ResolvedCompat
  readonly isVertex: boolean
  readonly safetySettings?: readonly SafetySetting[] | undefined
  readonly cachedContent?: string | undefined
}

/**
 * @param context Its history has gone through `adaptHistory` of `@heddle/provider-kit`.
 * @throws where a tool's schema cannot be stated as JSON Schema.
 */
export function toRequest(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  settings: RequestSettings,
): GeminiRequest {
  const { compat, isVertex, safetySettings, cachedContent } = settings
  const generationConfig = toGenerationConfig(model, context, options, compat)
  const labels = isVertex ? toLabels(options.metadata) : {}
  return {
    contents: toContents(context.messages, model, compat),
    // A cached content holds them, and refuses to be told again.
    ...(cachedContent ? { cachedContent } : instructions(context, options.toolChoice)),
    ...(safetySettings && { safetySettings }),
    ...(!isEmpty(generationConfig) && { generationConfig }),
    ...(!isEmpty(labels) && { labels }),
  }
}

function instructions({ systemPrompt, tools = [] }: Context, choice: ToolChoice | undefined): object {
  return {
    ...(systemPrompt && { systemInstruction: { parts: [{ text: systemPrompt }] } }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
    ...(tools.length > 0 &&
      choice !== undefined && { toolConfig: { functionCallingConfig: toCallingConfig(choice) } }),
  }
}

/** The vendor refuses a schema whose type is not said to be an object. */
function toDeclaration({ name, description, parameters }: Tool): object {
  return { name, description, parametersJsonSchema: { type: "object", ...toJsonSchema(parameters) } }
}

const MODES = { auto: "AUTO", none: "NONE", required: "ANY" } as const

function toCallingConfig(choice: ToolChoice): object {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] }
  return { mode: MODES[choice] }
}

/** Without `maxOutputTokens` the answer may be as long as the model can make it. */
function toGenerationConfig(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  compat: ResolvedCompat,
): object {
  const room = clampMaxTokens(model, context, options.maxTokens)
  const thinkingConfig = toThinkingConfig(model, options, compat, room ?? Infinity)
  return {
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.maxTokens !== undefined && room !== undefined && { maxOutputTokens: room }),
    ...(thinkingConfig && { thinkingConfig }),
  }
}

/** Lower-case letters, digits, `_` and `-`; 63 characters at most. A key begins with a letter. */
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u

/**
 * Labels split the bill of a project. Vertex refuses the whole request for one that it does not like, so what
 * cannot be a label is left out.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/add-labels-to-api-calls
 */
function toLabels(metadata: StreamOptions["metadata"] = {}): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {}
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue
    if (LABEL_KEY.test(key) && LABEL_VALUE.test(String(value))) labels[key] = String(value)
  }
  return labels
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0
}
