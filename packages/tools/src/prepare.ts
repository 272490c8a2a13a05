/**
 * The stages before a tool runs: find it, mend and validate its arguments, ask `beforeToolCall`.
 *
 * A call that fails here has its outcome at once; neither its tool nor `afterToolCall` ever hears of it.
 */
import type { AgentTool, AgentToolCall } from "@heddle/types"
import { type AbortGrace, LEFT_BEHIND } from "./abort-grace.ts"
import type { CallScope, PreparedCall } from "./call-scope.ts"
import { copyData, isObject, isPromiseLike } from "./plain-data.ts"
import { aborted, failure, messageOf, type Outcome } from "./result.ts"
import { validateToolArguments } from "./validate.ts"

/** Never rejects. */
export async function prepareCall(
  toolCall: AgentToolCall,
  scope: CallScope,
): Promise<PreparedCall | Outcome> {
  const { tools, assistantMessage, context, hooks, signal, grace } = scope
  const { name } = toolCall
  if (grace.aborted) return aborted()
  if (isCutOff(toolCall, scope))
    return failure(
      `Tool call ${name} was not executed: its arguments were cut off. Issue the call again with complete arguments.`,
    )
  const tool = tools.find((each) => each.name === name)
  if (!tool) return failure(notFound(name, scope))
  try {
    const read = readArguments(tool, toolCall.arguments, grace)
    let args = isPromiseLike(read) ? await read : read
    if (grace.aborted) return aborted()
    const asked: unknown = hooks.beforeToolCall?.({ assistantMessage, toolCall, args, context }, signal)
    const decision = isPromiseLike(asked) ? await grace.wait(asked) : asked
    if (isObject(decision)) {
      if (decision.block) return blocked(decision)
      if (decision.args !== undefined && !grace.aborted)
        args = await readArguments(tool, decision.args, grace)
    }
    return grace.aborted ? aborted() : { tool, args }
  } catch (error) {
    return failure(messageOf(error))
  }
}

/** A message that did not end as the model meant it to may have lost part of a call without a trace. */
function isCutOff(toolCall: AgentToolCall, { assistantMessage: { stopReason } }: CallScope): boolean {
  return toolCall.argumentsError !== undefined || /^(length|error|aborted)$/.test(stopReason)
}

function notFound(name: string, { tools, shownToolNames }: CallScope): string {
  const names = shownToolNames ?? tools.filter((tool) => !tool.deferred).map((tool) => tool.name)
  const shown = names.length > 0 ? `Available tools: ${names.join(", ")}` : "No tools are available."
  return `Tool ${name} not found. ${shown}`
}

function blocked({ reason, terminate }: Record<string, unknown>): Outcome {
  const text = typeof reason === "string" && reason !== "" ? reason : "Tool execution was blocked"
  const { result, isError } = failure(text)
  return { result: terminate === true ? { ...result, terminate } : result, isError }
}

/**
 * @returns a copy that the tool may keep and change, or a promise where the tool needs one to make it. After an
 *   abort it may be anything.
 */
function readArguments(tool: AgentTool, raw: unknown, grace: AbortGrace): unknown {
  const inTime = (value: unknown): unknown => (isPromiseLike(value) ? grace.wait(value) : value)
  const validate = (prepared: unknown): unknown =>
    prepared === LEFT_BEHIND ? prepared : inTime(validateToolArguments(tool, { arguments: prepared }))
  if (!tool.prepareArguments) return validate(raw)
  const prepared = inTime(tool.prepareArguments(copyData(raw)))
  return isPromiseLike(prepared) ? prepared.then(validate) : validate(prepared)
}
