/**
 * Writes a transcript as the `messages` of a chat completion.
 *
 * The wire is poorer than the transcript: an assistant message is one text and a list of calls, tool messages
 * hold text only, and nothing says that a tool failed. So text blocks are joined, pictures of a tool follow in
 * a user message behind the results, and a failure says so in words.
 *
 * Which messages are sent, and with which ids, is decided before: see `adaptHistory` of `@heddle/provider-kit`.
 */
import { IMAGES_FOLLOW, IMAGES_OF_TOOLS, joinTexts, NO_OUTPUT } from "@heddle/provider-kit"
import type {
  AssistantMessage,
  Context,
  ImageContent,
  Model,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
} from "@heddle/types"
import { resultText } from "../result-text.ts"
import type { ReasoningReplay, ResolvedCompat } from "./compat.ts"
import { mergeDetails } from "./reasoning-details.ts"
import { CUSTOM } from "./tool-calls.ts"

/** A message as it goes over the wire. */
export type WireMessage = { readonly role: string; readonly content: unknown } & Readonly<
  Record<string, unknown>
>

/** Stands between tool results and a user message, for models whose template wants an answer there. */
export const RESULTS_READ = "I have read the tool results."

/** @returns the system prompt and the transcript, in the wire's form. */
export function toMessages(model: Model, context: Context, compat: ResolvedCompat): WireMessage[] {
  const messages: WireMessage[] = []
  /** Results come in a row, and their pictures after the last of them. */
  let images: ImageContent[] = []
  const showImages = (): void => {
    if (images.length === 0) return
    messages.push(...userMessage([{ type: "text", text: IMAGES_OF_TOOLS }, ...images], messages, compat))
    images = []
  }
  if (context.systemPrompt) {
    const isDeveloper = compat.supportsDeveloperRole && model.reasoning
    messages.push({ role: isDeveloper ? "developer" : "system", content: context.systemPrompt })
  }
  for (const message of context.messages) {
    if (message.role !== "toolResult") showImages()
    if (message.role === "user") messages.push(...userMessage(message.content, messages, compat))
    else if (message.role === "assistant") messages.push(...assistantMessage(message, model, compat))
    else {
      messages.push(toolMessage(message, compat))
      images.push(...message.content.filter((block) => block.type === "image"))
    }
  }
  showImages()
  return messages
}

/** @param before The messages that this one follows. */
function userMessage(
  content: string | readonly (TextContent | ImageContent)[],
  before: readonly WireMessage[],
  compat: ResolvedCompat,
): WireMessage[] {
  const message = { role: "user", content: userContent(content) }
  const isAfterResult = compat.requiresAssistantAfterToolResult && before.at(-1)?.role === "tool"
  return isAfterResult ? [{ role: "assistant", content: RESULTS_READ }, message] : [message]
}

/** Text alone goes as a string: not every server takes parts. */
function userContent(content: string | readonly (TextContent | ImageContent)[]): unknown {
  if (typeof content === "string") return content
  if (content.every((block) => block.type === "text")) return joinTexts(content)
  return content.map((block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } },
  )
}

function toolMessage(message: ToolResultMessage, compat: ResolvedCompat): WireMessage {
  const hasImages = message.content.some((block) => block.type === "image")
  return {
    role: "tool",
    tool_call_id: message.toolCallId,
    ...(compat.requiresToolResultName && { name: message.toolName }),
    content: resultText(joinTexts(message.content), hasImages ? IMAGES_FOLLOW : NO_OUTPUT, message.isError),
  }
}

/** A message of which nothing is left on this wire is left out: vendors refuse an empty one. */
function assistantMessage(message: AssistantMessage, model: Model, compat: ResolvedCompat): WireMessage[] {
  const text = message.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("")
  const calls = message.content.filter((block) => block.type === "toolCall")
  if (text === "" && calls.length === 0) return []
  const wire = {
    role: "assistant",
    content: text === "" ? compat.contentOfToolCalls : text,
    ...REPLAYS[compat.reasoningReplay](message, text),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  }
  return [withPlaceholder(wire, model, compat)]
}

function toolCall(call: ToolCall): unknown {
  const { input } = call.arguments
  if (call.thoughtSignature === CUSTOM && typeof input === "string")
    return { id: call.id, type: "custom", custom: { name: call.name, input } }
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }
}

/** What a message tells of its own thinking: fields that are added to it, or replace its content. */
const REPLAYS: Readonly<
  Record<ReasoningReplay, (message: AssistantMessage, text: string) => Readonly<Record<string, unknown>>>
> = {
  none: () => ({}),
  reasoning_content: (message) => asField("reasoning_content", message),
  reasoning: (message) => asField("reasoning", message),
  reasoning_details: (message) => {
    const details = mergeDetails(thinkingOf(message).map(({ thinkingSignature }) => thinkingSignature ?? ""))
    return details.length > 0 ? { reasoning_details: details } : asField("reasoning", message)
  },
  "content-parts": (message) => (thoughts(message) === "" ? {} : { content: contentParts(message) }),
  "think-tags": (message, text) =>
    thoughts(message) === "" ? {} : { content: `<think>\n${thoughts(message)}\n</think>\n\n${text}` },
}

function asField(name: string, message: AssistantMessage): Readonly<Record<string, unknown>> {
  return thoughts(message) === "" ? {} : { [name]: thoughts(message) }
}

function thoughts(message: AssistantMessage): string {
  return thinkingOf(message)
    .map(({ thinking }) => thinking)
    .join("")
}

function thinkingOf(message: AssistantMessage): ThinkingContent[] {
  return message.content.filter((block) => block.type === "thinking")
}

/** Thinking and text in their order, as Mistral wrote them. */
function contentParts(message: AssistantMessage): unknown[] {
  return message.content.flatMap((block): unknown[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }]
    if (block.type !== "thinking" || block.thinking === "") return []
    return [{ type: "thinking", thinking: [{ type: "text", text: block.thinking }], closed: true }]
  })
}

/** Another model's turn has no thinking that could be sent, but the vendor insists. */
function withPlaceholder(message: WireMessage, model: Model, compat: ResolvedCompat): WireMessage {
  const { reasoningReplay: field, reasoningPlaceholder: placeholder } = compat
  if (placeholder === null || !model.reasoning || field in message) return message
  return { ...message, [field]: placeholder }
}
