/**
 * What a request must look like, as JSON Schema, and what is said where it does not.
 *
 * Messages and their blocks are checked one by one against the schema of their kind: a message about the kind that
 * was meant helps more than one about all the kinds it is not, and costs less. Unknown fields are let through here
 * and left behind in `to-call.ts`.
 */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema"
import { Refused } from "./refused.ts"

/** A body of the right shape. What is inside of the blocks is the client's own. */
export interface RequestShape {
  readonly model: { readonly provider: string; readonly id: string }
  readonly context: {
    readonly systemPrompt?: string
    readonly messages: readonly MessageShape[]
    readonly tools?: readonly { name: string; description?: string; parameters: object }[]
  }
  readonly options?: Readonly<Record<string, unknown>>
}

export interface MessageShape {
  readonly role: "user" | "assistant" | "toolResult"
  readonly content: string | readonly BlockShape[]
  readonly [field: string]: unknown
}

export interface BlockShape {
  readonly type: "text" | "thinking" | "image" | "toolCall" | "opaque"
  readonly [field: string]: unknown
}

/** Checking costs time that other requests wait for. */
const MOST_BLOCKS = 50_000

/** Whoever walks through what is nested deeper may run out of stack. */
const DEEPEST = 256

const TEXT = { type: "string" } as const
const COUNT = { type: "number", minimum: 0 } as const
const NAME = { type: "string", minLength: 1, maxLength: 256 } as const
const OBJECT = { type: "object" } as const
const BUDGET = { type: "integer", minimum: 0, maximum: 10_000_000 } as const

const BODY = schemaOf(
  {
    model: schemaOf({ provider: NAME, id: NAME }, ["provider", "id"]),
    context: schemaOf(
      {
        systemPrompt: TEXT,
        messages: { type: "array", maxItems: 10_000 },
        tools: {
          type: "array",
          maxItems: 1024,
          items: schemaOf({ name: NAME, description: TEXT, parameters: OBJECT }, ["name", "parameters"]),
        },
      },
      ["messages"],
    ),
    options: schemaOf({
      temperature: { type: "number", minimum: 0, maximum: 2 },
      maxTokens: { type: "integer", minimum: 1 },
      reasoning: { enum: ["minimal", "low", "medium", "high", "xhigh", "max"] },
      thinkingBudgets: schemaOf(
        Object.fromEntries(
          ["minimal", "low", "medium", "high", "xhigh", "max"].map((level) => [level, BUDGET]),
        ),
      ),
      toolChoice: {
        type: ["string", "object"],
        if: TEXT,
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { enum: ["auto", "none", "required"] },
        else: schemaOf({ name: NAME }, ["name"]),
      },
      cacheRetention: { enum: ["none", "short", "long"] },
      sessionId: { type: "string", maxLength: 512 },
      metadata: { type: "object", maxProperties: 64 },
      maxRetryDelayMs: COUNT,
    }),
  },
  ["model", "context"],
)

const MESSAGES: Readonly<Record<MessageShape["role"], Schema>> = {
  user: schemaOf({ content: { type: ["string", "array"] }, timestamp: COUNT }, ["content"]),
  assistant: schemaOf(
    {
      content: { type: "array" },
      api: TEXT,
      provider: TEXT,
      model: TEXT,
      responseId: TEXT,
      responseModel: TEXT,
      usage: OBJECT,
      stopReason: { enum: ["stop", "length", "toolUse", "error", "aborted"] },
      rawStopReason: TEXT,
      errorMessage: TEXT,
      failure: OBJECT,
      timestamp: COUNT,
    },
    ["content"],
  ),
  toolResult: schemaOf(
    {
      content: { type: "array" },
      toolCallId: TEXT,
      toolName: TEXT,
      addedToolNames: { type: "array", items: TEXT },
      isError: { type: "boolean" },
      timestamp: COUNT,
    },
    ["content", "toolCallId", "toolName"],
  ),
}

