import type { UsageReport } from "@heddle/stream"
import type { Context, Message } from "@heddle/types"
import { CHARACTERS_PER_TOKEN } from "./pace.ts"
import type { ReplyPart } from "./script.ts"

/** What a picture counts for, in tokens, whatever its size. */
const TOKENS_PER_IMAGE = 1000

/** What a vendor reports of one reply: the prompt when it begins, the answer when it is complete. */
export interface UsageReports {
  readonly first: UsageReport
  readonly last: UsageReport
}

/**
 * Usage as it will be reported: the reply's own `usage()` parts, else what was stated, else an estimate.
 *
 * The estimate counts four characters as a token. It is the same for the same request and reply, and it is
 * not what any vendor would count.
 */
export function usageReports(
  reply: readonly ReplyPart[],
  context: Context,
  stated: UsageReport | undefined,
): UsageReports {
  if (reply.some((part) => part.type === "usage")) return { first: {}, last: {} }
  if (stated) {
    const { output, reasoning, cost, ...prompt } = stated
    return { first: prompt, last: stated }
  }
  const thinking = reply.reduce((sum, part) => sum + (part.type === "think" ? part.text.length : 0), 0)
  const rest = reply.reduce((sum, part) => sum + lengthOfPart(part), 0)
  return {
    first: { input: promptTokens(context) },
    last: {
      output: toTokens(thinking + rest),
      ...(thinking > 0 && { reasoning: toTokens(thinking) }),
    },
  }
}

function lengthOfPart(part: ReplyPart): number {
  if (part.type === "say") return part.text.length
  if (part.type === "callTool") return part.name.length + part.json.length
  return 0
}

function promptTokens({ systemPrompt, messages, tools }: Context): number {
  let characters = systemPrompt?.length ?? 0
  let images = 0
  for (const content of messages.flatMap(contentOf)) {
    if (content.type === "text") characters += content.text.length
    else if (content.type === "thinking") characters += content.thinking.length
    else if (content.type === "toolCall") characters += content.name.length + jsonLength(content.arguments)
    else if (content.type === "image") images++
  }
  for (const tool of tools ?? []) {
    characters += tool.name.length + tool.description.length + jsonLength(tool.parameters)
  }
  return toTokens(characters) + images * TOKENS_PER_IMAGE
}

function contentOf(message: Message): readonly Exclude<Message["content"], string>[number][] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content
}

/** Schemas that are more than their JSON may have none: they count for nothing. */
function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return 0
  }
}

function toTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}
