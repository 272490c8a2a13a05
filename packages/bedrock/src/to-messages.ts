/**
 * Writes a transcript as the `messages` of a request.
 *
 * The wire alternates strictly between user and assistant, begins with the user, wants the results of a
 * message's calls together at the top of the next one, and refuses blank text anywhere and thinking at the end
 * of an answer. So neighbours of one role are joined, results come first, and what is refused is left out.
 *
 * Which messages are sent, and with which ids, is decided before: see `adaptHistory` of `@heddle/provider-kit`.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
import type { ContentBlock, ImageFormat, ToolResultContentBlock } from "@aws-sdk/client-bedrock-runtime"
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolResultMessage,
} from "@heddle/types"
import { toBytes } from "./base64.ts"
import type { ResolvedCompat } from "./compat.ts"
import { toOpaqueBlock } from "./opaque-blocks.ts"

/** A message as the SDK takes it. */
export interface WireMessage {
  readonly role: "user" | "assistant"
  readonly content: ContentBlock[]
}

/** What the model reads where a tool gave nothing. */
export const NO_OUTPUT = "(no output)"

/** Introduces pictures that a tool gave, for models that take none in a result. */
export const IMAGES_OF_TOOLS = "Images from the tool results above:"

/** Stands before a transcript that begins with the model. */
export const BEGAN_EARLIER = "(The beginning of the conversation is missing.)"

/** @param messages Have gone through `adaptHistory`. */
export function toMessages(messages: readonly Message[], compat: ResolvedCompat): WireMessage[] {
  const turns: WireMessage[] = []
  const add = (role: WireMessage["role"], blocks: readonly ContentBlock[]): void => {
    const last = turns.at(-1)
    if (blocks.length === 0) return
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: [...blocks] })
  }
  for (const message of messages) {
    if (message.role === "user") add("user", toUserBlocks(message.content))
    else if (message.role === "assistant") add("assistant", toAssistantBlocks(message, compat))
    else add("user", toResultBlocks(message, compat))
  }
  if (turns[0]?.role === "assistant") turns.unshift({ role: "user", content: [{ text: BEGAN_EARLIER }] })
  const last = turns.at(-1)
  const end = last?.role === "assistant" ? last.content.at(-1) : undefined
  // Claude: "final assistant content cannot end with trailing whitespace". The model goes on from there.
  if (last && end?.text !== undefined) last.content[last.content.length - 1] = { text: end.text.trimEnd() }
  return turns.map((turn) => (turn.role === "user" ? { ...turn, content: resultsFirst(turn.content) } : turn))
}

function toUserBlocks(content: string | readonly (TextContent | ImageContent)[]): PlainBlock[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content
  return blocks.flatMap((block) => (block.type === "text" ? toText(block.text) : toImage(block)))
}

/** A block that may stand in a message and in a tool result alike. */
type PlainBlock = ContentBlock & ToolResultContentBlock

function toText(text: string): PlainBlock[] {
  return text.trim() === "" ? [] : [{ text }]
}

/** Every type of picture that Bedrock takes. `image/jpg` is a common slip. */
const FORMATS: ReadonlyMap<string, ImageFormat> = new Map<string, ImageFormat>([
  ["image/png", "png"],
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
])

/** A picture that Bedrock does not take is a note, so that it does not spoil the rest of the conversation. */
function toImage({ data, mimeType }: ImageContent): PlainBlock[] {
  const format = FORMATS.get(mimeType.toLowerCase())
  if (!format) return [{ text: `[An image was omitted: Bedrock does not take ${mimeType || "its type"}.]` }]
  const bytes = toBytes(data)
  if (!bytes) throw new Error("An image of the conversation cannot be sent: its data is not base64.")
  return [{ image: { format, source: { bytes } } }]
}

function toResultBlocks(message: ToolResultMessage, compat: ResolvedCompat): ContentBlock[] {
  const { toolCallId: toolUseId, isError } = message
  const blocks = toUserBlocks(message.content)
  const isInside = (block: PlainBlock): boolean => compat.supportsToolResultImages || !block.image
  const told = blocks.filter(isInside)
  const behind = blocks.filter((block) => !isInside(block))
  if (told.length === 0) told.push({ text: NO_OUTPUT })
  const content = isError && !compat.supportsToolResultStatus ? sayThatItFailed(told) : told
  const status = compat.supportsToolResultStatus && isError
  return [
    { toolResult: { toolUseId, content, ...(status && { status: "error" }) } },
    ...(behind.length > 0 ? [{ text: IMAGES_OF_TOOLS }, ...behind] : []),
  ]
}

function sayThatItFailed(blocks: readonly PlainBlock[]): PlainBlock[] {
  const first = blocks.findIndex(({ text }) => text !== undefined)
  if (first === -1) return [{ text: "Error" }, ...blocks]
  return blocks.map((block, index) =>
    index !== first || /^error\b/i.test(block.text ?? "") ? block : { text: `Error: ${block.text}` },
  )
}

/** An answer that ended before it began is left out: Claude takes none that ends with thinking. */
function toAssistantBlocks({ content }: AssistantMessage, compat: ResolvedCompat): ContentBlock[] {
  const blocks = content.flatMap((block) => toAssistantBlock(block, compat))
  return blocks.slice(0, blocks.findLastIndex(({ reasoningContent }) => reasoningContent === undefined) + 1)
}

function toAssistantBlock(
  block: AssistantMessage["content"][number],
  compat: ResolvedCompat,
): ContentBlock[] {
  switch (block.type) {
    case "text":
      return toText(block.text)
    case "thinking":
      return toReasoning(block, compat)
    case "toolCall": {
      const { id: toolUseId, name, arguments: input } = block
      return [{ toolUse: { toolUseId, name, input: input as Document } }]
    }
    case "opaque":
      return toOpaqueBlock(block.data)
  }
}

/** Any JSON. The SDK's type of it knows no read-only values. */
type Document = NonNullable<ContentBlock.ToolUseMember["toolUse"]["input"]>

/** A signature is valid for the text beside it, also where that is empty. */
function toReasoning(
  { thinking: text, thinkingSignature: signature, redacted }: ThinkingContent,
  compat: ResolvedCompat,
): ContentBlock[] {
  if (redacted) {
    const redactedContent = signature ? toBytes(signature) : undefined
    return redactedContent ? [{ reasoningContent: { redactedContent } }] : []
  }
  if (signature) return [{ reasoningContent: { reasoningText: { text, signature } } }]
  if (compat.unsignedThinking === "drop" || text.trim() === "") return []
  return [{ reasoningContent: { reasoningText: { text } } }]
}

function resultsFirst(content: readonly ContentBlock[]): ContentBlock[] {
  const isResult = ({ toolResult }: ContentBlock): boolean => toolResult !== undefined
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))]
}
