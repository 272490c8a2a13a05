/**
 * Writes a transcript as the `messages` of a request.
 *
 * The wire alternates strictly between user and assistant, begins with the user, wants the results of a
 * message's calls together at the top of the next one, and refuses empty text anywhere and thinking at the end
 * of an answer. So neighbours of one role are joined, results come first, and what is refused is left out.
 *
 * Which messages are sent, and with which ids, is decided before: see `adaptHistory` of `@heddle/provider-kit`.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolResultMessage,
} from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"
import { CONTAINER } from "./container.ts"
import { afterFallback } from "./fallback.ts"
import { isWireObject, objectsOf, parseObject, type WireObject } from "./wire.ts"

/** A content block as it goes over the wire. */
export type WireBlock = WireObject & { readonly type: string }

/** A message as it goes over the wire. */
export interface WireMessage {
  readonly role: "user" | "assistant"
  readonly content: readonly WireBlock[]
}

/** What the model reads where a tool gave nothing: a failure must not be empty. */
export const NO_OUTPUT = "(no output)"

/** Introduces pictures of a tool that failed: the result itself must be text. */
export const IMAGES_OF_TOOLS = "Images from the tool results above:"

/** Stands before a transcript that begins with the model. */
export const BEGAN_EARLIER = "(The beginning of the conversation is missing.)"

/** @param messages Have gone through `adaptHistory`. */
export function toMessages(messages: readonly Message[], compat: ResolvedCompat): WireMessage[] {
  const turns: { role: WireMessage["role"]; content: WireBlock[] }[] = []
  const add = (role: WireMessage["role"], blocks: readonly WireBlock[]): void => {
    const last = turns.at(-1)
    if (blocks.length === 0) return
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: [...blocks] })
  }
  /** Of calls that are left out; their results are, too. */
  let unsent: ReadonlySet<string> = new Set()
  for (const message of messages) {
    if (message.role === "user") add("user", toBlocks(message.content))
    else if (message.role === "assistant") {
      const { content, dropped } = afterFallback(message.content)
      unsent = dropped
      add("assistant", withoutLastThoughts(toAssistantBlocks(content, compat)))
    } else if (!unsent.has(message.toolCallId)) add("user", toResultBlocks(message))
  }
  if (turns[0]?.role === "assistant") {
    turns.unshift({ role: "user", content: [{ type: "text", text: BEGAN_EARLIER }] })
  }
  const last = turns.at(-1)
  if (last?.role === "assistant") last.content = withoutLastSpace(last.content)
  return turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }))
}

/** "Final assistant content cannot end with trailing whitespace": the model goes on from there. */
function withoutLastSpace(content: readonly WireBlock[]): WireBlock[] {
  const last = content.at(-1)
  if (typeof last?.text !== "string") return [...content]
  return [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }]
}

/** "The final block in an assistant message cannot be `thinking`": an answer that ended before it began. */
function withoutLastThoughts(blocks: readonly WireBlock[]): WireBlock[] {
  return blocks.slice(0, blocks.findLastIndex(({ type }) => !THOUGHTS.includes(type)) + 1)
}

const THOUGHTS = ["thinking", "redacted_thinking"]

/** @returns the blocks of an assistant's turn; none for what the wire has no place for. */
export function toAssistantBlocks(content: AssistantMessage["content"], compat: ResolvedCompat): WireBlock[] {
  return content.flatMap((block) => toAssistantBlock(block, compat))
}

function toAssistantBlock(block: AssistantMessage["content"][number], compat: ResolvedCompat): WireBlock[] {
  switch (block.type) {
    case "text":
      return hasText(block.text)
        ? [{ type: "text", text: block.text, ...citationsOf(block.textSignature) }]
        : []
    case "thinking":
      return toThinkingBlocks(block, compat)
    case "toolCall": {
      const { id, name, arguments: input, thoughtSignature } = block
      return [{ ...parseObject(thoughtSignature), type: "tool_use", id, name, input }]
    }
    case "opaque":
      return block.kind === CONTAINER || !isWireObject(block.data)
        ? []
        : [{ type: block.kind, ...block.data }]
  }
}

function toThinkingBlocks(
  { thinking, thinkingSignature: signature, redacted }: ThinkingContent,
  compat: ResolvedCompat,
): WireBlock[] {
  if (redacted) return signature ? [{ type: "redacted_thinking", data: signature }] : []
  if (signature) return [{ type: "thinking", thinking, signature }]
  return compat.unsignedThinking === "send" ? [{ type: "thinking", thinking, signature: "" }] : []
}

/** The vendor takes its citations back without the ids of files. */
function citationsOf(signature: string | undefined): WireObject {
  const citations = objectsOf(parseObject(signature).citations).map(({ file_id: _, ...citation }) => citation)
  return citations.length > 0 ? { citations } : {}
}

function toResultBlocks({ toolCallId, content, isError }: ToolResultMessage): WireBlock[] {
  const blocks = toBlocks(content)
  const told = isError ? blocks.filter(({ type }) => type === "text") : blocks
  const images = isError ? blocks.filter(({ type }) => type === "image") : []
  return [
    {
      type: "tool_result",
      tool_use_id: toolCallId,
      content: told.length > 0 ? told : [{ type: "text", text: NO_OUTPUT }],
      ...(isError && { is_error: true }),
    },
    ...(images.length > 0 ? [{ type: "text", text: IMAGES_OF_TOOLS }, ...images] : []),
  ]
}

function toBlocks(content: string | readonly (TextContent | ImageContent)[]): WireBlock[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content
  return blocks.flatMap((block): WireBlock[] => {
    if (block.type === "text") return hasText(block.text) ? [{ type: "text", text: block.text }] : []
    const source = { type: "base64", media_type: block.mimeType, data: block.data }
    return [{ type: "image", source }]
  })
}

function resultsFirst(content: readonly WireBlock[]): WireBlock[] {
  const isResult = ({ type }: WireBlock): boolean => type === "tool_result"
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))]
}

function hasText(text: string): boolean {
  return text.trim() !== ""
}
