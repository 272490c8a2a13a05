/**
 * Runs a prepared call against two clocks: the tool's own `timeoutMs`, and the grace after the signal.
 *
 * Whichever is first decides, and what comes later is dropped. No listener or timer outlives the call.
 */
import type { AgentToolCall, AgentToolUpdateCallback } from "@heddle/types"
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
  // A timeout that no timer can hold is as good as none.
  const { name, timeoutMs = 0 } = tool
  const timedOut = `Tool ${name} timed out after ${timeoutMs} ms`
  /** Where there is a timeout the tool gets a signal of its own, which follows the run's. */
  const own = timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS ? new AbortController() : undefined
  const follow = (): void => own?.abort(signal?.reason)
  if (own) signal?.addEventListener("abort", follow)
  let timer: ReturnType<typeof setTimeout> | undefined
  let settled = false
  try {
    const running: unknown = tool.execute(toolCall.id, args as never, own?.signal ?? signal, (partial) => {
      if (!settled) onUpdate(normaliseResult(partial))
    })
    let returned = running
    if (isPromiseLike(running)) {
      const expiry = new Promise<typeof TIMED_OUT>((resolve) => {
        const expire = (): void => {
          resolve(TIMED_OUT)
          own?.abort(new DOMException(timedOut, "TimeoutError"))
        }
        if (own) timer = setTimeout(expire, timeoutMs)
      })
      returned = await Promise.race([grace.wait(running), expiry])
    }
    if (returned === TIMED_OUT) return failure(timedOut)
    if (returned === LEFT_BEHIND)
      return aborted(". The tool did not stop in time and may still have taken effect.")
    if (!isObject(returned)) return failure(`Tool ${name} returned no result object`)
    const result = normaliseResult(returned)
    return { result, isError: result.isError ?? false }
  } catch (error) {
    // A tool that gives up because it was told to has not failed.
    const gaveUp = error === signal?.reason || isAbortError(error)
    return grace.aborted && gaveUp ? aborted() : failure(messageOf(error))
  } finally {
    settled = true
    clearTimeout(timer)
    signal?.removeEventListener("abort", follow)
  }
}
