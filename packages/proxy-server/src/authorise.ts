/** Makes of what `authorize` decides a caller, or a refusal. */
import type { Authorization, CallerIdentity, ProxyRefusal } from "./options.ts"
import { Refused } from "./refused.ts"

/** Somebody who may ask. */
export interface Caller {
  readonly identity: CallerIdentity
  /** The identity as text: what streams belong to. */
  readonly owner: string
}

/**
 * Whatever is no identity is a refusal, also where a program without types gives something that is neither.
 *
 * @throws {Refused} 401, 403, or the status that was given.
 * @throws {Response} what `authorize` wants to be answered.
 */
export function toCaller(decision: Authorization | number): Caller {
  if (!decision || typeof decision === "number") throw refusal({ status: decision === 403 ? 403 : 401 })
  if (decision instanceof Response) throw decision
  if (isRefusal(decision)) throw refusal(decision)
  return {
    identity: decision,
    owner: typeof decision === "string" ? decision : JSON.stringify(decision),
  }
}

function isRefusal(decision: CallerIdentity | ProxyRefusal): decision is ProxyRefusal {
  return typeof decision === "object" && typeof decision.status === "number" && decision.status >= 400
}

function refusal({ status, message }: ProxyRefusal): Refused {
  const text = typeof message === "string" ? message : undefined
  return status === 401
    ? new Refused(401, "unauthorized", text ?? "It is not known who is asking", {
        "www-authenticate": "Bearer",
      })
    : new Refused(status, "forbidden", text ?? "The caller may not do this")
}
