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
 * @throws {Refused} 401 or 403.
 * @throws {Response} what `authorize` wants to be answered.
 */
export function toCaller(decision: Authorization): Caller {
  if (!decision) throw refusal({ status: 401 })
  if (decision instanceof Response) throw decision
  if (isRefusal(decision)) throw refusal(decision)
  return {
    identity: decision,
    owner: typeof decision === "string" ? decision : JSON.stringify(decision),
  }
}

function isRefusal(decision: CallerIdentity | ProxyRefusal): decision is ProxyRefusal {
  return typeof decision === "object" && (decision.status === 401 || decision.status === 403)
}

function refusal({ status, message }: ProxyRefusal): Refused {
  return status === 401
    ? new Refused(401, "unauthorized", message ?? "It is not known who is asking", {
        "www-authenticate": "Bearer",
      })
    : new Refused(403, "forbidden", message ?? "The caller may not do this")
}
