/**
 * Reads a recorded body the simplest way there is, to have something to compare the mapping with.
 *
 * It shares no code with it: it knows nothing of blocks, closes nothing, and adds up what it finds.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: recorded JSON of sixteen vendors has no type

export interface NaiveReading {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly finish: string | undefined
  readonly usage: any
  readonly id: string | undefined
  readonly hasError: boolean
}

/** @param body The body, or the beginning of one: a last line that is not JSON is passed over. */
export function readNaively(body: string): NaiveReading {
  let text = ""
  let thinking = ""
  let finish: string | undefined
  let usage: any
  let id: string | undefined
  let hasError = false
  const calls = new Map<unknown, { id: string; name: string; input: string }>()
  for (const line of body.split(/\r?\n/)) {
    const chunk = jsonOf(line)
    if (!chunk) continue
    hasError ||= Boolean(chunk.error)
    id = chunk.id || id
    usage = chunk.usage ?? chunk.x_groq?.usage ?? usage
    const choice = chunk.choices?.[0]
    finish = choice?.finish_reason || finish
    const delta = choice?.delta ?? {}
    thinking += delta.reasoning_content ?? delta.reasoning ?? ""
    if (typeof delta.content === "string") text += delta.content
    for (const part of Array.isArray(delta.content) ? delta.content : []) {
      if (part.type === "text") text += part.text
      for (const piece of part.thinking ?? []) thinking += piece.text
    }
    text += delta.refusal ?? ""
    for (const call of delta.tool_calls ?? []) {
      const key = call.index ?? call.id
      const known = calls.get(key) ?? { id: "", name: "", input: "" }
      known.id ||= call.id ?? ""
      known.name ||= call.function.name ?? ""
      known.input += call.function.arguments ?? ""
      calls.set(key, known)
    }
  }
  return { text, thinking, calls: [...calls.values()], finish, usage, id, hasError }
}

function jsonOf(line: string): any {
  try {
    return line.startsWith("data:") ? JSON.parse(line.slice(5)) : undefined
  } catch {
    return undefined
  }
}
