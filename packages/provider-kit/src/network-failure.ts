/**
 * Recognises a connection that failed, whoever reports it.
 *
 * A socket, undici, a browser and an SDK each say it in their own words, one wrapped in the other. System
 * codes decide first, then the names of timeouts, then the texts.
 */
import type { StreamFailure } from "@heddle/types"
import type { FailureFacts } from "./failure-facts.ts"

/** A failure of the connection, and what to tell people. */
export interface NetworkFailure {
  readonly failure: StreamFailure
  readonly message: string
}

/** undici's limits, Node.js's fetch included: five minutes each where nobody set others. */
const SILENCE: ReadonlyMap<string, string> = new Map([
  ["UND_ERR_HEADERS_TIMEOUT", "The server did not begin to answer"],
  ["UND_ERR_BODY_TIMEOUT", "The server fell silent in the middle of its answer"],
])
const SILENCE_ADVICE =
  "for longer than fetch waits (in Node.js five minutes). If the model thinks that long, pass a fetch with longer timeouts."

const TIMEOUT_CODES = /^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/
/** Certificates do not get better by trying again. */
const CERTIFICATE_CODES = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/
const NETWORK_CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|EPIPE|E(HOST|NET)UNREACH|ENETDOWN|UND_ERR_(SOCKET|CLOSED|DESTROYED|ABORTED)|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+|ConnectionRefused|ConnectionClosed)$/

const TIMEOUT_NAME = /Timeout/
const TIMEOUT_TEXT = /\btimed? ?out\b/i
/** undici, node:http, Chrome, Firefox, Safari, Deno, Bun, and the SDKs' own words. */
const NETWORK_TEXT =
  /fetch failed|failed to fetch|networkerror|network (error|connection)|load failed|^terminated$|socket hang up|other side closed|premature close|socket (connection )?(was )?closed|connection (error|closed|reset|refused|lost)|unable to connect|error sending request|econn(refused|reset)/i

/** @returns undefined where the facts do not tell of a connection. */
export function networkFailure(facts: FailureFacts): NetworkFailure | undefined {
  const { names = [], codes = [], messages = [] } = facts
  for (const code of codes) {
    const silence = SILENCE.get(code)
    if (silence)
      return { failure: { code: "timeout", retryable: true }, message: `${silence} ${SILENCE_ADVICE}` }
  }
  if (codes.some((code) => TIMEOUT_CODES.test(code)) || names.some((name) => TIMEOUT_NAME.test(name))) {
    return {
      failure: { code: "timeout", retryable: true },
      message: `The connection timed out${explain(messages)}`,
    }
  }
  // An SDK that gives up aborts its own request: what it says counts for more than the abort behind it.
  if (messages.some((message) => TIMEOUT_TEXT.test(message))) {
    return { failure: { code: "timeout", retryable: true }, message: "The request timed out" }
  }
  const isCertificate = codes.some((code) => CERTIFICATE_CODES.test(code))
  const isNetwork =
    isCertificate ||
    codes.some((code) => NETWORK_CODES.test(code)) ||
    names.some((name) => name === "AbortError" || name === "NetworkError") ||
    messages.some((message) => NETWORK_TEXT.test(message))
  if (!isNetwork) return undefined
  return {
    failure: { code: "network", retryable: !isCertificate },
    message: `The connection failed${explain(messages)}`,
  }
}

/** The innermost message names host and reason; the outer ones only say that something failed. */
function explain(messages: readonly string[]): string {
  const innermost = messages.at(-1)
  return innermost === undefined ? "" : `: ${innermost.split("\n", 1)[0]}`
}
