/**
 * @see https://platform.claude.com/docs/en/api/messages/create
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
import { Type } from "@sinclair/typebox"
import { type BodyRules, base64, bodies, jsonObject, only, prose, toolSchema } from "./rules.ts"
import type { Step } from "./steps.ts"

const mark = {
  cache_control: Type.Optional(
    only({ type: Type.Literal("ephemeral"), ttl: Type.Optional(Type.Literal("1h")) }),
  ),
}
const text = only({ type: Type.Literal("text"), text: prose, ...mark })
const image = only({
  type: Type.Literal("image"),
  source: only({ type: Type.Literal("base64"), media_type: Type.String(), data: base64 }),
  ...mark,
})
const toolResult = only({
  type: Type.Literal("tool_result"),
  tool_use_id: Type.String(),
  content: Type.Array(Type.Union([text, image]), { minItems: 1 }),
  is_error: Type.Optional(Type.Literal(true)),
  ...mark,
})
const toolUse = only({
  type: Type.Literal("tool_use"),
  id: Type.String(),
  name: Type.String({ pattern: "^[a-zA-Z0-9_-]{1,128}$" }),
  input: jsonObject,
  ...mark,
})
const thoughts = [
  only({ type: Type.Literal("thinking"), thinking: Type.String(), signature: Type.String({ minLength: 1 }) }),
  only({ type: Type.Literal("redacted_thinking"), data: Type.String({ minLength: 1 }) }),
]

interface Message {
  readonly role: string
  readonly content: readonly { readonly type: string; readonly id: string; readonly tool_use_id: string }[]
}

export const anthropicRules: BodyRules = {
  schema: bodies((own) =>
    only({
      model: Type.String(),
      max_tokens: Type.Integer({ minimum: 1 }),
      stream: Type.Literal(true),
      system: Type.Optional(Type.Array(text, { minItems: 1 })),
      tools: Type.Optional(
        Type.Array(
          only({ name: Type.String(), description: Type.Optional(prose), input_schema: toolSchema, ...mark }),
          { minItems: 1 },
        ),
      ),
      thinking: Type.Optional(Type.Object({ type: Type.String() })),
      output_config: Type.Optional(only({ effort: Type.String() })),
      messages: Type.Array(
        Type.Union([
          only({
            role: Type.Literal("user"),
            content: Type.Array(Type.Union([text, image, toolResult]), { minItems: 1 }),
          }),
          only({
            role: Type.Literal("assistant"),
            content: Type.Array(Type.Union([text, toolUse, ...(own ? thoughts : [])]), { minItems: 1 }),
          }),
        ]),
        { minItems: 1 },
      ),
    }),
  ),
  calls: { id: /^[a-zA-Z0-9_-]{1,64}$/, alternates: true },
  read: ({ messages }: { messages: readonly Message[] }) => messages.flatMap(readMessage),
  more: ({ messages, thinking }: { messages: readonly Message[]; thinking?: { readonly type: string } }) => [
    ...messages.flatMap(({ role, content }, index) => [
      ...(role === messages[index - 1]?.role ? [`messages.${index}: roles must alternate`] : []),
      ...(resultsComeFirst(content) ? [] : [`messages.${index}: tool_result blocks must come first`]),
      ...(/thinking$/.test(content.at(-1)?.type ?? "")
        ? [`messages.${index}: The final block in an assistant message cannot be \`thinking\``]
        : []),
    ]),
    ...(thinking?.type !== "enabled" || mayThink(messages)
      ? []
      : ["Expected `thinking`, but found `tool_use`"]),
  ],
}

function readMessage({ role, content }: Message): Step[] {
  if (role === "assistant") {
    return [{ by: "model", calls: content.filter(({ type }) => type === "tool_use") }]
  }
  const results = content.filter(({ type }) => type === "tool_result")
  const steps: Step[] = []
  if (results.length > 0)
    steps.push({ by: "tools", results: results.map((block) => ({ id: block.tool_use_id })) })
  if (content.length > results.length) steps.push({ by: "user" })
  return steps
}

/** With a budget, a turn in progress must have begun with thinking. */
function mayThink(messages: readonly Message[]): boolean {
  const isInProgress = messages.at(-1)?.content.some(({ type }) => type === "tool_result")
  const last = messages.findLast(({ role }) => role === "assistant")
  return !isInProgress || /thinking$/.test(last?.content[0]?.type ?? "")
}

function resultsComeFirst(content: Message["content"]): boolean {
  const types = content.map(({ type }) => type === "tool_result")
  return !types.includes(true) || types.lastIndexOf(true) < types.filter(Boolean).length
}
