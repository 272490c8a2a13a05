import type { AssistantMessage, AssistantMessageEvent } from "@heddle/types"

/** @returns the event that ends a block: what is said of it once it is whole. */
export function blockEnd(
  content: AssistantMessage["content"][number],
  contentIndex: number,
  partial: AssistantMessage,
): AssistantMessageEvent {
  switch (content.type) {
    case "text":
      return {
        type: "text_end",
        contentIndex,
        content: content.text,
        ...(content.textSignature !== undefined && { signature: content.textSignature }),
        partial,
      }
    case "thinking":
      return {
        type: "thinking_end",
        contentIndex,
        content: content.thinking,
        ...(content.thinkingSignature !== undefined && { signature: content.thinkingSignature }),
        ...(content.redacted !== undefined && { redacted: content.redacted }),
        partial,
      }
    case "toolCall":
      return { type: "toolcall_end", contentIndex, toolCall: content, partial }
    case "opaque":
      return { type: "opaque_end", contentIndex, content, partial }
  }
}
