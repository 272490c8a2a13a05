/**
 * Reads off the events of a stream which builder calls make them: the builder, backwards.
 *
 * Some calls make no event of their own (usage, signatures, an id that came late) and show in the snapshot of
 * the next one. So what a builder has been told so far is kept, and what a snapshot says beyond it is told
 * before the event itself.
 *
 * The events of a misbehaving stream make calls too: what a proper adapter would have said. An event that
 * says nothing makes none.
 */
import type { AssistantMessage, AssistantMessageEvent, StreamFailure } from "@heddle/types"
import type { BuilderCall } from "./builder-call.ts"

type Content = AssistantMessage["content"][number]

/** What a builder has been told of a block, besides what its deltas say. */
interface Told {
  readonly type: Content["type"]
  id?: string
  name?: string
  signature?: string
  redacted?: boolean
  /** Of an opaque block: its kind and data, as JSON. */
  opaque?: string | undefined
  /** A piece of a call's arguments has come. */
  hasInput?: boolean
}

const HEAD_FIELDS = ["responseId", "responseModel", "rawStopReason"] as const

const UNKNOWN: StreamFailure = { code: "unknown", retryable: false }

/** Reads the events of one stream, in their order. */
export class BuilderCallReader {
  readonly #head: { [Field in (typeof HEAD_FIELDS)[number]]?: string } = {}
  #usage = NO_USAGE
  readonly #blocks = new Map<number, Told>()
  #started = false

  /** @returns the calls that make this event, after all those before. */
  read(event: AssistantMessageEvent): readonly BuilderCall[] {
    if (event.type === "start") {
      this.#started = true
      return [["start"]]
    }
    const message = messageOf(event)
    // Before the first byte there is nothing to tell, and telling it would begin the message.
    if (event.type === "error" && !this.#started) return [ending(event)]
    this.#started = true
    const news = [...this.#headNews(message), ...this.#blockNews(message)]
    if (event.type === "done" || event.type === "error") return [...news, ending(event)]
    return [...news, ...this.#ofBlock(event, message?.content[event.contentIndex])]
  }

  *#headNews(message: AssistantMessage | undefined): Generator<BuilderCall> {
    for (const field of HEAD_FIELDS) {
      const value = message?.[field]
      if (value === undefined || value === this.#head[field]) continue
      this.#head[field] = value
      yield [field, value]
    }
    const usage = message?.usage
    if (usage === undefined) return
    const json = JSON.stringify(usage)
    if (json === this.#usage) return
    this.#usage = json
    const { totalTokens, ...report } = usage
    yield ["usage", report]
  }

  *#blockNews(message: AssistantMessage | undefined): Generator<BuilderCall> {
    for (const [index, told] of this.#blocks) {
      const content = message?.content[index]
      if (content?.type === told.type) yield* newsOf(index, content, told)
    }
  }

  *#ofBlock(event: BlockEvent, content: Content | undefined): Generator<BuilderCall> {
    const { contentIndex: index } = event
    switch (event.type) {
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
      case "opaque_start": {
        const told: Told = { type: TYPES[event.type] }
        this.#blocks.set(index, told)
        yield opening(index, content, told)
        return
      }
      case "text_delta":
        yield ["text", index, event.delta]
        return
      case "thinking_delta":
        yield ["thinking", index, event.delta]
        return
      case "toolcall_delta": {
        const told = this.#blocks.get(index)
        if (told) told.hasInput = true
        yield ["toolInput", index, event.delta]
        return
      }
      case "toolcall_end": {
        const { argumentsError, arguments: whole } = event.toolCall
        const hasInput = this.#blocks.get(index)?.hasInput ?? false
        this.#blocks.delete(index)
        if (argumentsError !== undefined) yield ["close", index, { argumentsError }]
        else {
          if (!hasInput && Object.keys(whole).length > 0) yield ["toolArguments", index, whole]
          yield ["close", index]
        }
        return
      }
      case "text_end":
      case "thinking_end":
      case "opaque_end":
        this.#blocks.delete(index)
        yield ["close", index]
        return
      default:
        event satisfies never
    }
  }
}

const TYPES = {
  text_start: "text",
  thinking_start: "thinking",
  toolcall_start: "toolCall",
  opaque_start: "opaque",
} as const

type BlockEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>

const NO_USAGE = JSON.stringify({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
})

/** @returns the message that an event carries, if it does. */
export function messageOf(event: AssistantMessageEvent): AssistantMessage | undefined {
  if (event.type === "done") return event.message
  return event.type === "error" ? event.error : event.partial
}

function opening(index: number, content: Content | undefined, told: Told): BuilderCall {
  switch (told.type) {
    case "text":
      return ["text", index, ""]
    case "thinking":
      if (content?.type !== "thinking" || !content.redacted) return ["thinking", index, ""]
      told.redacted = true
      told.signature = content.thinkingSignature ?? ""
      return ["redactedThinking", index, told.signature]
    case "toolCall": {
      const { id = "", name = "" } = content?.type === "toolCall" ? content : {}
      told.id = id
      told.name = name
      return ["toolCall", index, { id, name }]
    }
    case "opaque": {
      const { kind = "", data = null } = content?.type === "opaque" ? content : {}
      told.opaque = jsonOf([kind, data])
      return ["opaque", index, kind, data]
    }
  }
}

/** What the block says that a builder has not been told. */
function* newsOf(index: number, content: Content, told: Told): Generator<BuilderCall> {
  switch (content.type) {
    case "text":
      yield* signatureNews(index, content.textSignature, told)
      return
    case "thinking":
      if (content.redacted && !told.redacted) {
        told.redacted = true
        told.signature = content.thinkingSignature ?? ""
        yield ["redactedThinking", index, told.signature]
      }
      yield* signatureNews(index, content.thinkingSignature, told)
      return
    case "toolCall":
      if (content.id !== told.id || content.name !== told.name) {
        told.id = content.id
        told.name = content.name
        yield ["toolCall", index, { id: content.id, name: content.name }]
      }
      yield* signatureNews(index, content.thoughtSignature, told)
      return
    case "opaque": {
      const json = jsonOf([content.kind, content.data])
      if (json !== undefined && json === told.opaque) return
      told.opaque = json
      yield ["opaque", index, content.kind, content.data]
      return
    }
    default:
      content satisfies never
  }
}

function* signatureNews(index: number, signature: string | undefined, told: Told): Generator<BuilderCall> {
  if (signature === undefined || signature === told.signature) return
  told.signature = signature
  yield ["signature", index, signature]
}

function ending(event: Extract<AssistantMessageEvent, { type: "done" | "error" }>): BuilderCall {
  if (event.type === "done") return ["done", event.reason]
  const { errorMessage = "The stream failed without saying why", failure = UNKNOWN } = event.error
  return event.reason === "aborted" ? ["abort", errorMessage] : ["fail", failure, errorMessage]
}

/** @returns undefined for a value that has no JSON, which whoever writes the calls down has to deal with. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
