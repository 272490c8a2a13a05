/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
import { Type } from "@sinclair/typebox"
import { type BodyRules, base64, bodies, jsonObject, only, prose, toolSchema } from "./rules.ts"
import type { Step } from "./steps.ts"

const text = only({ text: prose })
const image = only({ image: only({ format: Type.String(), source: only({ bytes: base64 }) }) })
const cachePoint = only({
  cachePoint: only({ type: Type.Literal("default"), ttl: Type.Optional(Type.Literal("1h")) }),
})
const toolResult = only({
  toolResult: only({
    toolUseId: Type.String(),
    content: Type.Array(Type.Union([text, image]), { minItems: 1 }),
    status: Type.Optional(Type.Literal("error")),
  }),
})
const toolUse = only({
  toolUse: only({
    toolUseId: Type.String(),
    name: Type.String({ pattern: "^[a-zA-Z0-9_-]{1,64}$" }),
    input: jsonObject,
  }),
})
const reasoning = only({
  reasoningContent: Type.Union([
    only({ reasoningText: only({ text: Type.String(), signature: Type.Optional(Type.String()) }) }),
    only({ redactedContent: base64 }),
  ]),
})

interface Message {
  readonly role: string
  readonly content: readonly {
    readonly toolUse?: { readonly toolUseId: string }
    readonly toolResult?: { readonly toolUseId: string }
    readonly reasoningContent?: object
    readonly cachePoint?: object
  }[]
}

interface Body {
  readonly messages: readonly Message[]
  readonly toolConfig?: object
  readonly additionalModelRequestFields?: { readonly thinking?: { readonly type: string } }
}

export const bedrockRules: BodyRules = {
  schema: bodies((own) =>
    only({
      system: Type.Optional(Type.Array(Type.Union([text, cachePoint]), { minItems: 1 })),
      toolConfig: Type.Optional(
        only({
          tools: Type.Array(
            Type.Union([
              only({
                toolSpec: only({
                  name: Type.String(),
                  description: Type.Optional(prose),
                  inputSchema: only({ json: toolSchema }),
                }),
              }),
              cachePoint,
            ]),
            { minItems: 1 },
          ),
        }),
      ),
      inferenceConfig: Type.Optional(only({ maxTokens: Type.Optional(Type.Integer({ minimum: 1 })) })),
      additionalModelRequestFields: Type.Optional(jsonObject),
      messages: Type.Array(
        Type.Union([
          only({
            role: Type.Literal("user"),
            content: Type.Array(Type.Union([text, image, toolResult, cachePoint]), { minItems: 1 }),
          }),
          only({
            role: Type.Literal("assistant"),
            content: Type.Array(Type.Union([text, toolUse, ...(own ? [reasoning] : [])]), { minItems: 1 }),
          }),
        ]),
        { minItems: 1 },
      ),
    }),
  ),
  calls: { id: /^[a-zA-Z0-9_-]{1,64}$/, alternates: true },
  read: ({ messages }: { messages: readonly Message[] }) => messages.flatMap(readMessage),
  more: ({ messages, toolConfig, additionalModelRequestFields: fields }: Body) => [
    ...messages.flatMap(({ role }, index) =>
      role === messages[index - 1]?.role ? [`messages.${index}: roles must alternate`] : [],
    ),
    ...(messages.some(hasToolBlock) && toolConfig === undefined
      ? ["The toolConfig field must be defined when using toolUse and toolResult content blocks."]
      : []),
    ...(fields?.thinking?.type !== "enabled" || mayThink(messages)
      ? []
      : ["Expected `thinking` or `redacted_thinking`, but found `tool_use`"]),
  ],
}

/** With a budget of thinking, a turn of Claude's in progress must have begun with it. */
function mayThink(messages: readonly Message[]): boolean {
  const isInProgress = messages.at(-1)?.content.some(({ toolResult }) => toolResult !== undefined)
  const last = messages.findLast(({ role }) => role === "assistant")
  return !isInProgress || last?.content[0]?.reasoningContent !== undefined
}

function readMessage({ role, content }: Message): Step[] {
  if (role === "assistant") {
    return [
      { by: "model", calls: content.flatMap(({ toolUse }) => (toolUse ? { id: toolUse.toolUseId } : [])) },
    ]
  }
  const said = content.filter(({ cachePoint }) => cachePoint === undefined)
  const results = said.flatMap(({ toolResult }) => (toolResult ? { id: toolResult.toolUseId } : []))
  const steps: Step[] = []
  if (results.length > 0) steps.push({ by: "tools", results })
  if (said.length > results.length) steps.push({ by: "user" })
  return steps
}

function hasToolBlock({ content }: Message): boolean {
  return content.some(({ toolUse, toolResult }) => toolUse !== undefined || toolResult !== undefined)
}
