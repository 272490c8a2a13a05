/**
 * The only writer of assistant messages.
 *
 * Whoever produces one (an adapter, the proxy client, the scripted provider) says what arrived under the
 * vendor's own key for the block, and the builder does the rest: it opens, numbers and closes blocks, reads
 * tool arguments as they grow, counts usage and cost, and emits the contract's events in its grammar, with
 * exactly one terminal event.
 *
 * Snapshots are immutable and share everything that did not change, so a delta costs a block, an array of
 * block references and a message head, however long the message is.
 *
 * It knows no wire and no clock but the one it is given. What a vendor's stop word means is the adapter's.
 */
import type {
  AssistantMessage,
  ModelCost,
  OpaqueContent,
  StreamFailure,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolCallArguments,
  Usage,
  UsageCost,
} from "@heddle/types"
import {
  AssistantMessageEventStream,
  abortMessage,
  emptyAssistantMessage,
  type ModelIdentity,
} from "./assistant-message-stream.ts"
import { blockEnd } from "./block-end.ts"
import { calculateCost } from "./cost.ts"
import { PartialJson } from "./partial-json.ts"

/** A vendor's own name for a content block. Unique among the blocks that are open. */
export type BlockKey = string | number

/** How a builder gets what it does not have of its own. */
export interface AssistantMessageBuilderOptions {
  /** When the message begins. Unix milliseconds, default `Date.now`. */
  readonly now?: (() => number) | undefined
  /** Makes ids for calls that the vendor gave none. Default: `call_` and 24 random hexadecimal digits. */
  readonly createToolCallId?: (() => string) | undefined
}

/**
 * What a vendor reports of usage. Present fields replace what was known, absent ones keep it.
 *
 * Counters are disjoint, as in `Usage`. A part of `cost` that is given wins over the one computed from the
 * model's prices: `{ cost: { total } }` is how a bill stated in dollars is passed on.
 */
export type UsageReport = {
  readonly [Counter in Exclude<keyof Usage, "cost" | "totalTokens">]?: number | undefined
} & { readonly cost?: { readonly [Part in keyof UsageCost]?: number | undefined } | undefined }

/** What `start` may say about a message whose identity comes over the wire. */
export interface MessageIdentity {
  readonly api?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  /** Unix milliseconds. */
  readonly timestamp?: number | undefined
}

type Content = AssistantMessage["content"][number]

/** Something that nobody has seen yet. */
type Draft<T> = { -readonly [Field in keyof T]: T[Field] }

interface Block {
  readonly index: number
  content: Content
  open: boolean
  /** The raw JSON of a call's arguments. */
  input: string
  json: PartialJson | undefined
}

const COST_PARTS = ["input", "output", "cacheRead", "cacheWrite", "total"] as const

const DELTA_START = { text: "text_start", thinking: "thinking_start", toolCall: "toolcall_start" } as const

/** Builds one assistant message and streams it. See the head of this file. */
export class AssistantMessageBuilder {
  /** The events. What a StreamFn returns. */
  readonly stream: AssistantMessageEventStream
  readonly #prices: ModelCost | undefined
  readonly #now: () => number
  readonly #createToolCallId: () => string
  readonly #blocks = new Map<BlockKey, Block>()
  /** All blocks, in content order. */
  readonly #order: Block[] = []
  readonly #callIds = new Set<string>()
  /** Everything of the message but its content. */
  #head: AssistantMessage
  #content: readonly Content[] = []
  /** The snapshot, once somebody has asked for it. */
  #message: AssistantMessage | undefined
  /** What the vendor has said in dollars. */
  #statedCost: Partial<UsageCost> | undefined
  #started = false
  #ended = false

  /** @param model Who answers; with `cost`, what it costs. */
  constructor(
    model: ModelIdentity & { readonly cost?: ModelCost },
    options: AssistantMessageBuilderOptions = {},
  ) {
    this.#prices = model.cost
    this.#now = options.now ?? Date.now
    this.#createToolCallId = options.createToolCallId ?? randomToolCallId
    this.#head = emptyAssistantMessage(model, this.#now())
    this.stream = new AssistantMessageEventStream(model, { snapshots: true })
    this.stream.onCancel(() => this.abort("The reader left the stream"))
  }

  /** The message so far: an immutable snapshot. */
  get message(): AssistantMessage {
    this.#message ??= { ...this.#head, content: this.#content }
    return this.#message
  }

