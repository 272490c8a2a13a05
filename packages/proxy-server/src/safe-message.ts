/**
 * What a client may be told of an upstream's failure.
 *
 * Vendors and runtimes quote what they were given and where they were: keys, addresses, stack frames. The
 * sentence around them is kept. The server's operator gets the message as it was, through `onError`.
 */
import type { Model, StreamFailure } from "@heddle/types"

const HIDDEN = "…"

/** Longer messages are cut. Characters. */
const LONGEST = 2000

/** What is behind is not even looked at. Characters. */
const LONGEST_READ = 4000

/** Shorter values are words, not secrets. Characters. */
const SHORTEST_SECRET = 6

const STACK_FRAME = /^(?:\s+at\s|\s*at\s.*:\d+:\d+\)?\s*$)/

const PATTERNS: readonly RegExp[] = [
  /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>)\]]+/gi, // addresses
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g,
  /\[[\da-f:]*:[\da-f:]*\](?::\d+)?|(?<![\w:])::1(?::\d+)?\b/gi,
  /\blocalhost(?::\d+)?\b/gi,
  /(?<=\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH)\s+)\S+/g,
  /(?<=\b(?:Bearer|Basic)\s+)[\w.~+/=-]+/gi,
  /\b(?:sk|pk|rk|gsk|xai|hf|ghp)[-_][\w-]{6,}/gi,
  /\b(?:key|token|secret)[-_](?=[\w-]*\d)[\w-]{6,}/gi,
  /\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g,
  /(?<=\b(?:api[-_ ]?key|access[-_ ]?token|secret|password|passwd|pwd)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
  /(?<=\btoken["']?\s*[:=]\s*["']?)(?=[^\s"',;]*\d)[^\s"',;]{6,}/gi,
  /\b(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{32,}\b/gi, // any other long string of letters and digits
]

/** @param model Whose headers and address are never told. */
export function toSafeMessage(message: string, model: Model): string {
  let safe = message
    .slice(0, LONGEST_READ)
    .split("\n")
    .filter((line) => !STACK_FRAME.test(line))
    .join("\n")
  for (const pattern of PATTERNS) safe = safe.replace(pattern, HIDDEN)
  for (const secret of secretsOf(model)) safe = safe.replaceAll(secret, HIDDEN)
  return safe.length > LONGEST ? safe.slice(0, LONGEST) + HIDDEN : safe
}

/** @returns a copy of what the contract says about a failure, and nothing beside it. */
export function toSafeFailure({ code, retryable, status, retryAfterMs }: StreamFailure): StreamFailure {
  return {
    code,
    retryable,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** Longest first, so that no part of one is left over. */
function secretsOf({ baseUrl, headers = {} }: Model): string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, "")])
  return [baseUrl, hostOf(baseUrl), ...values]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname
  } catch {
    return ""
  }
}
