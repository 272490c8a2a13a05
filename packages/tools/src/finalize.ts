/**
 * The stage after a tool has run: `afterToolCall`, which may replace parts of the result.
 *
 * A hook may be there to redact, so a result never passes it by: where it can no longer run, the call gets
 * the aborted result in place of the tool's own.
 */
import type { AgentToolCall } from "@heddle/types"
import { LEFT_BEHIND } from "./abort-grace.ts"
import type { CallScope, PreparedCall } from "./call-scope.ts"
import { isObject, isPromiseLike } from "./plain-data.ts"
import { aborted, failure, messageOf, normaliseResult, type Outcome } from "./result.ts"

/** Never throws or rejects. Where no hook is asked, there is nothing to wait for. */
export function finalizeCall(
  toolCall: AgentToolCall,
  { args }: PreparedCall,
  outcome: Outcome,
  scope: CallScope,
): Outcome | Promise<Outcome> {
  if (!scope.hooks.afterToolCall || outcome.unfinished) return outcome
  return scope.grace.aborted ? aborted() : askAfter(toolCall, args, outcome, scope)
}

async function askAfter(
  toolCall: AgentToolCall,
  args: unknown,
  outcome: Outcome,
  { assistantMessage, context, hooks, signal, grace }: CallScope,
): Promise<Outcome> {
  const { result, isError } = outcome
  try {
    const asked: unknown = hooks.afterToolCall?.(
      { assistantMessage, toolCall, args, context, result, isError },
      signal,
    )
    const change = isPromiseLike(asked) ? await grace.wait(asked) : asked
    if (change === LEFT_BEHIND) return aborted()
    return isObject(change) ? replace(outcome, change) : outcome
  } catch (error) {
    return failure(messageOf(error), { result })
  }
}

function replace(
  outcome: Outcome,
  { content, details, isError, terminate }: Record<string, unknown>,
): Outcome {
  const result = normaliseResult({
    ...outcome.result,
    ...(content !== undefined && { content }),
    ...(details !== undefined && { details }),
    ...(isError !== undefined && { isError }),
    ...(terminate !== undefined && { terminate }),
  })
  return { result, isError: typeof isError === "boolean" ? isError : outcome.isError }
}
