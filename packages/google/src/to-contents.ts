/**
 * Writes a transcript as Gemini's `contents`.
 *
 * The wire knows two roles. All results of one turn stand in one content of the user's, right behind the calls; a
 * turn with calls must follow something that the user said. So neighbours of the model's are joined, and a
 * transcript that begins with the model gets a line in front.
 *
 * Signatures stand where they came from, and `adaptHistory` of `@heddle/provider-kit` has removed those of other
 * models; it decides which messages are sent, too.
 *
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
import { IMAGES_FOLLOW, IMAGES_OF_TOOLS, isSameModel, joinTexts } from "@heddle/provider-kit"
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  TextContent,
  ToolCall,
  ToolResultMessage,
} from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import { isPart } from "./opaque-parts.ts"
import { isMadeUp } from "./tool-call-id.ts"

/** A part as it goes over the wire. */
export type WirePart = Readonly<Record<string, unknown>>

/** A turn as it goes over the wire. */
export interface WireContent {
  readonly role: "user" | "model"
  readonly parts: readonly WirePart[]
}

/** Stands in front of a transcript that begins with the model: Gemini refuses to call a tool unasked. */
export const CONVERSATION_GOES_ON = "(The conversation goes on.)"

/**
 * Makes a model that checks signatures take a call which it did not make.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (FAQ)
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures
 */
export const FOREIGN_CALL_SIGNATURE = "skip_thought_signature_validator"

/** @param messages Have gone through `adaptHistory`. */
export function toContents(
  messages: readonly Message[],
  model: Model,
  compat: ResolvedCompat,
): readonly WireContent[] {
  const contents = new Contents(model, compat)
  for (const message of messages) contents.add(message)
  return contents.finish()
}

class Contents {
  readonly #model: Model
  readonly #compat: ResolvedCompat
  readonly #contents: WireContent[] = []
  /** Results come in a row, and are written when the last of them is known. */
  #results: ToolResultMessage[] = []
  /** Calls that were sent with their id; their results have it, too. */
  readonly #sentIds = new Set<string>()

  constructor(model: Model, compat: ResolvedCompat) {
    this.#model = model
    this.#compat = compat
  }

  add(message: Message): void {
    if (message.role === "toolResult") {
      this.#results.push(message)
      return
    }
    this.#flush()
    if (message.role === "user") this.#push("user", toParts(message.content))
    else this.#push("model", this.#modelParts(message))
  }

  finish(): readonly WireContent[] {
    this.#flush()
    const [first] = this.#contents
    if (first?.role !== "model") return this.#contents
    return [{ role: "user", parts: [{ text: CONVERSATION_GOES_ON }] }, ...this.#contents]
  }

  #push(role: WireContent["role"], parts: readonly WirePart[]): void {
    if (parts.length === 0) return
    const last = this.#contents.at(-1)
    if (role === "model" && last?.role === "model") {
      this.#contents[this.#contents.length - 1] = { role, parts: [...last.parts, ...parts] }
    } else {
      this.#contents.push({ role, parts })
    }
  }

  #flush(): void {
    if (this.#results.length === 0) return
    const results = this.#results
    this.#results = []
    this.#push(
      "user",
      results.map((result) => this.#functionResponse(result)),
    )
    if (this.#compat.supportsImagesInToolResults) return
    const images = results.flatMap(({ content }) => content.filter(isImage))
    if (images.length > 0) this.#push("user", [{ text: IMAGES_OF_TOOLS }, ...images.map(toImagePart)])
  }

  #modelParts(message: AssistantMessage): readonly WirePart[] {
    const isOwn = isSameModel(message, this.#model)
    const firstCall = message.content.find((block) => block.type === "toolCall")
    return message.content.flatMap((block) => this.#modelPart(block, isOwn, block === firstCall))
  }

  #modelPart(block: AssistantMessage["content"][number], isOwn: boolean, isFirstCall: boolean): WirePart[] {
    switch (block.type) {
      case "text":
        return prose(block.text, block.textSignature)
      case "thinking":
        return prose(block.thinking, block.thinkingSignature, { thought: true })
      case "toolCall":
        return [this.#functionCall(block, isOwn, isFirstCall)]
      case "opaque":
        return isPart(block.kind) ? [block.data as WirePart] : []
    }
  }

  /** Of several calls at once the model signs the first. */
  #functionCall(call: ToolCall, isOwn: boolean, isFirst: boolean): WirePart {
    const needsSignature = isFirst && this.#compat.requiresThoughtSignatures
    const signature = call.thoughtSignature ?? (needsSignature ? FOREIGN_CALL_SIGNATURE : undefined)
    return {
      functionCall: { ...this.#idOfCall(call, isOwn), name: call.name, args: call.arguments },
      ...signed(signature),
    }
  }

  #idOfCall({ id }: ToolCall, isOwn: boolean): { readonly id?: string } {
    const { toolCallIds } = this.#compat
    const isSent = toolCallIds === "always" || (toolCallIds === "given" && isOwn && !isMadeUp(id))
    if (!isSent) return {}
    this.#sentIds.add(id)
    return { id }
  }

  #functionResponse({ toolCallId, toolName, content, isError }: ToolResultMessage): WirePart {
    const images = content.filter(isImage)
    const inside = this.#compat.supportsImagesInToolResults ? images : []
    const text = joinTexts(content)
    const says = text === "" && images.length > inside.length ? IMAGES_FOLLOW : text
    return {
      functionResponse: {
        ...(this.#sentIds.has(toolCallId) && { id: toolCallId }),
        name: toolName,
        response: isError ? { error: says } : { output: says },
        ...(inside.length > 0 && { parts: inside.map(toImagePart) }),
      },
    }
  }
}

/** An empty text is refused, unless it is there for its signature. */
function prose(text: string, signature: string | undefined, more: WirePart = {}): WirePart[] {
  return text === "" && signature === undefined ? [] : [{ text, ...more, ...signed(signature) }]
}

function toParts(content: string | readonly (TextContent | ImageContent)[]): WirePart[] {
  if (typeof content === "string") return prose(content, undefined)
  return content.flatMap((block) =>
    block.type === "image" ? [toImagePart(block)] : prose(block.text, undefined),
  )
}

function toImagePart({ mimeType, data }: ImageContent): WirePart {
  return { inlineData: { mimeType, data } }
}

function isImage(block: TextContent | ImageContent): block is ImageContent {
  return block.type === "image"
}

function signed(signature: string | undefined): { readonly thoughtSignature?: string } {
  return signature === undefined ? {} : { thoughtSignature: signature }
}
