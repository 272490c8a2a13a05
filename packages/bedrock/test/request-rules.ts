/**
 * What Bedrock refuses, as far as its documentation and its error texts say.
 *
 * Written from these alone, and sharing nothing with the adapter, so that the two can be held against each other.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html
 */
// biome-ignore-all lint/suspicious/noExplicitAny: a request under suspicion has no type

const FIELDS = [
  "modelId",
  "messages",
  "system",
  "toolConfig",
  "inferenceConfig",
  "additionalModelRequestFields",
  "requestMetadata",
  "guardrailConfig",
]
const USER_BLOCKS = ["text", "image", "toolResult", "cachePoint"]
const ASSISTANT_BLOCKS = ["text", "toolUse", "reasoningContent", "toolResult", "image"]
const ID = /^[a-zA-Z0-9_-]{1,64}$/
const METADATA = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/

type Check = (holds: boolean, rule: string) => void

/** @returns everything that the service would refuse; empty for a valid request. */
export function violationsOf(body: any): string[] {
  const found: string[] = []
  const check: Check = (holds, rule) => void (holds || found.push(rule))
  for (const field of Object.keys(body)) check(FIELDS.includes(field), `${field}: extraneous key`)
  check(!/(?<!\\)\\ud[89a-f]/i.test(JSON.stringify(body)), "the request must be valid UTF-8")
  for (const { text } of body.system ?? [])
    check(text === undefined || hasText(text), "system: text is blank")
  checkInference(body, check)
  checkTools(body, check)
  checkCachePoints(body, check)
  checkMetadata(body, check)
  checkMessages(body.messages, check)
  checkThinking(body, check)
  return found
}

function checkInference({ inferenceConfig }: any, check: Check): void {
  if (inferenceConfig === undefined) return
  const { maxTokens = 1, temperature = 1 } = inferenceConfig
  check(Object.keys(inferenceConfig).length > 0, "inferenceConfig is empty")
  check(Number.isInteger(maxTokens) && maxTokens >= 1, "inferenceConfig.maxTokens")
  check(temperature >= 0 && temperature <= 1, "inferenceConfig.temperature")
}

function checkTools({ toolConfig, messages }: any, check: Check): void {
  const blocks = messages.flatMap((message: any) => message.content)
  const hasToolBlocks = blocks.some(({ toolUse, toolResult }: any) => toolUse || toolResult)
  check(
    !hasToolBlocks || toolConfig !== undefined,
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  )
  if (toolConfig === undefined) return
  const specs = toolConfig.tools.flatMap(({ toolSpec }: any) => toolSpec ?? [])
  check(specs.length > 0, "toolConfig.tools must hold a tool")
  const names = specs.map(({ name }: any) => name)
  check(new Set(names).size === names.length, "tool names must be unique")
  for (const { name, description, inputSchema } of specs) {
    check(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `the name of tool ${name}`)
    check(description === undefined || description.length > 0, "toolSpec.description: minimum length 1")
    check(inputSchema.json.type === "object", "inputSchema.json.type must be object")
  }
  const choice = toolConfig.toolChoice
  if (choice === undefined) return
  check(Object.keys(choice).length === 1, "toolChoice is a union")
  if (choice.tool) check(names.includes(choice.tool.name), "toolChoice.tool.name must be a tool")
}

function checkCachePoints({ system = [], toolConfig, messages }: any, check: Check): void {
  const lists = [system, toolConfig?.tools ?? [], ...messages.map((message: any) => message.content)]
  const points = lists.flat().flatMap(({ cachePoint }: any) => cachePoint ?? [])
  check(points.length <= 4, "at most 4 cache points")
  check(
    new Set(points.map(({ ttl }: any) => ttl)).size <= 1,
    "a longer ttl must not come after a shorter one",
  )
  for (const list of lists) check(!list[0]?.cachePoint, "a cache point needs something before it")
}

function checkMetadata({ requestMetadata }: any, check: Check): void {
  const entries: [string, unknown][] = Object.entries(requestMetadata ?? { a: "" })
  check(entries.length >= 1 && entries.length <= 16, "requestMetadata: 1 to 16 entries")
  for (const [key, value] of entries) {
    check(key !== "" && METADATA.test(key), `requestMetadata key ${key}`)
    check(typeof value === "string" && METADATA.test(value), `requestMetadata value ${value}`)
  }
}

