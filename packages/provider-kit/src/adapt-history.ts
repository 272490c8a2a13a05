/**
 * Turns a transcript into one that a given model accepts.
 *
 * Signatures, encrypted thinking and a vendor's own blocks mean something only to the model that made them;
 * failed and interrupted turns leave half-finished work behind; a model without eyes cannot take pictures.
 * What a vendor rejects when parts of a turn are missing decides the rules: opaque blocks go or stay as a set
 * with the signatures beside them, calls go with their results.
 *
 * It knows no wire: an adapter's `to-request.ts` does. It is pure, and the input is never written.
 */
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  TextContent,
  ToolResultMessage,
  UserMessage,
} from "@heddle/types"
import { pairToolResults } from "./pair-tool-results.ts"
import { createToolCallIdRewriter, type ToolCallIdRules } from "./tool-call-id.ts"
import { toWellFormed } from "./well-formed-text.ts"

/** How a transcript is adapted. */
export interface HistoryRules {
  /** What becomes of another model's thinking. Default `"drop"`. Redacted thinking is always dropped. */
  readonly foreignThinking?: "drop" | "text" | undefined
  /** What the vendor accepts as the id of a tool call. Default: anything that is not empty. */
  readonly toolCallIds?: ToolCallIdRules | undefined
}

type AssistantContent = AssistantMessage["content"][number]

/** Stands in for a picture that the model cannot see. */
export const IMAGE_OMITTED = "[An image was omitted: this model does not accept images.]"

/** Whether the model that would read the message is the one that wrote it: same provider, api and id. */
export function isSameModel(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id
}

/**
 * @returns the messages to send: every call answered by exactly one result behind it, ids unique within the
 * request, no message without content, no unpaired surrogate. Results come without their `details`.
 */
export function adaptHistory(
  messages: readonly Message[],
  model: Model,
  rules: HistoryRules = {},
): Message[] {
  const rewriteId = createToolCallIdRewriter(rules.toolCallIds)
  const acceptsImages = model.input.includes("image")
  const adapted: Message[] = []
  /** The ids of the calls whose results come next, in order; the results of a left-out call have none. */
  let ids: string[] = []
  // Text is cleaned first, so that a block of which nothing is left counts as empty.
  for (const message of pairToolResults(toWellFormed(messages.map(withoutDetails)))) {
    if (message.role === "user") {
      adapted.push(acceptsImages ? message : describeImages(message))
    } else if (message.role === "toolResult") {
      const toolCallId = ids.shift()
      if (toolCallId === undefined) continue
      const result = acceptsImages ? message : describeImages(message)
      adapted.push({ ...result, toolCallId, toolName: result.toolName || UNNAMED })
    } else {
      const content = contentToSend(message, model, rules)
      ids = []
      const blocks = content.map((block): AssistantContent => {
        if (block.type !== "toolCall") return block
        const id = rewriteId(block.id)
        ids.push(id)
        return { ...block, id, name: block.name || UNNAMED }
      })
      if (blocks.length > 0) adapted.push({ ...message, content: blocks })
    }
  }
  return adapted
}

/** Details are the application's: they may be large, cyclic, or no JSON at all. */
function withoutDetails(message: Message): Message {
  if (message.role !== "toolResult") return message
  const { details: _, ...result } = message
  return result
}

/** A call whose name never arrived has an error result, but a vendor still wants a name. */
const UNNAMED = "unnamed"

function contentToSend(message: AssistantMessage, model: Model, rules: HistoryRules): AssistantContent[] {
  if (message.stopReason === "error") return []
  if (message.stopReason === "aborted") return textOnly(message.content)
  return message.content.flatMap((block) =>
    isSameModel(message, model) ? ownBlock(block) : foreignBlock(block, rules),
  )
}

/** The text of an interrupted turn. Its signatures may belong to what is left out, so they go too. */
function textOnly(content: readonly AssistantContent[]): AssistantContent[] {
  return content.flatMap((block) => (block.type === "text" ? unsigned(block.text) : []))
}

/** An empty block is kept for its signature only. */
function ownBlock(block: AssistantContent): AssistantContent[] {
  if (block.type === "text") return block.textSignature !== undefined || hasText(block.text) ? [block] : []
  if (block.type === "thinking") {
    return block.thinkingSignature !== undefined || hasText(block.thinking) ? [block] : []
  }
  return [block]
}

function foreignBlock(block: AssistantContent, rules: HistoryRules): AssistantContent[] {
  switch (block.type) {
    case "text":
      return unsigned(block.text)
    case "thinking":
      return rules.foreignThinking === "text" && !block.redacted ? unsigned(block.thinking) : []
    case "opaque":
      return []
    case "toolCall": {
      const { thoughtSignature: _, ...call } = block
      return [call]
    }
  }
}

function unsigned(text: string): TextContent[] {
  return hasText(text) ? [{ type: "text", text }] : []
}

/** Anthropic and Bedrock reject blocks of nothing but white space, and no model misses them. */
function hasText(text: string): boolean {
  return text.trim() !== ""
}

function describeImages<TMessage extends UserMessage | ToolResultMessage>(message: TMessage): TMessage {
  if (typeof message.content === "string") return message
  return { ...message, content: message.content.map(describeImage) }
}

function describeImage(block: TextContent | ImageContent): TextContent {
  return block.type === "image" ? { type: "text", text: IMAGE_OMITTED } : block
}
