/**
 * Keeps content blocks that are neither text, thinking nor a call of the client's tools: tools that the service
 * runs itself, their results, pictures that the model made.
 *
 * They become opaque blocks whose data is a content block of Converse, as the wire has it, whole when it stops;
 * and they go back in that form.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlockStart.html
 */
import type { ContentBlock } from "@aws-sdk/client-bedrock-runtime"
import { type AssistantMessageBuilder, parseStreamingJson } from "@heddle/stream"
import { joinBase64, toBase64, toBytes } from "./base64.ts"
import { isWireObject, objectOf, objectsOf, textOf, type WireObject } from "./wire.ts"

interface OpaqueBlock {
  readonly kind: string
  /** The member of the block's union: what the start event calls it. */
  readonly member: "toolUse" | "toolResult" | "image"
  data: WireObject
  /** The JSON of a tool's input so far. */
  input: string
}

/** What the service runs itself says so in its `type`; without one a call is the client's. */
const SERVER_TOOL_USE = "server_tool_use"

export class OpaqueBlocks {
  readonly #message: AssistantMessageBuilder
  readonly #blocks = new Map<number, OpaqueBlock>()

  constructor(message: AssistantMessageBuilder) {
    this.#message = message
  }

  /** @returns whether the block is of this kind. */
  start(index: number, start: WireObject): boolean {
    const { toolUse, toolResult, image } = start
    if (isWireObject(toolUse) && toolUse.type === SERVER_TOOL_USE) {
      this.#open(index, { kind: SERVER_TOOL_USE, member: "toolUse", data: toolUse, input: "" })
    } else if (isWireObject(toolResult)) {
      const kind = textOf(toolResult.type) || "tool_result"
      this.#open(index, {
        kind,
        member: "toolResult",
        data: { ...toolResult, content: objectsOf(toolResult.content) },
        input: "",
      })
    } else if (isWireObject(image)) {
      this.#open(index, { kind: "image", member: "image", data: image, input: "" })
    } else return false
    return true
  }

  /** @returns whether the delta is of such a block. */
  delta(index: number, delta: WireObject): boolean {
    const block = this.#blocks.get(index)
    if (!block) return false
    if (block.member === "toolUse") block.input += textOf(objectOf(delta.toolUse).input)
    else if (block.member === "toolResult") {
      const content = addResults(objectsOf(block.data.content), objectsOf(delta.toolResult))
      block.data = { ...block.data, content }
    } else {
      const bytes = joinBase64(bytesOf(block.data.source), bytesOf(objectOf(delta.image).source))
      block.data = { ...block.data, source: { bytes } }
    }
    return true
  }

  /** @returns whether such a block was open. */
  stop(index: number): boolean {
    const block = this.#blocks.get(index)
    if (!block) return false
    this.#blocks.delete(index)
    if (block.member === "toolUse") {
      block.data = { ...block.data, input: objectOf(parseStreamingJson(block.input)) }
    }
    this.#show(index, block)
    this.#message.close(index)
    return true
  }

  #open(index: number, block: OpaqueBlock): void {
    this.#blocks.set(index, block)
    this.#show(index, block)
  }

  #show(index: number, { kind, member, data }: OpaqueBlock): void {
    this.#message.opaque(index, kind, { [member]: data })
  }
}

/** Text comes in pieces, JSON as a whole. */
function addResults(content: readonly WireObject[], pieces: readonly WireObject[]): WireObject[] {
  const all = [...content]
  for (const piece of pieces) {
    const last = all.at(-1)
    if (typeof piece.text === "string" && typeof last?.text === "string") {
      all[all.length - 1] = { text: last.text + piece.text }
    } else all.push(piece)
  }
  return all
}

/** The wire has base64, the SDK's own reader bytes. */
export function base64Of(value: unknown): string {
  return value instanceof Uint8Array ? toBase64(value) : textOf(value)
}

function bytesOf(source: unknown): string {
  return base64Of(objectOf(source).bytes)
}

/** @returns what the SDK takes for an opaque block; nothing where it cannot be one of ours. */
export function toOpaqueBlock(data: unknown): ContentBlock[] {
  const { toolUse, toolResult, image } = objectOf(data)
  if (isWireObject(toolUse)) return [{ toolUse } as unknown as ContentBlock]
  if (isWireObject(toolResult)) return [{ toolResult } as unknown as ContentBlock]
  const bytes = isWireObject(image) ? toBytes(bytesOf(image.source)) : undefined
  if (!bytes || bytes.length === 0) return []
  return [{ image: { ...(image as object), source: { bytes } } } as unknown as ContentBlock]
}
