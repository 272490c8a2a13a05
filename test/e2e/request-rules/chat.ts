/**
 * OpenAI's chat completions, and what the vendors who speak it make of them.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
import { type TSchema, Type } from "@sinclair/typebox"
import { type BodyRules, bodies, only, prose, toolSchema } from "./rules.ts"
import { type CallRules, joinSteps, type Step } from "./steps.ts"

interface VendorRules {
  /** What a body may say beside model, messages, tools and `stream`. */
  readonly fields: readonly string[]
  readonly calls?: Partial<CallRules>
  /** A tool message says whose result it is. */
  readonly namesResults?: boolean
  /** What stands for the thinking that a foreign message does not have. */
  readonly placeholder?: string
}

const ANSWER = ["max_tokens", "temperature", "stream_options"]

const VENDORS: Readonly<Record<string, VendorRules>> = {
  openai: {
    fields: [
      "max_completion_tokens",
      "temperature",
      "stream_options",
      "reasoning_effort",
      "store",
      "metadata",
    ],
    calls: { id: /^.{1,40}$/s },
  },
  /** @see https://console.groq.com/docs/api-reference#chat-create */
  groq: { fields: ["max_completion_tokens", "temperature", "stream_options", "reasoning_effort"] },
  /** @see https://docs.z.ai/api-reference/llm/chat-completion */
  zai: { fields: [...ANSWER, "thinking", "reasoning_effort", "tool_stream"] },
  /** @see https://openrouter.ai/docs/api-reference/chat-completion */
  openrouter: { fields: [...ANSWER, "reasoning", "provider"] },
  /** @see https://api-docs.deepseek.com/api/create-chat-completion */
  deepseek: { fields: [...ANSWER, "thinking", "reasoning_effort"], placeholder: "" },
  /** @see https://docs.mistral.ai/api/#tag/chat */
  mistral: {
    fields: ["max_tokens", "temperature", "reasoning_effort", "metadata"],
    calls: { id: /^[a-zA-Z0-9]{9}$/, modelReadsResults: true },
    namesResults: true,
  },
  /** @see https://docs.ollama.com/api/openai-compatibility */
  ollama: { fields: [...ANSWER, "reasoning_effort"] },
}

interface Message {
  readonly role: string
  readonly content: unknown
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id: string
  readonly name?: string
}

const RULES: Readonly<Record<string, BodyRules>> = Object.fromEntries(
  Object.entries(VENDORS).map(([provider, vendor]) => [provider, toRules(vendor)]),
)

export function chatRules(provider: string): BodyRules {
  const rules = RULES[provider]
  if (!rules) throw new Error(`Nothing is known about the chat completions of ${provider}.`)
  return rules
}

function toRules({ fields, calls, namesResults = false, placeholder }: VendorRules): BodyRules {
  return {
    schema: bodies((own) =>
      only({
        model: Type.String(),
        messages: Type.Array(Type.Union(toMessages(own, namesResults, placeholder)), { minItems: 1 }),
        tools: Type.Optional(
          Type.Array(
            only({
              type: Type.Literal("function"),
              function: only({
                name: Type.String({ pattern: "^[a-zA-Z0-9_-]{1,64}$" }),
                description: Type.String(),
                parameters: toolSchema,
                strict: Type.Optional(Type.Literal(false)),
              }),
            }),
            { minItems: 1 },
          ),
        ),
        stream: Type.Literal(true),
        ...Object.fromEntries(fields.map((field) => [field, Type.Optional(Type.Unknown())])),
      }),
    ),
    calls: { id: /./, alternates: false, ...calls },
    read: ({ messages }: { messages: readonly Message[] }) => joinSteps(messages.flatMap(readMessage)),
    more: ({ messages }: { messages: readonly Message[] }) => messages.flatMap(messageViolations),
  }
}

function toMessages(own: boolean, namesResults: boolean, placeholder: string | undefined): TSchema[] {
  const image = only({ type: Type.Literal("image_url"), image_url: only({ url: Type.String() }) })
  const text = only({ type: Type.Literal("text"), text: Type.String() })
  const thought = only({
    type: Type.Literal("thinking"),
    thinking: Type.Array(text),
    closed: Type.Optional(Type.Literal(true)),
  })
  const thinking = own
    ? {
        reasoning: Type.Optional(Type.String()),
        reasoning_content: Type.Optional(Type.String()),
        reasoning_details: Type.Optional(Type.Array(Type.Object({ type: Type.String() }))),
      }
    : placeholder !== undefined && { reasoning_content: Type.Literal(placeholder) }
  return [
    only({ role: Type.Union([Type.Literal("system"), Type.Literal("developer")]), content: prose }),
    only({
      role: Type.Literal("user"),
      content: Type.Union([prose, Type.Array(Type.Union([text, image]), { minItems: 1 })]),
    }),
    only({
      role: Type.Literal("assistant"),
      content: Type.Union([
        Type.String(),
        Type.Null(),
        ...(own ? [Type.Array(Type.Union([text, thought]), { minItems: 1 })] : []),
      ]),
      tool_calls: Type.Optional(
        Type.Array(
          only({
            id: Type.String(),
            type: Type.Literal("function"),
            function: only({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
          }),
          { minItems: 1 },
        ),
      ),
      ...thinking,
    }),
    only({
      role: Type.Literal("tool"),
      tool_call_id: Type.String(),
      content: prose,
      ...(namesResults && { name: Type.String({ minLength: 1 }) }),
    }),
  ]
}

function readMessage({ role, tool_calls = [], tool_call_id: id, name }: Message): Step[] {
  if (role === "user") return [{ by: "user" }]
  if (role === "tool") return [{ by: "tools", results: [{ id, name }] }]
  if (role !== "assistant") return []
  return [{ by: "model", calls: tool_calls.map((call) => ({ id: call.id, name: call.function.name })) }]
}

function messageViolations({ role, content, tool_calls: calls = [] }: Message, index: number): string[] {
  if (role !== "assistant") return []
  const isEmpty = content === null || (typeof content === "string" && content.trim() === "")
  return [
    ...(isEmpty && calls.length === 0 ? [`messages.${index}: neither content nor tool_calls`] : []),
    ...calls
      .filter((call) => !isJsonObject(call.function.arguments))
      .map(({ id }) => `messages.${index}: arguments of ${id} are no JSON object`),
  ]
}

/** Whether a text is a JSON object. */
export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