function checkMessages(messages: any[], check: Check): void {
  check(messages.length > 0, "at least one message is required")
  check(messages[0]?.role === "user", "A conversation must start with a user message.")
  const seen = new Set<string>()
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`
    check(role !== messages[index - 1]?.role, `${at}: roles must alternate`)
    check(content.length > 0, `${at}: content must not be empty`)
    for (const block of content) checkBlock(block, role, at, check)
    if (role !== "assistant") continue
    check(!content.at(-1)?.reasoningContent, `${at}: the final block cannot be thinking`)
    const uses = content.flatMap(({ toolUse }: any) => (toolUse && !toolUse.type ? toolUse.toolUseId : []))
    for (const id of uses) {
      check(ID.test(id), `${at}: toolUseId ${id}`)
      check(!seen.has(id), `${at}: toolUseId ${id} is not unique`)
      seen.add(id)
    }
    const next = messages[index + 1]?.content ?? []
    const results = next.flatMap(({ toolResult }: any) => toolResult?.toolUseId ?? [])
    check(
      index === messages.length - 1 || results.join() === uses.join(),
      `${at}: toolResult blocks must match the toolUse blocks of the previous turn`,
    )
    check(
      next.slice(0, results.length).every(({ toolResult }: any) => toolResult),
      `${at}: tool results must come first`,
    )
  }
}

function checkBlock(block: any, role: string, at: string, check: Check): void {
  const members = Object.keys(block)
  const allowed = role === "user" ? USER_BLOCKS : ASSISTANT_BLOCKS
  check(
    members.length === 1 && allowed.includes(members[0]!),
    `${at}: ${members} in a message of the ${role}`,
  )
  const { text, image, toolResult, toolUse, reasoningContent } = block
  check(text === undefined || hasText(text), `${at}: The text field in the ContentBlock object is blank.`)
  if (image) {
    check(["png", "jpeg", "gif", "webp"].includes(image.format), `${at}: image.format`)
    check(image.source.bytes instanceof Uint8Array, `${at}: image.source.bytes`)
  }
  if (toolUse) check(typeof toolUse.input === "object" && toolUse.input !== null, `${at}: toolUse.input`)
  if (toolUse) check(toolUse.name !== "", `${at}: toolUse.name`)
  if (toolResult && role === "user") {
    check(toolResult.content.length > 0, `${at}: toolResult.content`)
    for (const inner of toolResult.content) {
      check(inner.text === undefined || hasText(inner.text), `${at}: text in toolResult is blank`)
    }
  }
  if (!reasoningContent) return
  const { reasoningText, redactedContent } = reasoningContent
  check(
    (reasoningText === undefined) !== (redactedContent === undefined),
    `${at}: reasoningContent is a union`,
  )
  if (reasoningText) {
    check(typeof reasoningText.text === "string", `${at}: reasoningText.text must not be null`)
    check(Boolean(reasoningText.signature), `${at}: thinking.signature: Field required`)
  } else check(redactedContent.length > 0, `${at}: redactedContent`)
}

/** For Claude. */
function checkThinking(
  { additionalModelRequestFields, inferenceConfig, toolConfig, messages }: any,
  check: Check,
): void {
  const thinking = additionalModelRequestFields?.thinking
  if (!thinking || thinking.type === "disabled") return
  check(inferenceConfig?.temperature === undefined, "temperature may not be set while thinking")
  const { any, tool } = toolConfig?.toolChoice ?? {}
  check(!any && !tool, "Thinking may not be enabled when tool_choice forces tool use.")
  if (thinking.type !== "enabled") return
  check(thinking.budget_tokens >= 1024, "budget_tokens must be at least 1024")
  check(thinking.budget_tokens < inferenceConfig?.maxTokens, "max_tokens must be greater than budget_tokens")
  if (!messages.at(-1).content[0].toolResult) return
  const asked = messages.findLastIndex(({ role, content }: any) => role === "user" && !content[0].toolResult)
  const [first] = messages[asked + 1].content
  check(first.reasoningContent !== undefined, "Expected `thinking`, but found `tool_use`.")
}

function hasText(text: string): boolean {
  return text.trim() !== ""
}
