/**
 * What one run hands to the loop: the agent's options, live, and the settings of its state, turn by turn.
 *
 * The loop reads a field of its config when it needs it. So the config reads the agent: a copy would freeze
 * what the run started with, and a list of names would drop options of adapters that nobody here knows.
 */
import type {
  AgentLoopConfig,
  AgentLoopTurnUpdate,
  Model,
  PrepareNextTurnContext,
  ThinkingLevel,
} from "@heddle/types"
import type { AgentOptions } from "./agent-options.ts"
import type { StateHolder } from "./agent-state.ts"
import { isPromiseLike } from "./listeners.ts"

type Fields = Readonly<Record<PropertyKey, unknown>>

/** Where a run takes messages from. */
export type Polls = Required<Pick<AgentLoopConfig, "getSteeringMessages" | "getFollowUpMessages">>

/** @param level Of the first turn, as `model` is; later turns read the state. */
export function toRunConfig(
  agent: AgentOptions,
  state: StateHolder,
  model: Model,
  level: ThinkingLevel,
  polls: Polls,
): AgentLoopConfig {
  return liveConfig(agent as object as Fields, {
    ...polls,
    model,
    reasoning: level === "off" ? undefined : level,
    prepareNextTurn: (turn: PrepareNextTurnContext, signal?: AbortSignal) =>
      prepareNextTurn(agent, state, turn, signal),
    // Not the loop's, which would pass them on to the StreamFn.
    steeringMode: undefined,
    followUpMode: undefined,
    onObserverError: undefined,
    signal: undefined,
  })
}

/** @param fixed What the agent decides. These names win, and hide the option where they are undefined. */
function liveConfig(options: Fields, fixed: Fields & { readonly model: Model }): AgentLoopConfig {
  const read = (key: PropertyKey): unknown => (key in fixed ? fixed[key] : options[key])
  return new Proxy<AgentLoopConfig>(fixed, {
    get: (_, key) => read(key),
    ownKeys: () => Reflect.ownKeys({ ...options, ...fixed }),
    getOwnPropertyDescriptor: (_, key) => ({ value: read(key), enumerable: true, configurable: true }),
  })
}

/** Reads the settings for the next turn, after the user's hook, whose answer counts as assigned. */
function prepareNextTurn(
  agent: AgentOptions,
  state: StateHolder,
  turn: PrepareNextTurnContext,
  signal: AbortSignal | undefined,
): AgentLoopTurnUpdate | Promise<AgentLoopTurnUpdate | undefined> {
  const { systemPrompt, tools } = state.current
  const context = { ...turn.context, systemPrompt, tools }
  const answer = agent.prepareNextTurn?.({ ...turn, context }, signal)
  if (!isPromiseLike(answer)) return nextTurn(state, turn, answer)
  // A hook that answers after the abort was left behind, and changes nothing.
  return Promise.resolve(answer).then((update) =>
    signal?.aborted ? undefined : nextTurn(state, turn, update),
  )
}

function nextTurn(
  state: StateHolder,
  turn: PrepareNextTurnContext,
  update: AgentLoopTurnUpdate | undefined | void,
): AgentLoopTurnUpdate {
  const { context, model, thinkingLevel } = update ?? {}
  state.assign({ systemPrompt: context?.systemPrompt, tools: context?.tools, model, thinkingLevel })
  const now = state.current
  const messages = context?.messages ?? turn.context.messages
  return {
    context: { systemPrompt: now.systemPrompt, tools: now.tools, messages },
    model: now.model,
    thinkingLevel: now.thinkingLevel,
  }
}