  /** The start event has been made. */
  get started(): boolean {
    return this.#started
  }

  /** The terminal event has been made; every verb is ignored from now on. */
  get ended(): boolean {
    return this.#ended
  }

  /** Whether the block of this key can still grow. */
  isOpen(key: BlockKey): boolean {
    return this.#blocks.get(key)?.open ?? false
  }

  /**
   * The response has begun. Only needed where nothing else says so: every other verb but {@link fail} and
   * {@link abort} implies it.
   *
   * @param identity Replaces what the model said, for a message that was made elsewhere.
   */
  start(identity: MessageIdentity = {}): void {
    if (this.#started || this.#ended) return
    this.#started = true
    const { api, provider, model, timestamp } = this.#head
    this.#setHead({
      api: identity.api ?? api,
      provider: identity.provider ?? provider,
      model: identity.model ?? model,
      timestamp: identity.timestamp ?? timestamp,
    })
    this.stream.push({ type: "start", partial: this.message })
  }

  /** Text arrived. An empty delta opens the block and emits no delta. */
  text(key: BlockKey, delta: string): void {
    const block = this.#use(key, "text", EMPTY_TEXT)
    if (!block || delta === "") return
    const content = block.content as TextContent
    this.#grow(block, "text_delta", delta, { ...content, text: content.text + delta })
  }

  /** Thinking arrived. An empty delta opens the block and emits no delta. */
  thinking(key: BlockKey, delta: string): void {
    const block = this.#use(key, "thinking", EMPTY_THINKING)
    if (!block || delta === "") return
    const content = block.content as ThinkingContent
    this.#grow(block, "thinking_delta", delta, { ...content, thinking: content.thinking + delta })
  }

  /** The vendor's signature of an open text, thinking or tool-call block; the last one wins. */
  signature(key: BlockKey, value: string): void {
    const block = this.#blocks.get(key)
    if (this.#ended || !block?.open) return
    const { content } = block
    if (content.type === "text") this.#set(block, { ...content, textSignature: value })
    else if (content.type === "thinking") this.#set(block, { ...content, thinkingSignature: value })
    else if (content.type === "toolCall") this.#set(block, { ...content, thoughtSignature: value })
  }

  /** Thinking whose text the vendor keeps to itself: opens the block, or marks the open one. */
  redactedThinking(key: BlockKey, data: string): void {
    const redacted: ThinkingContent = { ...EMPTY_THINKING, thinkingSignature: data, redacted: true }
    const block = this.#use(key, "thinking", redacted)
    if (block && block.content !== redacted) {
      this.#set(block, { ...(block.content as ThinkingContent), thinkingSignature: data, redacted: true })
    }
  }

  /**
   * The model calls a tool: opens the block, or supplies an id or a name that came late; what came first
   * stays. An id that another call of this message has is made unique; one that never comes is made up.
   */
  toolCall(key: BlockKey, call: { readonly id?: string | null; readonly name?: string | null }): void {
    const isNew = this.#blocks.get(key)?.content.type !== "toolCall" || !this.isOpen(key)
    const id = isNew && call.id ? this.#uniqueId(call.id) : ""
    const block = this.#use(key, "toolCall", { ...EMPTY_CALL, id, name: call.name ?? "" })
    if (!block || isNew) return
    const content = block.content as ToolCall
    const late = {
      id: content.id || (call.id ? this.#uniqueId(call.id) : ""),
      name: content.name || (call.name ?? ""),
    }
    if (late.id !== content.id || late.name !== content.name) this.#set(block, { ...content, ...late })
  }

  /** A piece of the JSON of a call's arguments. Opens the call where nothing did yet. */
  toolInput(key: BlockKey, delta: string): void {
    if (this.#blocks.get(key)?.content.type === "toolCall" && !this.isOpen(key)) return
    const block = this.#use(key, "toolCall", EMPTY_CALL)
    if (!block || delta === "") return
    block.json ??= new PartialJson()
    block.json.append(delta)
    block.input += delta
    const { value } = block.json
    const content = block.content as ToolCall
    this.#grow(block, "toolcall_delta", delta, {
      ...content,
      arguments: isJsonObject(value) ? value : content.arguments,
    })
  }

  /**
   * The arguments of a call as a whole: a JSON object, or its text. After pieces, only what they lack is
   * taken, and nothing where they say something else.
   */
  toolArguments(key: BlockKey, value: unknown): void {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
    const streamed = this.#blocks.get(key)?.input ?? ""
    if (text.startsWith(streamed)) this.toolInput(key, text.slice(streamed.length))
  }

  /** A block of the vendor's own kind: opens it, or replaces what is known of it. Whole at {@link close}. */
  opaque(key: BlockKey, kind: string, data: unknown): void {
    const opened: OpaqueContent = { type: "opaque", kind, data }
    const block = this.#use(key, "opaque", opened)
    if (block && block.content !== opened) this.#set(block, opened)
  }

  /**
   * The block is complete. Ignored for keys that are unknown or closed.
   *
   * @param final What is known of a call's arguments from elsewhere: that they are broken, and how.
   */
  close(key: BlockKey, final: { readonly argumentsError?: string | undefined } = {}): void {
    const block = this.#blocks.get(key)
    if (!this.#ended && block?.open) this.#close(block, false, final.argumentsError)
  }

  /** Usage arrived; see {@link UsageReport}. Values that are no counts, or no sums of money, are ignored. */
  usage(report: UsageReport): void {
    this.start()
    if (this.#ended) return
    const known = withCounters(this.#head.usage, report)
    if (this.#prices) known.cost = calculateCost({ cost: this.#prices }, known)
    if (report.cost) this.#statedCost = { ...this.#statedCost, ...amountsIn(report.cost) }
    if (this.#statedCost) known.cost = { ...known.cost, ...this.#statedCost }
    this.#head = { ...this.#head, usage: known }
    this.#message = undefined
  }

  /** The vendor's id of the response. None, or an empty one, never overwrites. */
  responseId(id: string | null | undefined): void {
    this.start()
    if (id && id !== this.#head.responseId) this.#setHead({ responseId: id })
  }

  /** The model that answered. None, or an empty name, never overwrites. */
  responseModel(model: string | null | undefined): void {
    this.start()
    if (model && model !== this.#head.responseModel) this.#setHead({ responseModel: model })
  }

  /** The vendor's own word for why the model stopped. None, or an empty one, never overwrites. */
  rawStopReason(word: string | null | undefined): void {
    this.start()
    if (word && word !== this.#head.rawStopReason) this.#setHead({ rawStopReason: word })
  }

  /**
   * The answer is complete: closes what is open and makes the terminal event.
   *
   * `stop` with tool calls is reported as `toolUse`. With `length`, a call that is still open and whose JSON
   * is not whole was cut off, and says so in `argumentsError`.
   */
  done(reason: "stop" | "length" | "toolUse"): void {
    this.start()
    if (this.#ended) return
    this.#closeAll(reason === "length")
    const calls = reason === "stop" && this.#content.some((content) => content.type === "toolCall")
    const stopReason = calls ? "toolUse" : reason
    this.#setHead({ stopReason })
    this.#ended = true
    this.stream.push({ type: "done", reason: stopReason, message: this.message })
  }

  /** The request failed: keeps what arrived, closes what is open and makes the terminal event. */
  fail(failure: StreamFailure, message: string): void {
    this.#fail("error", failure, message)
  }

  /** The caller does not want the answer any more: like {@link fail}, as `aborted`. */
  abort(reason?: unknown): void {
    this.#fail("aborted", { code: "aborted", retryable: false }, abortMessage(reason))
  }

  #fail(stopReason: "error" | "aborted", failure: StreamFailure, errorMessage: string): void {
    if (this.#ended) return
    this.#closeAll(true)
    this.#setHead({ stopReason, errorMessage, failure })
    this.#ended = true
    this.stream.push({ type: "error", reason: stopReason, error: this.message })
  }

  /** @returns the open block of this key and type, opened where needed; none after the end. */
  #use(key: BlockKey, type: Content["type"], opened: Content): Block | undefined {
    if (this.#ended) return undefined
    const known = this.#blocks.get(key)
    if (known?.open) {
      if (known.content.type === type) return known
      this.#close(known, false)
    }
    this.start()
    const block: Block = {
      index: this.#order.length,
      content: opened,
      open: true,
      input: "",
      json: undefined,
    }
    this.#blocks.set(key, block)
    this.#order.push(block)
    this.#set(block, opened)
    const { index: contentIndex } = block
    const event = opened.type === "opaque" ? "opaque_start" : DELTA_START[opened.type]
    this.stream.push({ type: event, contentIndex, partial: this.message })
    return block
  }

  #grow(
    block: Block,
    type: "text_delta" | "thinking_delta" | "toolcall_delta",
    delta: string,
    content: Content,
  ): void {
    this.#set(block, content)
    this.stream.push({ type, contentIndex: block.index, delta, partial: this.message })
  }

  #closeAll(cut: boolean): void {
    for (const block of this.#order) if (block.open) this.#close(block, cut)
  }

  /** @param cut The end came before the vendor said that the block is complete. */
  #close(block: Block, cut: boolean, argumentsError?: string): void {
    block.open = false
    if (block.content.type === "toolCall") {
      this.#set(block, this.#finishCall(block, block.content, cut, argumentsError))
    }
    this.stream.push(blockEnd(block.content, block.index, this.message))
  }

  #finishCall(block: Block, call: ToolCall, cut: boolean, argumentsError: string | undefined): ToolCall {
    const named = call.id === "" ? { ...call, id: this.#uniqueId(this.#createToolCallId()) } : call
    const finished = finishArguments(block, cut)
    const error = argumentsError ?? finished.error
    return {
      ...named,
      arguments: finished.value ?? call.arguments,
      ...(error !== undefined && { argumentsError: error }),
    }
  }

  #uniqueId(id: string): string {
    let unique = id
    for (let count = 2; this.#callIds.has(unique); count++) unique = `${id}_${count}`
    this.#callIds.add(unique)
    return unique
  }

  #set(block: Block, content: Content): void {
    block.content = content
    const all = this.#content.slice()
    all[block.index] = content
    this.#content = all
    this.#message = undefined
  }

  #setHead(fields: Partial<AssistantMessage>): void {
    if (this.#ended) return
    this.#head = { ...this.#head, ...fields }
    this.#message = undefined
  }
}

const EMPTY_TEXT: TextContent = { type: "text", text: "" }
const EMPTY_THINKING: ThinkingContent = { type: "thinking", thinking: "" }
const EMPTY_CALL: ToolCall = { type: "toolCall", id: "", name: "", arguments: {} }

/**
 * No input at all means no arguments, unless it was cut off; so does `null`, which some vendors send. Anything
 * else has to be a JSON object.
 */
function finishArguments(block: Block, cut: boolean): { value?: ToolCallArguments; error?: string } {
  const input = block.input.trim()
  if (input === "null") return { value: {} }
  if (input === "") {
    return cut ? { error: "The arguments were cut off before they began" } : { value: {} }
  }
  const finished = block.json?.finish()
  if (!finished) return { value: {} }
  // The last delta may have shown an earlier snapshot of a wide value; after finish, `value` is all there is.
  if ("error" in finished) {
    const read = block.json?.value
    return { error: finished.error, ...(isJsonObject(read) && { value: read }) }
  }
  return isJsonObject(finished.value)
    ? { value: finished.value }
    : { error: "The arguments are not a JSON object" }
}

/** Named one by one, because some vendors report usage with every delta. */
function withCounters(usage: Usage, report: UsageReport): Draft<Usage> {
  const known: Draft<Usage> = { ...usage }
  if (isAmount(report.input)) known.input = report.input
  if (isAmount(report.output)) known.output = report.output
  if (isAmount(report.cacheRead)) known.cacheRead = report.cacheRead
  if (isAmount(report.cacheWrite)) known.cacheWrite = report.cacheWrite
  if (isAmount(report.reasoning)) known.reasoning = report.reasoning
  if (isAmount(report.cacheWriteLong)) known.cacheWriteLong = report.cacheWriteLong
  known.totalTokens = known.input + known.output + known.cacheRead + known.cacheWrite
  return known
}

/** @returns what of a bill is a sum of money. */
function amountsIn(bill: NonNullable<UsageReport["cost"]>): Partial<UsageCost> {
  const amounts: Partial<Draft<UsageCost>> = {}
  for (const part of COST_PARTS) {
    const dollars = bill[part]
    if (isAmount(dollars)) amounts[part] = dollars
  }
  return amounts
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity
}

function isJsonObject(value: unknown): value is ToolCallArguments {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function randomToolCallId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