const BLOCKS: Readonly<Record<BlockShape["type"], Schema>> = {
  text: schemaOf({ text: TEXT, textSignature: TEXT }, ["text"]),
  image: schemaOf({ data: TEXT, mimeType: TEXT }, ["data", "mimeType"]),
  thinking: schemaOf({ thinking: TEXT, thinkingSignature: TEXT, redacted: { type: "boolean" } }, [
    "thinking",
  ]),
  toolCall: schemaOf(
    { id: TEXT, name: TEXT, arguments: OBJECT, thoughtSignature: TEXT, argumentsError: TEXT },
    ["id", "name", "arguments"],
  ),
  opaque: schemaOf({ kind: TEXT }, ["kind"]),
}

const TAKES: Readonly<Record<MessageShape["role"], readonly BlockShape["type"][]>> = {
  user: ["text", "image"],
  assistant: ["text", "thinking", "toolCall", "opaque"],
  toolResult: ["text", "image"],
}

const VALIDATORS = {
  body: new Validator(BODY, "2020-12"),
  messages: validatorsOf(MESSAGES),
  blocks: validatorsOf(BLOCKS),
} as const

/** @throws {Refused} 422 with the path of what is wrong, as one would write it in code. */
export function checkShape(body: unknown): RequestShape {
  if (isDeeper(body, DEEPEST)) throw invalid("", `is nested deeper than ${DEEPEST} levels`)
  check(VALIDATORS.body, body, "")
  const { messages } = (body as RequestShape).context
  let blocks = 0
  messages.forEach((message: MessageShape, at) => {
    const path = `context.messages[${at}]`
    const role = kindOf(message, "role", Object.keys(TAKES) as MessageShape["role"][], path)
    check(VALIDATORS.messages[role], message, path)
    if (typeof message.content === "string") return
    blocks += message.content.length
    if (blocks > MOST_BLOCKS)
      throw invalid(path, `has more than the ${MOST_BLOCKS} blocks a request may have`)
    message.content.forEach((block, index) => {
      const place = `${path}.content[${index}]`
      check(VALIDATORS.blocks[kindOf(block, "type", TAKES[role], place)], block, place)
    })
  })
  return body as RequestShape
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true
  return false
}

/** @returns the word that says what kind of thing this is. */
function kindOf<TKind extends string>(
  value: unknown,
  field: string,
  kinds: readonly TKind[],
  path: string,
): TKind {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(path, "must be an object")
  const kind = Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined
  if (kinds.includes(kind as TKind)) return kind as TKind
  throw invalid(`${path}.${field}`, `must be one of ${kinds.join(", ")}`)
}

function check(validator: Validator, value: unknown, path: string): void {
  if (value === undefined) throw invalid(path, "is missing")
  const { errors } = validator.validate(value)
  // The innermost says what is wrong; those around it, that something inside of them is.
  const [error] = errors
    .filter(({ keyword }) => !AROUND.has(keyword))
    .sort((a, b) => b.instanceLocation.length - a.instanceLocation.length)
  if (error) throw invalid(...explain(error, path))
}

/** What is said of a schema that has others inside. */
const AROUND: ReadonlySet<string> = new Set(["properties", "items", "if"])

function explain(
  { keyword, instanceLocation, error }: OutputUnit,
  path: string,
): [path: string, says: string] {
  const place = path + toPath(instanceLocation)
  const quoted = /"([^"]*)"\.?$/.exec(error)?.[1]
  if (keyword === "required") return [`${place}.${quoted}`, "is missing"]
  if (keyword === "type") return [place, `must be of type ${error.slice(error.indexOf("Expected") + 9, -1)}`]
  if (keyword === "enum") return [place, `must be one of ${error.slice(error.indexOf("["), -1)}`]
  return [place, `is not right: ${error}`]
}

/** `#/context/messages/0` is `.context.messages[0]`. */
function toPath(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("")
}

function invalid(path: string, says: string): Refused {
  const place = path.replace(/^\./, "") || "The body"
  return new Refused(422, "invalid_request", `${place} ${says}`.slice(0, 500))
}

function schemaOf(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: "object", properties, required: [...required] }
}

function validatorsOf<TKind extends string>(
  schemas: Readonly<Record<TKind, Schema>>,
): Readonly<Record<TKind, Validator>> {
  return Object.fromEntries(
    Object.entries<Schema>(schemas).map(([kind, schema]) => [kind, new Validator(schema, "2020-12")]),
  ) as Record<TKind, Validator>
}
