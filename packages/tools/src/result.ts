/**
 * What a call came to, in the three shapes it takes: a tool's result, the outcome of a call, a message of the
 * transcript.
 *
 * Whatever a tool gives is copied into a clean shape first, so that a sloppy tool cannot crash an adapter and
 * a tool that keeps its objects cannot rewrite the transcript.
 */
import type { AgentToolCall, AgentToolResult, ToolResultMessage } from "@heddle/types"
import { isObject, isPlainObject } from "./plain-data.ts"

/** The end of one call. */
export interface Outcome {
  readonly result: AgentToolResult
  readonly isError: boolean
  /** The signal decided: the tool was not run, or not to its end. */
  readonly unfinished?: true
}

/** @returns a result with one piece of text for the model, and `details` for UIs and logs. */
export function textResult(text: string): AgentToolResult<undefined>
export function textResult<TDetails>(text: string, details: TDetails): AgentToolResult<TDetails>
export function textResult(text: string, details?: unknown): AgentToolResult {
  return { content: [{ type: "text", text }], details }
}

/**
 * @param details Default `{}`: typed `never`, so that it mixes with a tool's other results.
 * @returns a result that tells the model what went wrong. Throwing the message says the same.
 */
export function errorResult(message: string): AgentToolResult<never>
export function errorResult<TDetails>(message: string, details: TDetails): AgentToolResult<TDetails>
export function errorResult(message: string, details: unknown = {}): AgentToolResult {
  return { ...textResult(message, details), isError: true }
}

/** The outcome of a call that failed: said by the outcome, not repeated in its result. */
export function failure(message: string, details: unknown = {}): Outcome {
  return { result: textResult(message, details), isError: true }
}

/** The outcome of a call that the signal ended, or kept from starting. */
export function aborted(more = ""): Outcome {
  return { ...failure(`Tool call aborted${more}`), unfinished: true }
}

/** A result in its clean shape, whatever was given. Owned by us, down to its content blocks. */
export function normaliseResult(given: unknown): AgentToolResult {
  if (!isObject(given)) return { content: [], details: {} }
  const { content, details, isError, addedToolNames, terminate } = given
  return {
    content: normaliseContent(content),
    details: Array.isArray(details) ? [...details] : isPlainObject(details) ? { ...details } : details,
    ...(typeof isError === "boolean" && { isError }),
    ...(Array.isArray(addedToolNames) && {
      addedToolNames: addedToolNames.filter((name) => typeof name === "string"),
    }),
    ...(typeof terminate === "boolean" && { terminate }),
  }
}

export function normaliseContent(content: unknown): AgentToolResult["content"] {
  return Array.isArray(content) ? content.filter(isObject).map((block) => ({ ...block }) as never) : []
}

/** The call's answer, as it goes into the transcript. */
export function toResultMessage(
  toolCall: AgentToolCall,
  { result: { content, details, addedToolNames }, isError }: Outcome,
  timestamp: number,
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: toolCall.id,
    toolName: toolCall.name,
    content,
    ...(details !== undefined && { details }),
    ...(addedToolNames && { addedToolNames }),
    isError,
    timestamp,
  }
}

/** What a thrown value has to say, also when it is no `Error`. Never throws. */
export function messageOf(error: unknown): string {
  const message = typeof error === "object" ? read(error, "message") : error
  return typeof message === "string" && message !== "" ? message : "Unknown error"
}

/** Whether a thrown value says that its work was aborted. Never throws. */
export function isAbortError(error: unknown): boolean {
  return read(error, "name") === "AbortError"
}

/** Not everything that is thrown can be read: a getter or a proxy may throw in turn. */
function read(error: unknown, key: string): unknown {
  try {
    return (error as Record<string, unknown> | null | undefined)?.[key]
  } catch {
    return undefined
  }
}
