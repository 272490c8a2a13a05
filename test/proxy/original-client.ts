/**
 * A client of the proxy's original wire, as they are in use: it sends the whole model and no protocol header, looks
 * for lines that begin with `data: `, and writes into one message that it hands out again and again.
 */
import type { Context, Model } from "@heddle/types"

interface OriginalBlock {
  type: string
  text?: string
  thinking?: string
  signature?: unknown
  id?: string
  name?: string
  json?: string
}

export interface OriginalMessage {
  content: OriginalBlock[]
  stopReason?: string
  errorMessage?: string
  usage?: { totalTokens: number }
  /** Types of events that it did not know. */
  unknown: string[]
}

interface OriginalEvent {
  type: string
  contentIndex: number
  delta: string
  contentSignature?: unknown
  id: string
  toolName: string
  reason: string
  errorMessage?: string
  usage: { totalTokens: number }
}

/** @throws where such a client gives up. */
export async function askOriginally(
  proxyUrl: string,
  authToken: string,
  model: Model,
  context: Context,
  options: object = {},
): Promise<OriginalMessage> {
  const message: OriginalMessage = { content: [], unknown: [] }
  const response = await fetch(`${proxyUrl}/api/stream`, {
    method: "POST",
    headers: { Authorization: `Bearer ${authToken}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model, context, options }),
  })
  if (!response.ok) throw new Error(`Proxy error: ${((await response.json()) as { error: unknown }).error}`)
  let rest = ""
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: ")) apply(message, JSON.parse(line.slice(6)))
  }
  return message
}

function apply(message: OriginalMessage, event: OriginalEvent): void {
  const block = message.content[event.contentIndex]
  const [kind, step] = event.type.split("_")
  if (event.type === "start") return
  if (event.type === "done" || event.type === "error") {
    message.stopReason = event.reason
    message.usage = event.usage
    if (event.errorMessage !== undefined) message.errorMessage = event.errorMessage
  } else if (!["text", "thinking", "toolcall"].includes(kind ?? "")) message.unknown.push(event.type)
  else if (step === "start") {
    message.content[event.contentIndex] =
      kind === "toolcall"
        ? { type: "toolcall", id: event.id, name: event.toolName, json: "" }
        : { type: String(kind), [String(kind)]: "" }
  } else if (!block || block.type !== kind) throw new Error(`Received ${event.type} out of place`)
  else if (step === "end") block.signature = event.contentSignature
  else if (kind === "toolcall") block.json += event.delta
  else block[kind as "text" | "thinking"] += event.delta
}
