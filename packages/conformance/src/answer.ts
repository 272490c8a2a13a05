/** Whether the message of a stream is the one that a case says the model gave. */
import type { AssistantMessage } from "@heddle/types"
import type { Expectation, ExpectedBlock } from "./conformance-case.ts"
import { difference, show } from "./difference.ts"
import type { Observation } from "./observe.ts"
import { type Rule, type Violation, violation } from "./violation.ts"

type Report = (rule: Rule, says: string) => void

/** @returns where message and expectation differ; nothing when there is no message to compare. */
export function checkAnswer(
  expected: Expectation,
  { events, message }: Pick<Observation, "events" | "message">,
  secrets: readonly string[],
): Violation[] {
  const violations: Violation[] = []
  const report: Report = (rule, says) => violations.push(violation(rule, says))
  if (!message) return violations
  if (expected.stopReason !== undefined && message.stopReason !== expected.stopReason) {
    const why = message.errorMessage === undefined ? "" : ` (${show(message.errorMessage)})`
    report("answer", `the answer ended with ${message.stopReason}${why}, expected ${expected.stopReason}`)
  }
  if (expected.content) checkContent(expected.content, message, report)
  if (expected.failure) checkFailure(expected.failure, message, report)
  if (expected.loneError && events.length !== 1) {
    report("answer", `there are ${events.length} events, expected a lone error`)
  }
  for (const [counter, count] of Object.entries(expected.usage ?? {})) {
    const counted: unknown = message.usage[counter as "input"]
    if (counted !== count) report("answer", `usage.${counter} is ${show(counted)}, expected ${count}`)
  }
  if (secrets.some((secret) => secret !== "" && says(message).includes(secret))) {
    report("secret", "the key stands in the message")
  }
  return violations
}

function checkContent(expected: readonly ExpectedBlock[], message: AssistantMessage, report: Report): void {
  const { content } = message
  if (content.length !== expected.length) {
    const types = content.map(({ type }) => type).join(", ") || "none"
    report("answer", `there are ${content.length} blocks (${types}), expected ${expected.length}`)
    return
  }
  expected.forEach((block, index) => {
    const differs = checkBlock(block, content[index])
    if (differs) report("answer", `content[${index}]: ${differs}`)
  })
}

function checkBlock(
  expected: ExpectedBlock,
  actual: AssistantMessage["content"][number] | undefined,
): string | undefined {
  if (actual?.type !== expected.type) return `is ${show(actual?.type)}, expected ${expected.type}`
  if (expected.type === "text" && actual.type === "text")
    return difference(actual.text, expected.text, "text")
  if (expected.type === "thinking" && actual.type === "thinking") {
    const { thinkingSignature: signature = "" } = actual
    if (expected.signature !== undefined && !signature.includes(expected.signature)) {
      return `thinkingSignature is ${show(signature)}, expected it to hold ${show(expected.signature)}`
    }
    if (expected.redacted !== undefined && actual.redacted !== expected.redacted) {
      return `redacted is ${show(actual.redacted)}, expected ${expected.redacted}`
    }
    return difference(actual.thinking, expected.thinking, "thinking")
  }
  if (expected.type === "toolCall" && actual.type === "toolCall") {
    if (expected.broken && actual.argumentsError === undefined) {
      return "the arguments are broken, and argumentsError does not say so"
    }
    if (!expected.broken && actual.argumentsError !== undefined) {
      return `argumentsError is ${show(actual.argumentsError)} although the arguments are sound`
    }
    const { id = actual.id, name, arguments: args = actual.arguments } = expected
    return (
      difference(actual.id, id, "id") ??
      difference(actual.name, name, "name") ??
      difference(actual.arguments, args, "arguments")
    )
  }
  return undefined
}

function checkFailure(
  expected: NonNullable<Expectation["failure"]>,
  message: AssistantMessage,
  report: Report,
): void {
  const { failure, errorMessage = "" } = message
  if (!failure) {
    report("answer", `there is no failure, expected ${expected.codes.join(" or ")}`)
    return
  }
  if (!expected.codes.includes(failure.code)) {
    const expectedCodes = expected.codes.join(" or ")
    report("answer", `failure.code is ${failure.code} (${show(errorMessage)}), expected ${expectedCodes}`)
  }
  for (const field of ["retryable", "status", "retryAfterMs"] as const) {
    if (expected[field] !== undefined && failure[field] !== expected[field]) {
      report("answer", `failure.${field} is ${show(failure[field])}, expected ${expected[field]}`)
    }
  }
  if (expected.says !== undefined && !errorMessage.includes(expected.says)) {
    report("answer", `errorMessage is ${show(errorMessage)}, expected it to say ${show(expected.says)}`)
  }
}

/** Messages hold JSON; one that does not has violations already, and no secret can be looked for in it. */
function says(message: AssistantMessage): string {
  try {
    return JSON.stringify(message)
  } catch {
    return message.errorMessage ?? ""
  }
}
