/**
 * Builder calls as data: the language that recordings are written in.
 *
 * A stream is what a builder made of the calls of an adapter. Kept as those calls, it takes little space, and
 * played back it is made by a builder again: the same events, and in grammar whatever was recorded.
 */
import type { AssistantMessageBuilder, UsageReport } from "@heddle/stream"
import type { StreamFailure, ToolCallArguments } from "@heddle/types"

/** A verb of `AssistantMessageBuilder` and its arguments. Block keys are content indices. */
export type BuilderCall =
  | readonly ["start"]
  | readonly [BlockVerb, key: number, value: string]
  | readonly ["toolCall", key: number, call: { readonly id?: string; readonly name?: string }]
  | readonly ["toolArguments", key: number, value: ToolCallArguments]
  | readonly ["opaque", key: number, kind: string, data: unknown]
  | readonly ["close", key: number, final?: { readonly argumentsError?: string }]
  | readonly ["usage", report: UsageReport]
  | readonly [HeadVerb, value: string]
  | readonly ["done", reason: "stop" | "length" | "toolUse"]
  | readonly ["fail", failure: StreamFailure, message: string]
  | readonly ["abort", reason: string]

type BlockVerb = "text" | "thinking" | "signature" | "redactedThinking" | "toolInput"
type HeadVerb = "responseId" | "responseModel" | "rawStopReason"

/** Does what the call says. */
export function applyBuilderCall(message: AssistantMessageBuilder, call: BuilderCall): void {
  switch (call[0]) {
    case "start":
      message.start()
      return
    case "text":
    case "thinking":
    case "signature":
    case "redactedThinking":
    case "toolInput":
      message[call[0]](call[1], call[2])
      return
    case "toolCall":
      message.toolCall(call[1], call[2])
      return
    case "toolArguments":
      message.toolArguments(call[1], call[2])
      return
    case "opaque":
      message.opaque(call[1], call[2], call[3])
      return
    case "close":
      message.close(call[1], call[2])
      return
    case "usage":
      message.usage(call[1])
      return
    case "responseId":
    case "responseModel":
    case "rawStopReason":
      message[call[0]](call[1])
      return
    case "done":
      message.done(call[1])
      return
    case "fail":
      message.fail(call[1], call[2])
      return
    case "abort":
      message.abort(call[1])
      return
    default:
      call satisfies never
  }
}

/** Whether a value that was read from somewhere is a call. */
export function isBuilderCall(value: unknown): value is BuilderCall {
  if (!Array.isArray(value)) return false
  const [verb, ...rest] = value
  return typeof verb === "string" && Object.hasOwn(TAKES, verb) && TAKES[verb as BuilderCall[0]](rest)
}

type Check = (rest: readonly unknown[]) => boolean

const takesKeyAndText: Check = ([key, value]) => isKey(key) && typeof value === "string"
const takesKeyAndRecord: Check = ([key, value]) => isKey(key) && isRecord(value)
const takesText: Check = ([value]) => typeof value === "string"

const TAKES: Readonly<Record<BuilderCall[0], Check>> = {
  start: () => true,
  text: takesKeyAndText,
  thinking: takesKeyAndText,
  signature: takesKeyAndText,
  redactedThinking: takesKeyAndText,
  toolInput: takesKeyAndText,
  toolCall: takesKeyAndRecord,
  toolArguments: takesKeyAndRecord,
  opaque: takesKeyAndText,
  close: ([key, final]) => isKey(key) && (final === undefined || isRecord(final)),
  usage: ([report]) => isRecord(report),
  responseId: takesText,
  responseModel: takesText,
  rawStopReason: takesText,
  done: ([reason]) => reason === "stop" || reason === "length" || reason === "toolUse",
  fail: ([failure, message]) =>
    isRecord(failure) &&
    typeof failure.code === "string" &&
    typeof failure.retryable === "boolean" &&
    typeof message === "string",
  abort: takesText,
}

function isKey(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Whether a value that was read from somewhere is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
