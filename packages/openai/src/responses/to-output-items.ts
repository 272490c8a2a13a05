/**
 * Writes an answer back as the items it came as.
 *
 * OpenAI checks that what it reads again is what it wrote. Reasoning must be followed by what followed it, and
 * what a tool at the vendor did goes together with the reasoning that led to it: such items are sent as a set
 * or not at all. Readable reasoning without its encrypted form proves nothing and is left out, where the
 * vendor does not say otherwise.
 */

import { isWireObject, objectsOf, parseObject, textOf, type WireObject } from "@heddle/provider-kit"
import type { AssistantMessage, OpaqueContent, ThinkingContent, ToolCall } from "@heddle/types"
import type { ResolvedCompat } from "./compat.ts"

type Block = AssistantMessage["content"][number]

/** A block, and the item it is sent as; without an item it cannot be sent. */
interface Draft {
  readonly type: Block["type"]
  readonly item: WireObject | undefined
}

/** @returns the items of one answer; none where nothing is left of it. */
export function toOutputItems(message: AssistantMessage, compat: ResolvedCompat): WireObject[] {
  const drafts = message.content.flatMap((block) => toDraft(block, compat))
  let kept = withoutBrokenSet(drafts).filter(({ item }) => item)
  if (compat.reasoningNeedsFollower) kept = kept.slice(0, lastFollower(kept) + 1)
  if (compat.keepsCallsTogether)
    kept = [...kept.filter(isNotCall), ...kept.filter((each) => !isNotCall(each))]
  return kept.flatMap(({ item }) => (item ? [item] : []))
}

function toDraft(block: Block, compat: ResolvedCompat): Draft[] {
  switch (block.type) {
    case "text": {
      if (block.text.trim() === "") return []
      const { phase } = parseObject(block.textSignature)
      const item = { role: "assistant", content: block.text, ...(typeof phase === "string" && { phase }) }
      return [{ type: "text", item }]
    }
    case "thinking":
      return [{ type: "thinking", item: reasoningItem(block, compat) }]
    case "toolCall":
      return [{ type: "toolCall", item: callItem(block) }]
    case "opaque":
      return [{ type: "opaque", item: opaqueItem(block) }]
  }
}

/** Null for a field means that it is absent, and not every server lets it be said like that. */
function reasoningItem(
  { thinkingSignature }: ThinkingContent,
  compat: ResolvedCompat,
): WireObject | undefined {
  const { id: _, ...item } = parseObject(thinkingSignature)
  if (item.type !== "reasoning" || compat.reasoningReplay === "none") return undefined
  const isEncrypted = textOf(item.encrypted_content) !== ""
  const isReadable = objectsOf(item.content).length > 0
  if (!isEncrypted && !(compat.reasoningReplay === "content" && isReadable)) return undefined
  const stated = Object.entries(item).filter(([, value]) => value !== null)
  return { summary: [], ...Object.fromEntries(stated) }
}

function callItem(call: ToolCall): WireObject {
  const { type, namespace, caller } = parseObject(call.thoughtSignature)
  const named = {
    call_id: call.id,
    name: call.name,
    ...(namespace !== undefined && { namespace }),
    ...(caller !== undefined && { caller }),
  }
  return type === "custom_tool_call"
    ? { type, ...named, input: customInput(call) }
    : { type: "function_call", ...named, arguments: JSON.stringify(call.arguments) }
}

function customInput({ arguments: { input } }: ToolCall): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? "")
}

/**
 * Kinds whose ids OpenAI insists on, though nothing is looked up by them; an approval is even given by the id
 * of its request.
 *
 * @see https://developers.openai.com/api/reference/resources/responses/methods/create (input items)
 */
const KINDS_WITH_ID: ReadonlySet<string> = new Set([
  "code_interpreter_call",
  "computer_call",
  "file_search_call",
  "image_generation_call",
  "local_shell_call",
  "mcp_approval_request",
  "mcp_call",
  "mcp_list_tools",
  "program",
  "program_output",
])

function opaqueItem({ kind, data }: OpaqueContent): WireObject | undefined {
  if (!isWireObject(data)) return undefined
  const { id: _, ...item } = data
  return KINDS_WITH_ID.has(kind) ? data : item
}

/** Opaque items go with the reasoning before them: if one of these cannot be sent, none of them is. */
function withoutBrokenSet(drafts: readonly Draft[]): Draft[] {
  const isOfSet = (draft: Draft, position: number): boolean => {
    if (draft.type !== "thinking") return draft.type === "opaque"
    return drafts.slice(position).find(({ type }) => type !== "thinking")?.type === "opaque"
  }
  const isBroken = drafts.some((draft, position) => draft.item === undefined && isOfSet(draft, position))
  return isBroken ? drafts.filter((draft, position) => !isOfSet(draft, position)) : [...drafts]
}

/** @returns the position of the last item that is no reasoning; -1 where there is none. */
function lastFollower(drafts: readonly Draft[]): number {
  return drafts.findLastIndex(({ type }) => type !== "thinking")
}

function isNotCall({ type }: Draft): boolean {
  return type !== "toolCall"
}
