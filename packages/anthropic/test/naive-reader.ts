/**
 * Reads a recorded body the simplest way there is, to have something to compare the mapping with.
 *
 * It shares no code with it: it collects what each index holds, closes nothing, and lets later values win.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: recorded JSON has no type

export interface NaiveBlock {
  /** As it was opened. */
  readonly block: any
  text: string
  thinking: string
  json: string
  signature: string
  readonly citations: any[]
}

export interface NaiveReading {
  readonly blocks: readonly NaiveBlock[]
  readonly stop: string | undefined
  readonly usage: any
  readonly id: string | undefined
  readonly container: any
}

/** @param body The body, or the beginning of one: a last line that is not JSON is passed over. */
export function readNaively(body: string): NaiveReading {
  const blocks: NaiveBlock[] = []
  let stop: string | undefined
  let usage: any = {}
  let id: string | undefined
  let container: any
  const add = (block: any): void => {
    blocks.push({
      block,
      text: block.text ?? "",
      thinking: block.thinking ?? "",
      json: "",
      signature: block.signature ?? "",
      citations: [...(block.citations ?? [])],
    })
  }
  for (const line of body.split(/\r?\n/)) {
    const event = jsonOf(line)
    if (!event) continue
    const { message, delta = {} } = event
    const block = blocks[event.index]
    if (event.type === "message_start") {
      id = message.id
      message.content.forEach(add)
    }
    usage = { ...usage, ...message?.usage, ...event.usage }
    stop = message?.stop_reason ?? delta.stop_reason ?? stop
    container = message?.container ?? delta.container ?? container
    if (event.type === "content_block_start") add(event.content_block)
    if (!block) continue
    block.text += delta.text ?? ""
    block.thinking += delta.thinking ?? ""
    block.json += delta.partial_json ?? ""
    block.signature ||= delta.signature ?? ""
    if (delta.citation) block.citations.push(delta.citation)
    if (delta.type === "compaction_delta") block.block.content = delta.content
  }
  return { blocks, stop, usage, id, container }
}

function jsonOf(line: string): any {
  try {
    return line.startsWith("data:") ? JSON.parse(line.slice(5)) : undefined
  } catch {
    return undefined
  }
}
