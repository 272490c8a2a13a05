/**
 * Says what OpenAI's API would refuse in the body of a request, as far as it documents or has been seen to.
 *
 * - Every input item has a known shape. Only items that cannot do without have an id, and none is null there.
 * - Every function or custom call is answered once, behind it and before the next user message, by an output of
 *   its kind; no output stands without a call; `call_id`s are unique and have 1 to 64 characters.
 * - The arguments of a call are a JSON object.
 * - Reasoning is encrypted, has a list of summaries, and what follows it is of the same answer and no reasoning.
 * - No text is empty, and no message.
 *
 * @see https://developers.openai.com/api/reference/resources/responses/methods/create
 */
// biome-ignore-all lint/suspicious/noExplicitAny: it judges JSON

const CALLS: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
}

const WITH_ID = /^(mcp_|code_interpreter|file_search|image_generation|local_shell|computer|program)/

/** @returns one complaint per offence; none for a body that would be taken. */
export function complaints(body: any): string[] {
  const found: string[] = []
  const complain = (position: number, what: string): void => void found.push(`input[${position}] ${what}`)
  if (body.store !== false) found.push("store is not false")
  const ids = new Set<string>()
  /** Calls without an output so far: call_id to the type of the output. */
  const open = new Map<string, string>()
  const input: readonly any[] = body.input
  for (const [position, item] of input.entries()) {
    if ("id" in item && !WITH_ID.test(item.type)) complain(position, "has an id")
    if (item.role !== undefined) {
      if (open.size > 0 && item.role !== "assistant")
        complain(position, "stands before all calls are answered")
      if (!isContent(item)) complain(position, "has no content")
    } else if (item.type in CALLS) {
      if (typeof item.call_id !== "string" || !/^.{1,64}$/su.test(item.call_id))
        complain(position, "has no id")
      if (ids.has(item.call_id)) complain(position, "has an id that another call has")
      if (!isInput(item)) complain(position, "has no input")
      if (!item.name) complain(position, "has no name")
      ids.add(item.call_id)
      open.set(item.call_id, CALLS[item.type]!)
    } else if (/^(function|custom_tool)_call_output$/.test(item.type)) {
      if (open.get(item.call_id) !== item.type) complain(position, "answers no call")
      if (!isOutput(item.output)) complain(position, "has no output")
      open.delete(item.call_id)
    } else if (item.type === "reasoning") {
      if (!item.encrypted_content || !Array.isArray(item.summary)) complain(position, "is not encrypted")
      if (Object.values(item).includes(null)) complain(position, "has a field that is null")
      const next = input.slice(position).find(({ type }) => type !== "reasoning")
      if (!next || next.role === "user" || /_output$/.test(next.type ?? ""))
        complain(position, "is not followed")
    } else if (typeof item.type !== "string") complain(position, "is of no type")
  }
  if (open.size > 0) found.push(`${open.size} calls are not answered`)
  return found
}

function isContent({ role, content }: any): boolean {
  if (role === "assistant" || typeof content === "string") return isText(content)
  return content.length > 0 && content.every(isPart)
}

function isOutput(output: any): boolean {
  return typeof output === "string" ? isText(output) : output.length > 0 && output.every(isPart)
}

function isPart(part: any): boolean {
  if (part.type === "input_text") return isText(part.text)
  return part.type === "input_image" && /^data:image\/\w+;base64,.+/.test(part.image_url)
}

function isText(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "" && text.isWellFormed()
}

function isInput(item: any): boolean {
  if (item.type === "custom_tool_call") return typeof item.input === "string"
  try {
    const parsed = JSON.parse(item.arguments)
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}
