/**
 * What the Messages API refuses, as far as its documentation and its error texts say.
 *
 * Written from these alone, and sharing nothing with the adapter, so that the two can be held against each
 * other.
 *
 * @see https://platform.claude.com/docs/en/api/messages/create
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
// biome-ignore-all lint/suspicious/noExplicitAny: a request under suspicion has no type

const FIELDS = [
  "model",
  "max_tokens",
  "system",
  "messages",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "temperature",
  "metadata",
  "container",
  "stream",
]

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
}

const USER_BLOCKS = ["text", "image", "tool_result"]
const UNMARKABLE = ["thinking", "redacted_thinking"]
const ID = /^[a-zA-Z0-9_-]{1,64}$/

/** @returns everything that the vendor would refuse; empty for a valid request. */
export function violationsOf(body: any): string[] {
  const found: string[] = []
  const check = (holds: boolean, rule: string): void => void (holds || found.push(rule))

  for (const field of Object.keys(body))
    check(FIELDS.includes(field), `${field}: extra inputs are not permitted`)
  check(Number.isInteger(body.max_tokens) && body.max_tokens > 0, "max_tokens must be a positive integer")
  check(body.stream === true, "the request must stream")
  check(!/(?<![\\])\\ud[89a-f]/i.test(JSON.stringify(body)), "the request must be valid UTF-8")
  for (const key of Object.keys(body.metadata ?? {})) check(key === "user_id", "metadata takes user_id only")
  checkSystem(body, check)
  checkTools(body, check)
  checkThinking(body, check)
  checkMarks(body, check)
  checkMessages(body.messages, check)
  return found
}

type Check = (holds: boolean, rule: string) => void

function checkSystem({ system }: any, check: Check): void {
  for (const block of system ?? []) check(hasText(block), "system: text content blocks must be non-empty")
}

function checkTools({ tools, tool_choice: choice }: any, check: Check): void {
  check(tools === undefined || tools.length > 0, "tools must not be empty")
  check(
    choice === undefined || tools !== undefined,
    "tool_choice may only be specified while providing tools",
  )
  const names = (tools ?? []).map((tool: any) => tool.name)
  check(new Set(names).size === names.length, "tool names must be unique")
  for (const tool of tools ?? []) {
    check(/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name), `the name of tool ${tool.name}`)
    if (tool.type === undefined)
      check(tool.input_schema?.type === "object", "input_schema.type must be object")
  }
  if (choice) check(["auto", "any", "none", "tool"].includes(choice.type), "tool_choice.type")
  if (choice?.type === "tool") check(names.includes(choice.name), "tool_choice.name must be a tool")
}

function checkThinking(
  { thinking, max_tokens, temperature, tool_choice, messages }: any,
  check: Check,
): void {
  const isOn = thinking?.type === "enabled" || thinking?.type === "adaptive"
  check(!isOn || temperature === undefined, "temperature may not be set while thinking")
  check(
    !isOn || !["any", "tool"].includes(tool_choice?.type),
    "thinking may not be enabled while a call is forced",
  )
  if (thinking?.type !== "enabled") return
  check(thinking.budget_tokens >= 1024, "budget_tokens must be at least 1024")
  check(thinking.budget_tokens < max_tokens, "max_tokens must be greater than budget_tokens")
  if (messages.at(-1).content[0].type !== "tool_result") return
  const first = messages.findLast((message: any) => message.role === "assistant").content[0].type
  check(/thinking$/.test(first), "expected thinking, found something else at the start of the turn")
}

function checkMarks({ system = [], tools = [], messages }: any, check: Check): void {
  const blocks = [...tools, ...system, ...messages.flatMap((message: any) => message.content)]
  const marked = blocks.filter((block: any) => block.cache_control)
  check(marked.length <= 4, "a maximum of 4 blocks with cache_control may be provided")
  check(new Set(marked.map((block: any) => block.cache_control.ttl)).size <= 1, "ttl of cache_control")
  for (const { type } of marked) check(!UNMARKABLE.includes(type), `cache_control cannot be set for ${type}`)
}

