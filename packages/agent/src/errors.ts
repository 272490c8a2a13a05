/**
 * Thrown while a run is in progress: `Agent.prompt()` and `Agent.continue()` reject with it, `Agent.reset()`
 * throws it.
 *
 * Nothing was queued or cleared, and the run in progress is untouched.
 */
export class AgentBusyError extends Error {
  override readonly name = "AgentBusyError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "AGENT_BUSY"

  constructor(attempted: "prompt" | "continue" | "reset") {
    super(
      attempted === "prompt"
        ? "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion."
        : `Agent is already processing. Wait for completion before ${attempted === "continue" ? "continuing" : "resetting"}.`,
    )
  }
}

/** A run was asked for before the agent had a model. Nothing has started, and the queues are as they were. */
export class NoModelError extends Error {
  override readonly name = "NoModelError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "NO_MODEL"

  constructor() {
    super("No model to prompt. Pass initialState.model to the Agent, or assign agent.state.model.")
  }
}

/**
 * `Agent.prompt()`, `steer()` or `followUp()` was given something that is no message. Nothing has started, and
 * nothing was queued.
 */
export class InvalidMessageError extends Error {
  override readonly name = "InvalidMessageError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "INVALID_MESSAGE"

  /** @param given Told by its type only. */
  constructor(given: unknown) {
    const what =
      given === null ? "null" : typeof given === "object" ? "an object without a role" : typeof given
    super(`Not a message: ${what}. Pass a text, or an object with a role, such as a UserMessage.`)
  }
}

/** `new Agent()` was given no `streamFn`. */
export class NoStreamFnError extends Error {
  override readonly name = "NoStreamFnError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "NO_STREAM_FN"

  constructor() {
    super("No streamFn to reach a model with. Pass one to the Agent: new Agent({ streamFn }).")
  }
}

/**
 * `Agent.continue()` has nothing to answer: the transcript is empty, or the last word is the model's and both
 * queues are empty. Nothing has started.
 */
export class CannotContinueError extends Error {
  override readonly name = "CannotContinueError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "CANNOT_CONTINUE"

  /** @param tail The role of the last message; absent, there is none. */
  constructor(tail?: string) {
    super(tail === undefined ? "No messages to continue from" : `Cannot continue from message role: ${tail}`)
  }
}
