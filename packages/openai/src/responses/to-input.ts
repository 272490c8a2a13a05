/**
 * Writes a transcript as the `input` of a request: a list of items.
 *
 * Items go without their ids, because nothing is stored that they could be looked up in; order alone says
 * what belongs together.
 *
 * Which messages are sent, and with which call ids, is decided before: see `adaptHistory` of
 * `@heddle/provider-kit`. What of one answer goes back is `to-output-items.ts`.
 */
import {
  IMAGES_FOLLOW,
  IMAGES_OF_TOOLS,
  joinTexts,
  NO_OUTPUT,
  parseObject,
  type WireObject,
} from "@heddle/provider-kit"
import type { AssistantMessage, Context, ImageContent, TextContent, ToolResultMessage } from "@heddle/types"
import { resultText } from "../result-text.ts"
import type { ResolvedCompat } from "./compat.ts"
import { toOutputItems } from "./to-output-items.ts"

/** @returns the transcript, and the system prompt where it is an item. */
export function toInput(context: Context, compat: ResolvedCompat): WireObject[] {
  const input: WireObject[] = []
  /** What the calls of the last answer were, by id: their outputs are of the same kind. */
  let signatures = new Map<string, WireObject>()
  /** Outputs come in a row, and pictures that cannot be in them after the last. */
  let images: ImageContent[] = []
  const showImages = (): void => {
    if (images.length > 0) input.push(userItem([{ type: "text", text: IMAGES_OF_TOOLS }, ...images]))
    images = []
  }
  if (context.systemPrompt && compat.systemPrompt !== "instructions") {
    input.push({ role: compat.systemPrompt, content: context.systemPrompt })
  }
  for (const message of context.messages) {
    if (message.role !== "toolResult") showImages()
    if (message.role === "user") input.push(userItem(message.content))
    else if (message.role === "assistant") {
      input.push(...toOutputItems(message, compat))
      signatures = callSignatures(message)
    } else {
      const isSeparate = compat.toolResultImages === "user-message"
      input.push(outputItem(message, signatures.get(message.toolCallId) ?? {}, isSeparate))
      if (isSeparate) images.push(...imagesOf(message))
    }
  }
  showImages()
  return input
}

function callSignatures(message: AssistantMessage): Map<string, WireObject> {
  return new Map(
    message.content.flatMap((block): [string, WireObject][] =>
      block.type === "toolCall" ? [[block.id, parseObject(block.thoughtSignature)]] : [],
    ),
  )
}

/** Text alone goes as a string: every server takes that. An empty part is refused. */
function userItem(content: string | readonly (TextContent | ImageContent)[]): WireObject {
  if (typeof content === "string") return { role: "user", content }
  if (content.every((block) => block.type === "text")) return { role: "user", content: joinTexts(content) }
  const parts = content.flatMap((block): WireObject[] => {
    if (block.type === "image") return [imagePart(block)]
    return block.text === "" ? [] : [{ type: "input_text", text: block.text }]
  })
  return { role: "user", content: parts }
}

function outputItem(
  message: ToolResultMessage,
  { type, caller }: WireObject,
  isSeparate: boolean,
): WireObject {
  return {
    type: type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output",
    call_id: message.toolCallId,
    ...(caller !== undefined && { caller }),
    output: output(message, isSeparate),
  }
}

function output(message: ToolResultMessage, isSeparate: boolean): unknown {
  const images = imagesOf(message)
  const text = joinTexts(message.content)
  if (images.length === 0) return resultText(text, NO_OUTPUT, message.isError)
  if (isSeparate) return resultText(text, IMAGES_FOLLOW, message.isError)
  if (text.trim() === "" && !message.isError) return images.map(imagePart)
  return [
    { type: "input_text", text: resultText(text, IMAGES_FOLLOW, message.isError) },
    ...images.map(imagePart),
  ]
}

function imagesOf({ content }: ToolResultMessage): ImageContent[] {
  return content.filter((block) => block.type === "image")
}

function imagePart({ data, mimeType }: ImageContent): WireObject {
  return { type: "input_image", detail: "auto", image_url: `data:${mimeType};base64,${data}` }
}
