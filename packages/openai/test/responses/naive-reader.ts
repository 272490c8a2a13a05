/**
 * Reads a recorded body the simplest way there is, to have something to compare the mapping with.
 *
 * It shares no code with it. Of a whole body it reads what the vendor says at the end of each item; of the
 * beginning of one, it adds up the pieces.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: recorded JSON of eight vendors has no type

export interface NaiveReading {
  /** What each item is, in the order of its beginning, and what it says. */
  readonly blocks: readonly NaiveBlock[]
  readonly status: string | undefined
  readonly incompleteReason: string | undefined
  readonly usage: any
  readonly id: string | undefined
  readonly model: string | undefined
  readonly hasError: boolean
}

export interface NaiveBlock {
  readonly type: "text" | "thinking" | "toolCall" | "opaque"
  /** Text, thinking, or the arguments of a call. */
  readonly says: string
  /** The whole item, where it has arrived. */
  readonly item: any
}

/** @param body The body, or the beginning of one: a last line that is not JSON is passed over. */
export function readNaively(body: string): NaiveReading {
  const events = body.split(/\r?\n/).flatMap((line) => jsonOf(line) ?? [])
  const begun = events.filter(({ type }) => type === "response.output_item.added")
  const ended = events.filter(({ type }) => type === "response.output_item.done")
  const final = events.findLast(({ type }) =>
    ["response.completed", "response.incomplete", "response.failed"].includes(type),
  )?.response
  const created = events.find(({ type }) => type === "response.created")?.response
  const blocks = begun.flatMap(({ output_index: index, item: announced }) => {
    const item = ended.find(({ output_index }) => output_index === index)?.item
    const pieces = events.filter(({ output_index }) => output_index === index)
    return blocksOf(announced, item, pieces)
  })
  return {
    blocks,
    status: final?.status,
    incompleteReason: final?.incomplete_details?.reason,
    usage: final?.usage,
    id: final?.id ?? created?.id,
    model: final?.model ?? created?.model,
    hasError: events.some(({ type }) => type === "error"),
  }
}

function blocksOf(announced: any, item: any, pieces: readonly any[]): NaiveBlock[] {
  switch (announced.type) {
    case "message": {
      const parts = item?.content ?? pieces.filter(({ type }) => type === "response.content_part.added")
      return parts.map((part: any, index: number) => ({
        type: "text",
        says: item ? (part.text ?? part.refusal) : textOf(pieces, index),
        item,
      }))
    }
    case "reasoning": {
      const texts = (item?.summary?.length ? item.summary : item?.content) ?? []
      const whole = texts.map(({ text }: any) => text).join("\n\n")
      return [{ type: "thinking", says: item ? whole : thinkingOf(pieces), item }]
    }
    case "function_call":
      return [{ type: "toolCall", says: item?.arguments ?? deltasOf(pieces), item: item ?? announced }]
    default:
      return [{ type: "opaque", says: "", item: item ?? announced }]
  }
}

/** What was streamed, or, where it was said whole, that. */
function textOf(pieces: readonly any[], index: number): string {
  const own = pieces.filter(({ content_index }) => content_index === index)
  const whole = own.find(({ type }) => type === "response.output_text.done")?.text
  return whole ?? deltasOf(own)
}

function thinkingOf(pieces: readonly any[]): string {
  return pieces
    .map(({ type, summary_index: index, delta }) =>
      type === "response.reasoning_summary_part.added" && index > 0 ? "\n\n" : (delta ?? ""),
    )
    .join("")
}

function deltasOf(pieces: readonly any[]): string {
  const whole = pieces.find(({ type }) => type === "response.function_call_arguments.done")?.arguments
  return whole ?? pieces.map(({ delta }) => delta ?? "").join("")
}

function jsonOf(line: string): any {
  try {
    return line.startsWith("data:") ? JSON.parse(line.slice(5)) : undefined
  } catch {
    return undefined
  }
}
