/**
 * Says what Gemini would refuse in a request's body, as far as its documentation and its error texts tell.
 *
 * Every rule names the text or page it is from. It shares no code with the adapter.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: any body may be passed

/** https://ai.google.dev/api/generate-content#request-body */
const FIELDS = [
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "safetySettings",
  "generationConfig",
  "cachedContent",
  "labels",
  "continuationToken",
]

/** https://ai.google.dev/api/caching#Part: "the data of a part is one of" */
const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
]

/** @returns what is wrong; empty when nothing is. */
export function problemsOf(body: any, model: string): string[] {
  const problems: string[] = []
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem)
  }
  for (const field of Object.keys(body)) check(FIELDS.includes(field), `Unknown name "${field}"`)
  check(!/\\ud[89a-f]/i.test(JSON.stringify(body)), "not valid UTF-8")
  checkContents(body.contents, model, check)
  checkTools(body, check)
  const { thinkingBudget, thinkingLevel } = body.generationConfig?.thinkingConfig ?? {}
  const hasBoth = thinkingBudget !== undefined && thinkingLevel !== undefined
  check(!hasBoth, "You can only set only one of thinking budget and thinking level")
  const { maxOutputTokens } = body.generationConfig ?? {}
  check(maxOutputTokens === undefined || maxOutputTokens > 0, "max_output_tokens must be positive")
  return problems
}

type Check = (holds: boolean, problem: string) => void

function checkContents(contents: any[], model: string, check: Check): void {
  check(contents.length > 0, "contents is not specified")
  check(contents[0]?.role !== "model", "a conversation begins with the user")
  for (const [index, { role, parts }] of contents.entries()) {
    check(role === "user" || role === "model", `Please use a valid role: user, model (${role})`)
    check(parts.length > 0, "contents.parts must not be empty")
    for (const part of parts) checkPart(part, role, check)
    const previous = contents[index - 1]
    check(role !== "model" || previous?.role !== "model", "two turns of the model in a row")
    checkCalls(parts, contents[index + 1], previous, check)
  }
  // "Function call … is missing a thought_signature": the first call of every step of the current turn.
  if (!/gemini-([3-9]|\d\d)/.test(model)) return
  const turn = contents.findLastIndex(({ role, parts }) => role === "user" && !parts[0]?.functionResponse)
  for (const { parts } of contents.slice(turn + 1)) {
    const first = parts.find((part: any) => part.functionCall)
    check(!first || Boolean(first.thoughtSignature), "missing a thought_signature")
  }
}

function checkPart(part: any, role: string, check: Check): void {
  const kinds = Object.keys(part).filter((field) => DATA.includes(field))
  check(kinds.length === 1, `required oneof field 'data' must have one initialized field: ${kinds}`)
  const isEmpty = part.text === "" && part.thoughtSignature === undefined
  check(!isEmpty, "must have a text parameter that is not empty")
  check(role === "model" || part.thoughtSignature === undefined, "a signature on what the user said")
  const name = (part.functionCall ?? part.functionResponse)?.name
  check(name === undefined || /^[A-Za-z_][\w.:-]{0,127}$/.test(name), `Invalid function name: ${name}`)
}

/**
 * "Please ensure that the number of function response parts is equal to the number of function call parts of the
 * function call turn", and "… that function response turn comes immediately after a function call turn".
 */
function checkCalls(parts: any[], next: any, previous: any, check: Check): void {
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  if (calls.length > 0) {
    const responses = (next?.parts ?? []).flatMap(({ functionResponse }: any) => functionResponse ?? [])
    check(responses.length === calls.length, `${calls.length} calls, ${responses.length} responses`)
    for (const [index, call] of calls.entries()) {
      check(responses[index]?.name === call.name, "a response to another function")
      check(responses[index]?.id === call.id, "a response with another id")
    }
  }
  const responses = parts.filter(({ functionResponse }) => functionResponse)
  if (responses.length === 0) return
  check(responses.length === parts.length, "function responses stand alone")
  check(
    Boolean(previous?.parts.some(({ functionCall }: any) => functionCall)),
    "function response turn comes immediately after a function call turn",
  )
  for (const { functionResponse } of responses) {
    check(typeof functionResponse.response === "object", "response is required")
  }
}

function checkTools({ tools, toolConfig, cachedContent, systemInstruction }: any, check: Check): void {
  const isTold = tools !== undefined || toolConfig !== undefined || systemInstruction !== undefined
  check(cachedContent === undefined || !isTold, "CachedContent can not be used with … system_instruction")
  const declarations = (tools ?? []).flatMap(({ functionDeclarations }: any) => functionDeclarations ?? [])
  check(tools === undefined || declarations.length > 0, "tools is empty")
  check(toolConfig === undefined || declarations.length > 0, "Function calling config is set without any")
  for (const { parameters, parametersJsonSchema } of declarations) {
    check(parameters === undefined || parametersJsonSchema === undefined, "parameters are told twice")
  }
}
