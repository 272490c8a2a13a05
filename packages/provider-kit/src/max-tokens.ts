/**
 * Keeps the length asked of an answer within what the model can give.
 *
 * Several vendors refuse a request whose prompt and answer might not fit into the window together. The size
 * of the prompt is an estimate (four characters to a token), so the clamp leaves room for it to be wrong: it
 * never takes an answer below a sixteenth of the window or 1024 tokens, and it does nothing when the prompt
 * already seems too long. The vendor counts exactly and says so as a context overflow.
 */
import type { Context, ImageContent, Message, Model, TextContent } from "@heddle/types"

const CHARACTERS_PER_TOKEN = 4
/** What a picture of ordinary size costs at most vendors. */
const TOKENS_PER_IMAGE = 1200

/**
 * @param requested Tokens asked for; absent: as many as the model gives.
 * @returns a positive whole number of tokens; undefined where neither the caller nor the model names one.
 */
export function clampMaxTokens(
  model: Model,
  context: Context,
  requested: number | undefined,
): number | undefined {
  const limit = isCount(model.maxTokens) ? model.maxTokens : Infinity
  const wanted = Math.min(isCount(requested) ? requested : Infinity, limit)
  const room = roomForAnswer(model, context)
  const least = isCount(model.contextWindow) ? Math.min(wanted, 1024, Math.ceil(model.contextWindow / 16)) : 0
  const clamped = room > 0 ? Math.max(Math.min(wanted, room), least) : wanted
  return clamped < Infinity ? Math.max(1, Math.floor(clamped)) : undefined
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value < Infinity
}

/** Tokens of the window that the prompt does not take; Infinity where the window is not known. */
function roomForAnswer(model: Model, context: Context): number {
  return isCount(model.contextWindow) ? model.contextWindow - estimateTokens(context) : Infinity
}

/** What a context costs, roughly. Schemas of tools count by their JSON where they are plain objects. */
export function estimateTokens(context: Context): number {
  let characters = context.systemPrompt?.length ?? 0
  let images = 0
  for (const tool of context.tools ?? []) {
    characters += tool.name.length + tool.description.length + sizeOf(tool.parameters)
  }
  for (const message of context.messages) {
    characters += charactersOf(message)
    images += imagesOf(message)
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + images * TOKENS_PER_IMAGE
}

function charactersOf(message: Message): number {
  if (typeof message.content === "string") return message.content.length
  let characters = 0
  for (const block of message.content) {
    if (block.type === "text") characters += block.text.length
    else if (block.type === "thinking") characters += block.thinking.length
    else if (block.type === "toolCall") characters += block.name.length + sizeOf(block.arguments)
    else if (block.type === "opaque") characters += sizeOf(block.data)
  }
  return characters
}

function imagesOf(message: Message): number {
  if (typeof message.content === "string" || message.role === "assistant") return 0
  const blocks: readonly (TextContent | ImageContent)[] = message.content
  return blocks.filter((block) => block.type === "image").length
}

/** Standard Schemas hold functions and cycles; what cannot be written as JSON counts as nothing. */
function sizeOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return 0
  }
}
