/**
 * Knows callers by the token in their `Authorization` header.
 *
 * Tokens are compared by their digests, all of them and to the end, so that the time it takes says nothing about
 * how much of a guess was right.
 */
import type { ProxyRefusal } from "./options.ts"

/**
 * Makes an `authorize` for tokens that are known beforehand.
 *
 * @param tokens One token for everybody, or each caller's, by its identity.
 * @returns a function that gives the identity of the caller, `"bearer"` where there is one token only.
 * @throws {TypeError} when a token is empty: an environment variable that is not set must not open the door.
 */
export function bearerToken(
  tokens: string | Readonly<Record<string, string>>,
): (request: Request) => Promise<string | ProxyRefusal> {
  const known = Object.entries(typeof tokens === "string" ? { bearer: tokens } : (tokens ?? { bearer: "" }))
  for (const [identity, token] of known) {
    if (typeof token !== "string" || token === "") throw new TypeError(`The token of "${identity}" is empty`)
  }
  let digests: Promise<[string, Uint8Array][]> | undefined
  return async (request) => {
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1]
    digests ??= Promise.all(known.map(async ([identity, token]) => [identity, await digestOf(token)]))
    const digest = await digestOf(given ?? "")
    let caller: string | undefined
    for (const [identity, expected] of await digests) if (isSame(digest, expected)) caller = identity
    return caller ?? { status: 401, message: given ? "The token is not valid" : "A bearer token is needed" }
  }
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
}

/** Looks at every byte, whatever the ones before said. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0)
  return difference === 0
}
