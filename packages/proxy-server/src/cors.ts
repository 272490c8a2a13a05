/** Which pages of other origins may use the proxy, in the words of CORS. */
import type { CorsOptions } from "./options.ts"

const METHODS = "POST, GET, DELETE"
const REQUEST_HEADERS = ["authorization", "content-type", "heddle-protocol", "last-event-id"]
const RESPONSE_HEADERS = "heddle-stream-id, retry-after, retry-after-ms"

/** @returns the answer to a preflight; {@link withCors} says for which origin. */
export function answerPreflight({ headers, maxAgeSeconds = 600 }: CorsOptions): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": [...REQUEST_HEADERS, ...(headers ?? [])].join(", "),
      "access-control-max-age": String(maxAgeSeconds),
    },
  })
}

/** @returns the response as the page that asked may read it. An origin that may not is told nothing, which is a no. */
export function withCors(response: Response, request: Request, cors: CorsOptions): Response {
  const { origin: allowed, credentials } = cors
  const origin = request.headers.get("origin")
  // A response of somebody else's may not be changed.
  const readable = new Response(response.body, response)
  const { headers } = readable
  if (allowed !== "*") headers.append("vary", "origin")
  if (allowed !== "*" && (origin === null || !isAllowed(origin, allowed))) return readable
  headers.set("access-control-allow-origin", allowed === "*" ? "*" : (origin ?? ""))
  headers.set("access-control-expose-headers", RESPONSE_HEADERS)
  if (credentials && allowed !== "*") headers.set("access-control-allow-credentials", "true")
  return readable
}

function isAllowed(origin: string, allowed: CorsOptions["origin"]): boolean {
  if (typeof allowed === "function") return allowed(origin)
  return typeof allowed === "string" ? allowed === origin : allowed.includes(origin)
}
