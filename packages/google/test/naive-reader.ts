/**
 * Reads a recorded body the simplest way there is, to have something to compare the mapping with.
 *
 * It shares no code with it: it knows nothing of blocks, closes nothing, and adds up what it finds.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: recorded JSON has no type

export interface NaiveReading {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly name: string; readonly args: any; readonly id: string | undefined }[]
  /** Fields of parts that are neither text nor calls, in order. */
  readonly kinds: readonly string[]
  /** In the order of their parts. */
  readonly signatures: readonly string[]
  /** The first that is not a plain stop, else the last. */
  readonly finish: string | undefined
  readonly blocked: string | undefined
  /** The fields of all chunks, later ones over earlier ones. */
  readonly usage: any
  readonly id: string | undefined
}

/** @param body The body, or the beginning of one: a last line that is not JSON is passed over. */
export function readNaively(body: string): NaiveReading {
  let text = ""
  let thinking = ""
  let id: string | undefined
  let blocked: string | undefined
  let usage: any
  const calls: { name: string; args: any; id: string | undefined }[] = []
  const kinds: string[] = []
  const signatures: string[] = []
  const finishes: string[] = []
  for (const line of body.split(/\r?\n/)) {
    const chunk = jsonOf(line)
    if (!chunk) continue
    id = chunk.responseId ?? id
    blocked = chunk.promptFeedback?.blockReason ?? blocked
    if (chunk.usageMetadata) usage = { ...usage, ...chunk.usageMetadata }
    const candidate = chunk.candidates?.[0]
    if (candidate?.finishReason) finishes.push(candidate.finishReason)
    for (const part of candidate?.content?.parts ?? []) {
      if (part.thoughtSignature) signatures.push(part.thoughtSignature)
      if (part.thought) thinking += part.text
      else text += part.text ?? ""
      if (part.functionCall) readCall(part.functionCall, calls)
      kinds.push(...Object.keys(part).filter((key) => KINDS.includes(key)))
    }
  }
  const finish = finishes.find((word) => word !== "STOP" && word !== "MAX_TOKENS") ?? finishes.at(-1)
  return { text, thinking, calls, kinds, signatures, finish, blocked, usage, id }
}

const KINDS = ["executableCode", "codeExecutionResult", "inlineData", "toolCall", "toolResponse"]

/** The recorded paths have two levels of names and one index at most. */
function readCall(call: any, calls: { name: string; args: any; id: string | undefined }[]): void {
  if (call.name) calls.push({ name: call.name, args: call.args ?? {}, id: call.id })
  const args = calls.at(-1)?.args
  for (const { jsonPath, stringValue, numberValue } of call.partialArgs ?? []) {
    const [, name, index, inner] = /^\$\.(\w+)(?:\[(\d)\]\.(\w+))?$/.exec(jsonPath)!
    let holder = args
    if (index !== undefined) {
      args[name!] ??= []
      args[name!][index] ??= {}
      holder = args[name!][index]
    }
    const key = inner ?? name!
    holder[key] = numberValue ?? (holder[key] ?? "") + stringValue
  }
}

function jsonOf(line: string): any {
  try {
    return line.startsWith("data:") ? JSON.parse(line.slice(5)) : undefined
  } catch {
    return undefined
  }
}
