/**
 * Reads from an error of any SDK what classification needs, without knowing the SDK.
 *
 * Every SDK names things its own way (`status`, `statusCode`, `$metadata.httpStatusCode`), puts the body
 * somewhere else, and hides the network's own error behind `cause`.
 */
import { parseJson } from "./failure-message.ts"
import type { HeadersLike } from "./response-headers.ts"
import { isWireObject, type WireObject } from "./wire.ts"

/** What is known of a failure. Every field may be missing. */
export interface FailureFacts {
  /** HTTP status. Those below 400 tell nothing about a failure and are ignored. */
  readonly status?: number | undefined
  readonly headers?: HeadersLike | undefined
  /** The error body, parsed or as text; in a stream, the error event. */
  readonly body?: unknown
  /** The names of the error and of its causes: AWS puts the class of a failure there. */
  readonly names?: readonly string[] | undefined
  /** System codes of the error and of its causes, such as `ECONNREFUSED`. */
  readonly codes?: readonly string[] | undefined
  /** What the error and its causes say, outermost first. */
  readonly messages?: readonly string[] | undefined
}

/** Deep enough for an SDK around fetch around a socket, and bounded for errors that contain themselves. */
const DEEPEST = 6

/**
 * @param error Whatever was thrown.
 * @param cause What is known to be behind it, for errors that do not tell: some SDKs say that a request timed out,
 * and not what fetch said.
 */
export function toFailureFacts(error: unknown, cause?: unknown): FailureFacts {
  const told = causesOf(error)
  const chain = [...told, ...causesOf(cause).filter((each) => !told.includes(each))]
  const names: string[] = []
  const codes: string[] = []
  const messages: string[] = []
  let status: number | undefined
  let headers: HeadersLike | undefined
  let body: unknown
  for (const each of chain) {
    status ??= statusOfError(each)
    headers ??= headersOfError(each)
    body ??= bodyOfError(each)
    if (typeof each.name === "string") names.push(each.name)
    if (typeof each.code === "string") codes.push(each.code)
    if (typeof each.message === "string" && each.message !== "") messages.push(each.message)
  }
  if (chain.length === 0) messages.push(String(error))
  return { status, headers, body, names, codes, messages }
}

function causesOf(error: unknown): WireObject[] {
  const chain: WireObject[] = []
  let next: unknown = error
  while (isWireObject(next) && chain.length < DEEPEST && !chain.includes(next)) {
    chain.push(next)
    // Node joins the failures of all addresses of a host in an AggregateError with an empty message.
    next = next.cause ?? (Array.isArray(next.errors) ? next.errors[0] : undefined)
  }
  return chain
}

function statusOfError(error: WireObject): number | undefined {
  const metadata = isWireObject(error.$metadata) ? error.$metadata.httpStatusCode : undefined
  return [error.status, error.statusCode, metadata].find((status) => typeof status === "number")
}

function headersOfError(error: WireObject): HeadersLike | undefined {
  const response = isWireObject(error.$response) ? error.$response : error.response
  const headers = error.headers ?? (isWireObject(response) ? response.headers : undefined)
  return isWireObject(headers) ? (headers as HeadersLike) : undefined
}

/** The body an SDK kept, else the one that its message is made of. */
function bodyOfError(error: WireObject): unknown {
  if (isWireObject(error.error) || (typeof error.error === "string" && error.error !== "")) return error.error
  if (typeof error.body === "string" && error.body !== "") return error.body
  return typeof error.message === "string" ? parseJson(error.message.replace(/^\d{3} /, "")) : undefined
}
