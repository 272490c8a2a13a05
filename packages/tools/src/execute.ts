/**
 * Runs a prepared call against two clocks: the tool's own `timeoutMs`, and the grace after the signal.
 *
 * Whichever is first decides, and what comes later is dropped. No listener or timer outlives the call.
 */
import type { AgentTool, AgentToolCall, AgentToolUpdateCallback } from "@heddle/types"
import { LEFT_BEHIND, MAX_TIMER_MS } from "./abort-grace.ts"
import type { CallScope, PreparedCall } from "./call-scope.ts"
import { isObject, isPromiseLike } from "./plain-data.ts"
import { aborted, failure, isAbortError, messageOf, normaliseResult, type Outcome } from "./result.ts"

const TIMED_OUT: unique symbol = Symbol("timed out")

/** @returns what the tool made of the call, before `afterToolCall`. Never rejects. */
export async function executeCall(
  toolCall: AgentToolCall,
  { tool, args }: PreparedCall,
  { signal, grace }: CallScope,
  onUpdate: AgentToolUpdateCallback,
): Promise<Outcome> {
  if (grace.aborted) return aborted()
  const limit = limitOf(tool, signal)
  let settled = false
  try {
    const running: unknown = tool.execute(toolCall.id, args as never, limit?.signal ?? signal, (partial) => {
      if (!settled) onUpdate(normaliseResult(partial))
    })
    let returned = running
    if (isPromiseLike(running)) {
      const finished = grace.wait(running)
      returned = await (limit ? Promise.race([finished, limit.expiry]) : finished)
    }
    if (returned === TIMED_OUT) return failure(timedOut(tool))
    if (returned === LEFT_BEHIND)
      return aborted(". The tool did not stop in time and may still have taken effect.")
    if (!isObject(returned)) return failure(`Tool ${tool.name} returned no result object`)
    const result = normaliseResult(returned)
    return { result, isError: result.isError ?? false }
  } catch (error) {
    // A tool that gives up because it was told to has not failed.
    const gaveUp = error === signal?.reason || isAbortError(error)
    return grace.aborted && gaveUp ? aborted() : failure(messageOf(error))
  } finally {
    settled = true
    limit?.lift()
  }
}

/** The time a tool gives itself. While it runs, the tool has a signal of its own, which follows the run's. */
interface Limit {
  readonly signal: AbortSignal
  readonly expiry: Promise<typeof TIMED_OUT>
  lift(): void
}

/** @returns undefined without a timeout; one that no timer can hold is as good as none. */
function limitOf(tool: AgentTool, signal: AbortSignal | undefined): Limit | undefined {
  const { timeoutMs = 0 } = tool
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) return undefined
  const own = new AbortController()
  const follow = (): void => own.abort(signal?.reason)
  signal?.addEventListener("abort", follow)
  let timer: ReturnType<typeof setTimeout> | undefined
  const expiry = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => {
      resolve(TIMED_OUT)
      own.abort(new DOMException(timedOut(tool), "TimeoutError"))
    }, timeoutMs)
  })
  return {
    signal: own.signal,
    expiry,
    lift() {
      clearTimeout(timer)
      signal?.removeEventListener("abort", follow)
    },
  }
}

function timedOut({ name, timeoutMs }: AgentTool): string {
  return `Tool ${name} timed out after ${timeoutMs} ms`
}
