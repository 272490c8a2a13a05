/**
 * Merges the headers that configuration, model and caller add to a request.
 *
 * Names are compared without regard to case and written in lower case. A null stays in the result: it says
 * that a header which the SDK would add itself must go.
 */

/** Headers to add (a string) and to remove (null). */
export type RequestHeaders = Readonly<Record<string, string | null>>

const CREDENTIAL_HEADERS = [
  "authorization",
  "proxy-authorization",
  "api-key",
  "x-api-key",
  "x-goog-api-key",
  "cookie",
] as const

/** @param layers Later ones win. */
export function mergeHeaders(...layers: readonly (RequestHeaders | undefined)[]): RequestHeaders {
  const merged: Record<string, string | null> = Object.create(null)
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) {
      if (value !== undefined) merged[name.toLowerCase()] = value
    }
  }
  return { ...merged }
}

/** Whether the headers bring credentials of their own, or say that none are to be sent. */
export function hasCredentials(headers: RequestHeaders): boolean {
  return CREDENTIAL_HEADERS.some((name) => name in headers && name !== "cookie")
}

/** Gateways name theirs as they like: `cf-aig-authorization`, `x-portkey-api-key`, `ocp-apim-subscription-key`. */
const CREDENTIAL_NAME = /auth|key|token|secret|cookie|credential|password|signature/

/** What in the headers must not be shown: whole values, and the token after a scheme. */
export function secretsOf(headers: RequestHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value && CREDENTIAL_NAME.test(name) ? [value, value.replace(/^\w+ +/, "")] : [],
  )
}
