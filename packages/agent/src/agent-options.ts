import type { AgentEvent, AgentLoopConfig, AgentState, QueueMode, StreamFn } from "@heddle/types"

/** What {@link AgentOptions} does not take from the loop's config: the agent itself sees to it. */
type AgentOwned = "model" | "reasoning" | "signal" | "getSteeringMessages" | "getFollowUpMessages"

type Writable<T> = { -readonly [K in keyof T]?: T[K] | undefined }

/** What an agent starts with. Arrays are copied. */
export interface InitialAgentState {
  /** Default "". */
  readonly systemPrompt?: string | undefined
  /** Default: none; prompting without one is an error. */
  readonly model?: AgentState["model"]
  /** Default `"off"`. */
  readonly thinkingLevel?: AgentState["thinkingLevel"] | undefined
  /** Default: none. */
  readonly tools?: AgentState["tools"] | undefined
  /** Default: none. */
  readonly messages?: AgentState["messages"] | undefined
}

/**
 * Options of an `Agent`, and its public writable fields: whatever the loop's config takes, except what the
 * agent keeps itself. Each is read at each use, so an assignment during a run holds from the next use on.
 * `undefined` counts as absent.
 *
 * Fields that are not named here are request options of some adapter, and pass on to the `streamFn`.
 */
export interface AgentOptions extends Writable<Omit<AgentLoopConfig, AgentOwned>> {
  /** For the constructor only; afterwards it is `agent.state`. */
  initialState?: InitialAgentState | undefined
  /** How the model is reached. */
  streamFn: StreamFn
  /** How many steering messages one turn takes up. Default `"one-at-a-time"`. */
  steeringMode?: QueueMode | undefined
  /** How many follow-up messages go together. Default `"one-at-a-time"`. */
  followUpMode?: QueueMode | undefined
  /**
   * Told what an `observe()` listener threw or rejected with. Cannot fail the run itself. Default: the global
   * `reportError`, where there is none `console.error`.
   */
  onObserverError?: ((error: unknown, event: AgentEvent) => void | Promise<void>) | undefined
}
