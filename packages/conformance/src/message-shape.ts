/**
 * Whether a message is what the contract declares, field by field.
 *
 * TypeScript checks this for whoever compiles against `@heddle/types`; an adapter that copies a vendor's
 * object into a message, or is written in JavaScript, is checked here.
 */
import type { StreamFailureCode } from "@heddle/types"
import { isObject, show } from "./difference.ts"

type Report = (says: string) => void

const FAILURE_CODES: ReadonlySet<string> = new Set([
  "auth",
  "quota",
  "rate_limit",
  "overloaded",
  "context_overflow",
  "invalid_request",
  "content_filter",
  "network",
  "timeout",
  "aborted",
  "protocol",
  "server",
  "unknown",
] satisfies StreamFailureCode[])

const OPTIONAL_STRINGS = ["responseId", "responseModel", "rawStopReason", "errorMessage"] as const

/** Reports what is wrong with a message's own fields; neither usage nor failure nor the reading of content. */
export function checkMessage(message: unknown, report: Report): message is Record<string, unknown> {
  if (!isObject(message)) {
    report(`the message is ${show(message)}`)
    return false
  }
  if (message.role !== "assistant") report(`message.role is ${show(message.role)}, expected "assistant"`)
  for (const field of ["api", "provider", "model"]) {
    if (typeof message[field] !== "string") report(`message.${field} is ${show(message[field])}, no string`)
  }
  if (!isCount(message.timestamp)) report(`message.timestamp is ${show(message.timestamp)}, no time`)
  for (const field of OPTIONAL_STRINGS) {
    if (Object.hasOwn(message, field)) optionalString(message[field], `message.${field}`, report)
  }
  if (Object.hasOwn(message, "failure") && message.failure === undefined)
    report(undefinedField("message.failure"))
  if (!Array.isArray(message.content)) {
    report(`message.content is ${show(message.content)}, no array`)
    return false
  }
  message.content.forEach((block, index) => {
    checkBlock(block, `message.content[${index}]`, report)
  })
  return true
}

const BLOCK_STRINGS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["thinking"],
  toolCall: ["id", "name"],
  opaque: ["kind"],
}

const BLOCK_OPTIONAL = ["textSignature", "thinkingSignature", "thoughtSignature", "argumentsError"] as const

/** Reports what is wrong with the fields of one content block. */
export function checkBlock(block: unknown, path: string, report: Report): void {
  if (!isObject(block)) {
    report(`${path} is ${show(block)}, no block`)
    return
  }
  const required = BLOCK_STRINGS[String(block.type)]
  if (!required || !Object.hasOwn(BLOCK_STRINGS, String(block.type))) {
    report(`${path}.type is ${show(block.type)}, expected text, thinking, toolCall or opaque`)
    return
  }
  for (const field of required) {
    if (typeof block[field] !== "string") report(`${path}.${field} is ${show(block[field])}, no string`)
  }
  if (block.type === "toolCall" && (!isObject(block.arguments) || Array.isArray(block.arguments))) {
    report(`${path}.arguments is ${show(block.arguments)}, no JSON object`)
  }
  if (block.type === "opaque" && !Object.hasOwn(block, "data")) report(`${path}.data is absent`)
  for (const field of BLOCK_OPTIONAL) {
    if (Object.hasOwn(block, field)) optionalString(block[field], `${path}.${field}`, report)
  }
  if (Object.hasOwn(block, "redacted") && typeof block.redacted !== "boolean") {
    report(`${path}.redacted is ${show(block.redacted)}, no boolean`)
  }
}

const COUNTERS = ["input", "output", "cacheRead", "cacheWrite"] as const

/** Reports what is wrong with a message's usage. */
export function checkUsage(usage: unknown, report: Report): void {
  if (!isObject(usage)) {
    report(`message.usage is ${show(usage)}, no usage`)
    return
  }
  let sum = 0
  let sound = true
  for (const counter of [...COUNTERS, "totalTokens"]) {
    const count = usage[counter]
    if (!isCount(count)) {
      sound = false
      report(`usage.${counter} is ${show(count)}, no count`)
    } else if (counter !== "totalTokens") sum += count
  }
  if (sound && usage.totalTokens !== sum) {
    report(`usage.totalTokens is ${show(usage.totalTokens)}, but the four counters add up to ${sum}`)
  }
  partOf("reasoning", "output", usage, report)
  partOf("cacheWriteLong", "cacheWrite", usage, report)
  if (!isObject(usage.cost)) {
    report(`usage.cost is ${show(usage.cost)}, no cost`)
    return
  }
  for (const part of [...COUNTERS, "total"]) {
    if (!isCount(usage.cost[part])) report(`usage.cost.${part} is ${show(usage.cost[part])}, no amount`)
  }
}

/** Reports what a failed message lacks. */
export function checkFailure(message: Record<string, unknown>, reason: unknown, report: Report): void {
  const { failure, errorMessage } = message
  if (typeof errorMessage !== "string" || errorMessage === "") {
    report(`the message has no errorMessage (${show(errorMessage)}); say for people what happened`)
  }
  if (!isObject(failure)) {
    report(`the message has no failure (${show(failure)}); say for programs what happened`)
    return
  }
  if (!FAILURE_CODES.has(String(failure.code))) report(`failure.code is ${show(failure.code)}, no known code`)
  if (typeof failure.retryable !== "boolean") {
    report(`failure.retryable is ${show(failure.retryable)}, no boolean`)
  }
  for (const field of ["status", "retryAfterMs"]) {
    if (Object.hasOwn(failure, field) && !isCount(failure[field])) {
      report(`failure.${field} is ${show(failure[field])}, no number; leave it out when there is none`)
    }
  }
  if ((failure.code === "aborted") !== (reason === "aborted")) {
    report(`failure.code is ${show(failure.code)} where the reason is ${show(reason)}`)
  }
}

function partOf(part: string, whole: string, usage: Record<string, unknown>, report: Report): void {
  if (!Object.hasOwn(usage, part)) return
  const count = usage[part]
  if (!isCount(count)) report(`usage.${part} is ${show(count)}, no count; leave it out when there is none`)
  else if (count > Number(usage[whole])) {
    report(`usage.${part} is ${count}, more than the ${show(usage[whole])} of usage.${whole} it is a part of`)
  }
}

function optionalString(value: unknown, path: string, report: Report): void {
  if (value === undefined) report(undefinedField(path))
  else if (typeof value !== "string") report(`${path} is ${show(value)}, no string`)
}

function undefinedField(path: string): string {
  return `${path} is undefined; an optional field is absent when it has no value`
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity
}
