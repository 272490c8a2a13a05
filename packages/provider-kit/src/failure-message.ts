/**
 * Finds what a vendor says about a failure, in the many places where vendors say it.
 *
 * The result is one text for people: never a page of HTML, never a dump of the body, and never longer than a
 * few lines.
 */
import { isWireObject, type WireObject } from "./wire.ts"

/** Longer messages are cut: some vendors repeat the whole request in theirs. */
const LONGEST = 2000

/** Bare text bodies are a gateway's; more than this is not an explanation. */
const LONGEST_BARE = 500

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  529: "Overloaded",
}

/**
 * Looks through a body: `error.message`, `error` as a string, `message`, `detail` as a string or a list of
 * `{ msg }`. A body may be parsed JSON, the text of JSON, or plain text.
 *
 * @returns undefined where the body says nothing to people.
 */
export function messageOfBody(body: unknown): string | undefined {
  if (typeof body === "string") {
    const parsed = parseJson(body)
    return parsed === undefined ? bareText(body) : messageOfBody(parsed)
  }
  if (Array.isArray(body)) return messageOfBody(body[0]) // Gemini streams its errors as a list of one
  if (!isWireObject(body)) return undefined
  const { error, message, detail, errors, Message } = body
  const found =
    (isWireObject(error) && messageOfError(error)) ||
    textOf(error) ||
    textOf(message) ||
    (isWireObject(message) && messageOfBody(message)) ||
    messageOfDetail(detail) ||
    (Array.isArray(errors) && messageOfBody(errors[0])) ||
    textOf(Message)
  return found ? shorten(found, LONGEST) : undefined
}

/** @returns the error inside a body: Gemini streams its errors as a list of one, some vendors send it bare. */
export function errorOfBody(body: unknown): WireObject | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isWireObject(first)) return undefined
  return isWireObject(first.error) ? first.error : first
}

/** @returns for example `503 Service Unavailable`. */
export function statusText(status: number): string {
  const text = STATUS_TEXTS[status]
  return text ? `${status} ${text}` : `HTTP status ${status}`
}

/** OpenRouter's "Provider returned error" hides the upstream's own words in `metadata.raw`. */
function messageOfError(error: WireObject): string | undefined {
  const message =
    textOf(error.message) ?? messageOfBody(isWireObject(error.message) ? error.message : error.error)
  const raw = isWireObject(error.metadata) ? messageOfBody(error.metadata.raw) : undefined
  return message && raw && !message.includes(raw) ? `${message}: ${raw}` : (message ?? raw)
}

function messageOfDetail(detail: unknown): string | undefined {
  if (!Array.isArray(detail))
    return textOf(detail) ?? (isWireObject(detail) ? messageOfBody(detail) : undefined)
  const messages = detail.map((item) => (isWireObject(item) ? textOf(item.msg) : textOf(item)))
  return messages.filter(Boolean).join("; ") || undefined
}

/** Pages and broken JSON explain nothing. */
function bareText(text: string): string | undefined {
  const trimmed = text.trim()
  return trimmed === "" || /^[<{[]/.test(trimmed) ? undefined : shorten(trimmed, LONGEST_BARE)
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

/**
 * @returns the object or list that the text is the JSON of, else undefined. Some servers send an error as the
 * one event of a stream, with the status of a refusal.
 */
export function parseJson(text: string): object | undefined {
  const json = /^\s*[{[]/.test(text) ? text : /^data: ?(\{.*)$/m.exec(text)?.[1]
  if (json === undefined) return undefined
  try {
    return JSON.parse(json) as object
  } catch {
    return undefined
  }
}
