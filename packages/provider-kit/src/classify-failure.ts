/**
 * Says what a failure means: a code for programs, whether another try may help, a text for people.
 *
 * A vendor's rules come first, then, in this order, a prompt that is too long, a key that is wrong, an account
 * without credit, words that mean more than a status, the status, and without one the words alone and the
 * connection.
 *
 * It is pure. It neither retries (see `retry.ts`) nor hides secrets (see `redact.ts`).
 */
import type { StreamFailure, StreamFailureCode } from "@heddle/types"
import { type FailureFacts, toFailureFacts } from "./failure-facts.ts"
import { errorOfBody, messageOfBody, parseJson, statusText } from "./failure-message.ts"
import {
  AUTH_TEXTS,
  COMMON_RULES,
  codeOfStatus,
  type FailureRule,
  OVERFLOW_TEXTS,
  QUOTA_TEXTS,
  RETRYABLE,
  STRONG_WORDS,
  WEAK_WORDS,
} from "./failure-rules.ts"
import { networkFailure } from "./network-failure.ts"
import { header } from "./response-headers.ts"
import { retryAfterOf } from "./retry.ts"
import { StreamFailureError } from "./stream-failure-error.ts"
import { isWireObject, objectsOf } from "./wire.ts"

/** A failure, and what to tell people. */
export interface ClassifiedFailure {
  readonly failure: StreamFailure
  /** The vendor's own message where there is one. May still contain the key. */
  readonly message: string
}

/**
 * @param rules The vendor's own deviations, checked first.
 * @param now For `retry-after` dates. Unix milliseconds.
 */
export function classifyFailure(
  facts: FailureFacts,
  rules: readonly FailureRule[] = [],
  now: number = Date.now(),
): ClassifiedFailure {
  const body = typeof facts.body === "string" ? (parseJson(facts.body) ?? facts.body) : facts.body
  const status = statusOf(facts.status, body)
  const spoken = messageOfBody(body) ?? ownMessage(facts, status)
  const words = wordsOf(body, facts)
  const text = [spoken ?? "", ...words].join("\n").toLowerCase()
  const verdict = judge({ status, words, text }, rules)
  const network = verdict || status !== undefined || spoken !== undefined ? undefined : networkFailure(facts)
  if (network) return network

  const retryAfterMs = retryAfterOf(facts.headers, body, now)
  const told = header(facts.headers, "x-should-retry")
  const code = verdict?.code ?? "unknown"
  const retryable = told === "false" ? false : (verdict?.retryable ?? RETRYABLE[code])
  return {
    failure: {
      code,
      retryable,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    message:
      spoken ?? (status !== undefined ? statusText(status) : "The request failed for an unknown reason"),
  }
}

/** {@link classifyFailure} for whatever was thrown; a {@link StreamFailureError} already knows. */
export function classifyError(
  error: unknown,
  rules: readonly FailureRule[] = [],
  now: number = Date.now(),
): ClassifiedFailure {
  if (error instanceof StreamFailureError) return { failure: error.failure, message: error.message }
  return classifyFailure(toFailureFacts(error), rules, now)
}

/** A vendor's error event, ready to be thrown by a mapping. The text so far stays. */
export function toStreamFailureError(
  facts: FailureFacts,
  rules: readonly FailureRule[] = [],
): StreamFailureError {
  const { failure, message } = classifyFailure(facts, rules)
  return new StreamFailureError(failure, message)
}

interface Evidence {
  readonly status: number | undefined
  readonly words: readonly string[]
  readonly text: string
}

interface Verdict {
  readonly code: StreamFailureCode
  readonly retryable?: boolean
}

function judge(evidence: Evidence, rules: readonly FailureRule[]): Verdict | undefined {
  const { status, words, text } = evidence
  const rule = [...rules, ...COMMON_RULES].find((each) => matches(each, evidence))
  if (rule) return rule
  const says = (texts: readonly string[]): boolean => texts.some((each) => text.includes(each))
  if (status !== 429 && says(OVERFLOW_TEXTS)) return { code: "context_overflow" }
  if ((status === undefined || status === 400) && says(AUTH_TEXTS)) return { code: "auth" }
  if (says(QUOTA_TEXTS)) return { code: "quota" }
  const code = lookUp(words, STRONG_WORDS) ?? (status ? codeOfStatus(status) : lookUp(words, WEAK_WORDS))
  return code && { code }
}

function matches(rule: FailureRule, { status, words, text }: Evidence): boolean {
  return (
    (rule.status === undefined || rule.status === status) &&
    (rule.word === undefined || words.includes(rule.word.toLowerCase())) &&
    (rule.text === undefined || text.includes(rule.text.toLowerCase()))
  )
}

function lookUp(
  words: readonly string[],
  table: ReadonlyMap<string, StreamFailureCode>,
): StreamFailureCode | undefined {
  for (const word of words) {
    const code = table.get(word)
    if (code) return code
  }
  return undefined
}

/** An error in a stream that began well carries its status inside, if at all. */
function statusOf(status: number | undefined, body: unknown): number | undefined {
  if (status !== undefined && status >= 400) return status
  const error = errorOfBody(body)
  if (!error) return undefined
  const stated = [error.status_code, error.raw_status_code, error.status, error.code].map(Number)
  return stated.find((each) => Number.isInteger(each) && each >= 400 && each <= 599)
}

/** Names and system codes count as words too: SDKs put AWS's classes there. */
function wordsOf(body: unknown, facts: FailureFacts): string[] {
  const error = errorOfBody(body)
  const outer = isWireObject(body) ? [body.code, body.type] : []
  const reasons = objectsOf(error?.details).map(({ reason }) => reason)
  const amazonType = header(facts.headers, "x-amzn-errortype")?.split(":", 1)[0]
  return [error?.code, error?.type, error?.status, ...reasons, ...outer, ...(facts.names ?? []), amazonType]
    .filter((word) => typeof word === "string")
    .map((word) => word.toLowerCase())
}

/**
 * What the error itself says, where there was no body that said more. Without a status that is left to the
 * network, which knows its own texts.
 */
function ownMessage(facts: FailureFacts, status: number | undefined): string | undefined {
  const [outermost] = facts.messages ?? []
  if (outermost === undefined) return undefined
  if (status === undefined) return networkFailure(facts) ? undefined : messageOfBody(outermost)
  const text = outermost.replace(new RegExp(`^${status} `), "")
  return text === "status code (no body)" ? undefined : messageOfBody(text)
}
