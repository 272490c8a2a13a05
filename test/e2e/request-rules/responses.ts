/** @see https://developers.openai.com/api/reference/resources/responses/methods/create */
import { Type } from "@sinclair/typebox"
import { isJsonObject } from "./chat.ts"
import { type BodyRules, bodies, only, prose, toolSchema } from "./rules.ts"
import { joinSteps, type Step } from "./steps.ts"

const part = Type.Union([
  only({ type: Type.Literal("input_text"), text: prose }),
  only({
    type: Type.Literal("input_image"),
    detail: Type.Literal("auto"),
    image_url: Type.String({ pattern: "^data:image/\\w+;base64,." }),
  }),
])
const content = Type.Union([prose, Type.Array(part, { minItems: 1 })])

interface Item {
  readonly type?: string
  readonly role?: string
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

/** Nothing is stored, so no item has an id; the order says what belongs together. */
export const responsesRules: BodyRules = {
  schema: bodies((own) =>
    only({
      model: Type.String(),
      instructions: Type.Optional(prose),
      input: Type.Array(
        Type.Union([
          only({ role: Type.Union([Type.Literal("system"), Type.Literal("developer")]), content: prose }),
          only({ role: Type.Literal("user"), content }),
          only({
            role: Type.Literal("assistant"),
            content: prose,
            ...(own && { phase: Type.Optional(Type.String()) }),
          }),
          only({
            type: Type.Literal("function_call"),
            call_id: Type.String(),
            name: Type.String({ minLength: 1 }),
            arguments: Type.String(),
          }),
          only({ type: Type.Literal("function_call_output"), call_id: Type.String(), output: content }),
          ...(own
            ? [
                only({
                  type: Type.Literal("reasoning"),
                  summary: Type.Array(only({ type: Type.Literal("summary_text"), text: Type.String() })),
                  encrypted_content: Type.String({ minLength: 1 }),
                }),
              ]
            : []),
        ]),
        { minItems: 1 },
      ),
      tools: Type.Optional(
        Type.Array(
          only({
            type: Type.Literal("function"),
            name: Type.String({ pattern: "^[a-zA-Z0-9_-]{1,64}$" }),
            description: Type.String(),
            parameters: toolSchema,
            strict: Type.Optional(Type.Literal(false)),
          }),
          { minItems: 1 },
        ),
      ),
      include: Type.Optional(Type.Tuple([Type.Literal("reasoning.encrypted_content")])),
      reasoning: Type.Optional(only({ effort: Type.String(), summary: Type.Optional(Type.Literal("auto")) })),
      store: Type.Literal(false),
      stream: Type.Literal(true),
    }),
  ),
  calls: { id: /^.{1,64}$/s, alternates: false },
  read: ({ input }: { input: readonly Item[] }) => joinSteps(input.flatMap(readItem)),
  more: ({ input }: { input: readonly Item[] }) =>
    input.flatMap((item, index) => [
      ...(item.type === "function_call" && !isJsonObject(item.arguments)
        ? [`input.${index}: arguments are no JSON object`]
        : []),
      ...(item.type === "reasoning" && !isFollowed(input, index)
        ? [`input.${index}: reasoning was provided without its required following item`]
        : []),
    ]),
}

function readItem({ type, role, call_id: id, name }: Item): Step[] {
  if (type === "function_call") return [{ by: "model", calls: [{ id, name }] }]
  if (type === "function_call_output") return [{ by: "tools", results: [{ id }] }]
  if (type === "reasoning" || role === "assistant") return [{ by: "model", calls: [] }]
  return role === "user" ? [{ by: "user" }] : []
}

function isFollowed(input: readonly Item[], index: number): boolean {
  const next = input.slice(index).find(({ type }) => type !== "reasoning")
  return next?.type === "function_call" || next?.role === "assistant"
}
