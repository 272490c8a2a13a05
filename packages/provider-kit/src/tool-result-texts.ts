/** What a model reads of a tool's result on wires that are poorer than a transcript. */
import type { ImageContent, TextContent } from "@heddle/types"

/** Where a tool gave nothing: several vendors refuse an empty text. */
export const NO_OUTPUT = "(no output)"

/** In the result, where pictures stand in the message behind it. */
export const IMAGES_FOLLOW = "(see the attached images)"

/** Introduces that message. */
export const IMAGES_OF_TOOLS = "Images from the tool results above:"

/** @returns the texts among the blocks, each beginning on a line of its own. */
export function joinTexts(content: readonly (TextContent | ImageContent)[]): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n")
}
