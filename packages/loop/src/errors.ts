import type { AgentContext, AgentLoopConfig, AgentMessage, StreamFn } from "@heddle/types"

/** Thrown when a transcript gives the model nothing to answer. Nothing was started. */
export class CannotContinueError extends Error {
  override readonly name = "CannotContinueError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "CANNOT_CONTINUE"

  constructor(tail: AgentMessage | undefined) {
    super(
      tail === undefined
        ? "Cannot continue: no messages in context"
        : `Cannot continue from message role: ${tail.role}`,
    )
  }
}

/** Thrown when a run is started with an empty list of prompts. Nothing was started. */
export class NoPromptsError extends Error {
  override readonly name = "NoPromptsError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "NO_PROMPTS"

  constructor() {
    super(
      "Cannot run: the list of prompts is empty. To go on with the transcript as it is, continue instead.",
    )
  }
}

/** Thrown when a run has no model, or no way to reach it. Nothing was started. */
export class IncompleteConfigError extends Error {
  override readonly name = "IncompleteConfigError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "INCOMPLETE_CONFIG"

  constructor(missing: "streamFn" | "model") {
    super(
      missing === "streamFn"
        ? "Cannot run: no streamFn. Pass one as the last argument or as config.streamFn."
        : "Cannot run: config.model is missing.",
    )
  }
}

/**
 * @returns the StreamFn to use.
 * @throws {NoPromptsError} when there are prompts, and none in them.
 * @throws {CannotContinueError} when there are no prompts to give, and the transcript gives nothing to answer.
 * @throws {IncompleteConfigError}
 */
export function checkStart(
  prompts: readonly AgentMessage[] | undefined,
  context: AgentContext,
  config: AgentLoopConfig,
  streamFn: StreamFn | undefined,
): StreamFn {
  if (prompts) {
    if (prompts.length === 0) throw new NoPromptsError()
  } else {
    const tail = context.messages.at(-1)
    if (tail === undefined || tail.role === "assistant") throw new CannotContinueError(tail)
  }
  const chosen = streamFn ?? config.streamFn
  if (!chosen) throw new IncompleteConfigError("streamFn")
  if (!config.model) throw new IncompleteConfigError("model")
  return chosen
}

/**
 * @returns what a thrown value says, whatever it is: also an error of another realm, and one that cannot be
 * made a string.
 */
export function errorText(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message
    return typeof message === "string" ? message : String(error)
  } catch {
    return "an error without a message"
  }
}
