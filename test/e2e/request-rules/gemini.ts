/**
 * @see https://ai.google.dev/api/generate-content
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
import { Type } from "@sinclair/typebox"
import { type BodyRules, base64, bodies, jsonObject, only, toolSchema } from "./rules.ts"
import type { Step } from "./steps.ts"

/** What the documentation offers for calls of another model. */
const NO_SIGNATURE = "skip_thought_signature_validator"

const text = only({ text: Type.String({ minLength: 1 }) })
const image = only({ inlineData: only({ mimeType: Type.String(), data: base64 }) })
const name = Type.String({ pattern: "^[A-Za-z_][\\w.:-]{0,127}$" })
const id = Type.Optional(Type.String({ minLength: 1 }))
const functionResponse = only({
  functionResponse: only({ id, name, response: jsonObject, parts: Type.Optional(Type.Array(image)) }),
})

interface Part {
  readonly functionCall?: { readonly id?: string; readonly name: string }
  readonly functionResponse?: { readonly id?: string; readonly name: string }
  readonly thoughtSignature?: string
}
interface Content {
  readonly role: string
  readonly parts: readonly Part[]
}

/** From the third generation on, the first call of every step of the current turn must be signed. */
export function geminiRules(model: string): BodyRules {
  return /gemini-([3-9]|\d\d)/.test(model) ? SIGNED : UNSIGNED
}

const UNSIGNED: BodyRules = {
  schema: bodies((own) => {
    const signature = own ? Type.String() : Type.Literal(NO_SIGNATURE)
    const call = only({
      functionCall: only({ id, name, args: jsonObject }),
      thoughtSignature: Type.Optional(signature),
    })
    const said = own
      ? only({
          text: Type.String(),
          thought: Type.Optional(Type.Literal(true)),
          thoughtSignature: Type.Optional(Type.String()),
        })
      : text
    return only({
      systemInstruction: Type.Optional(only({ parts: Type.Tuple([text]) })),
      contents: Type.Array(
        Type.Union([
          only({ role: Type.Literal("model"), parts: Type.Array(Type.Union([said, call]), { minItems: 1 }) }),
          only({
            role: Type.Literal("user"),
            parts: Type.Union([
              Type.Array(functionResponse, { minItems: 1 }),
              Type.Array(Type.Union([text, image]), { minItems: 1 }),
            ]),
          }),
        ]),
        { minItems: 1 },
      ),
      tools: Type.Optional(
        Type.Tuple([
          only({
            functionDeclarations: Type.Array(
              only({ name, description: Type.String(), parametersJsonSchema: toolSchema }),
              { minItems: 1 },
            ),
          }),
        ]),
      ),
      generationConfig: Type.Optional(
        only({
          maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1 })),
          thinkingConfig: Type.Optional(
            Type.Union([
              only({ includeThoughts: Type.Optional(Type.Boolean()), thinkingLevel: Type.String() }),
              only({ includeThoughts: Type.Optional(Type.Boolean()), thinkingBudget: Type.Integer() }),
            ]),
          ),
        }),
      ),
    })
  }),
  calls: { id: /./, alternates: true },
  read: ({ contents }: { contents: readonly Content[] }) => readContents(contents),
}

const SIGNED: BodyRules = {
  ...UNSIGNED,
  more: ({ contents }: { contents: readonly Content[] }) => {
    const asked = contents.findLastIndex(
      ({ role, parts }) => role === "user" && parts[0]?.functionResponse === undefined,
    )
    return contents.slice(asked + 1).flatMap(({ parts }) => {
      const first = parts.find(({ functionCall }) => functionCall)
      return first && !first.thoughtSignature ? ["a function call is missing a thought_signature"] : []
    })
  },
}

/** Nothing is joined: two turns of the model in a row are refused, and so are results in two parts. */
function readContents(contents: readonly Content[]): Step[] {
  return contents.map(({ role, parts }): Step => {
    if (role === "model")
      return { by: "model", calls: parts.flatMap(({ functionCall }) => functionCall ?? []) }
    const results = parts.flatMap((part) => part.functionResponse ?? [])
    return results.length > 0 ? { by: "tools", results } : { by: "user" }
  })
}