function checkMessages(messages: any[], check: Check): void {
  check(messages.length > 0, "at least one message is required")
  check(messages[0]?.role === "user", "the first message must use the user role")
  const ids = new Set<string>()
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`
    check(role !== messages[index - 1]?.role, `${at}: roles must alternate`)
    check(content.length > 0, `${at}: content must not be empty`)
    for (const block of content) checkBlock(block, role, at, check)
    const ending = content.at(-1)?.type
    check(!UNMARKABLE.includes(ending), `${at}: the final block cannot be ${ending}`)
    for (const { id } of content.filter(isUse)) {
      check(ID.test(id), `${at}: tool_use.id ${id} should match the pattern`)
      check(!ids.has(id), `${at}: tool_use ids must be unique`)
      ids.add(id)
    }
    checkPairs(messages, index, check)
    checkServerTools(content, messages.slice(0, index), at, check)
  }
}

function checkBlock(block: any, role: string, at: string, check: Check): void {
  const { type, cache_control: _, ...fields } = block
  const known = BLOCK_FIELDS[type]
  for (const field of known ? Object.keys(fields) : []) {
    check(known?.includes(field) ?? true, `${at}: ${type}.${field}: extra inputs are not permitted`)
  }
  if (role === "user") check(USER_BLOCKS.includes(type), `${at}: ${type} in a user message`)
  else check(type !== "tool_result" && type !== "image", `${at}: ${type} in an assistant message`)
  if (type === "text") check(hasText(block), `${at}: text content blocks must contain non-whitespace text`)
  for (const { file_id } of block.citations ?? [])
    check(file_id === undefined, `${at}: file_id of a citation`)
  if (type === "image") check(!String(block.source.data).startsWith("data:"), `${at}: data of an image`)
  if (type === "thinking") check(Boolean(block.signature), `${at}: thinking.signature is required`)
  if (type === "redacted_thinking") check(Boolean(block.data), `${at}: redacted_thinking.data is required`)
  if (type === "tool_use") check(/^[a-zA-Z0-9_-]{1,128}$/.test(block.name), `${at}: tool_use.name`)
  if (type === "tool_use") check(isObject(block.input), `${at}: tool_use.input should be an object`)
  if (type === "tool_result") checkResult(block, at, check)
}

function checkResult({ content, is_error }: any, at: string, check: Check): void {
  check(content.length > 0, `${at}: content of a result cannot be empty`)
  for (const block of content) {
    if (block.type === "text") check(hasText(block), `${at}: text of a result must be non-empty`)
    check(!is_error || block.type === "text", `${at}: all content must be text if is_error is true`)
  }
}

function checkPairs(messages: any[], index: number, check: Check): void {
  const { role, content } = messages[index]
  const results = content.filter((block: any) => block.type === "tool_result")
  const uses = (role === "user" && messages[index - 1]?.content.filter(isUse)) || []
  const wanted = uses.map(({ id }: any) => id).sort()
  const given = results.map((block: any) => block.tool_use_id).sort()
  if (role === "user")
    check(String(wanted) === String(given), `messages.${index}: calls ${wanted}, results ${given}`)
  const first = content.slice(0, results.length)
  check(
    first.every((block: any) => results.includes(block)),
    `messages.${index}: results must come first`,
  )
  const isLast = index === messages.length - 1
  check(!isLast || content.filter(isUse).length === 0, `messages.${index}: calls without results`)
}

/** A result may come in the assistant's next message, a use never twice. */
function checkServerTools(content: any[], before: any[], at: string, check: Check): void {
  const earlier = before.flatMap((message) => message.content)
  for (const [index, { type, tool_use_id: id }] of content.entries()) {
    if (id === undefined || type === "tool_result") continue
    const uses = [...earlier, ...content.slice(0, index)].filter((block) => /_tool_use$/.test(block.type))
    check(
      uses.some((use) => use.id === id),
      `${at}: ${type} without its use`,
    )
  }
}

function isUse(block: any): boolean {
  return block.type === "tool_use"
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function hasText({ text }: any): boolean {
  return typeof text === "string" && text.trim() !== ""
}
