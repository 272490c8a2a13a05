import type { AgentEvent, AgentState } from "@heddle/types"
import type { InitialAgentState } from "./agent-options.ts"
import { reduceAgentState } from "./reduce.ts"

const SETTINGS = ["systemPrompt", "model", "thinkingLevel", "tools", "messages"] as const
const OPTIONAL = ["streamingMessage", "errorMessage"] as const

/** What may be assigned. */
type AgentSettings = Pick<AgentState, (typeof SETTINGS)[number]>

/** @returns the state of an agent that has done nothing yet: where `reduceAgentState` starts. */
export function createAgentState(initial: InitialAgentState = {}): AgentState {
  return {
    systemPrompt: initial.systemPrompt ?? "",
    model: initial.model,
    thinkingLevel: initial.thinkingLevel ?? "off",
    tools: copyOfList("tools", initial.tools ?? []),
    messages: copyOfList("messages", initial.messages ?? []),
    isStreaming: false,
    pendingToolCalls: new Set(),
  }
}

/**
 * The state of one agent: settings that anyone may assign, runtime fields that only events change.
 *
 * Each change makes a new state. {@link view} is the one object that shows the latest.
 */
export class StateHolder {
  /** What `agent.state` is: reads the latest state, and assigns settings. Can be spread and compared. */
  readonly view: AgentState
  #current: AgentState

  /** @param isStreaming A run counts as going on for longer than its events say. */
  constructor(initial: InitialAgentState | undefined, isStreaming: () => boolean) {
    this.#current = createAgentState(initial)
    const view = {}
    for (const key of SETTINGS) {
      const set = (value: AgentSettings[typeof key]) => this.set(key, value)
      show(view, key, () => this.#current[key], set)
    }
    show(view, "isStreaming", isStreaming)
    show(view, "pendingToolCalls", () => this.#current.pendingToolCalls)
    this.view = view as AgentState
  }

  get current(): AgentState {
    return this.#current
  }

  set<K extends keyof AgentSettings>(key: K, value: AgentSettings[K]): void {
    this.#current = { ...this.#current, [key]: copyOfList(key, value) }
  }

  /** Fields that are undefined keep what is there. */
  assign(settings: { readonly [K in keyof AgentSettings]?: AgentSettings[K] | undefined }): void {
    for (const key of SETTINGS) if (settings[key] !== undefined) this.set(key, settings[key])
  }

  apply(event: AgentEvent): void {
    this.#become(reduceAgentState(this.#current, event))
  }

  /** Clears what runs have left behind, and keeps the settings but the transcript. */
  reset(): void {
    this.#become(createAgentState({ ...this.#current, messages: [] }))
  }

  #become(state: AgentState): void {
    const before = this.#current
    this.#current = state
    // Absent fields are absent from the view too, so that it equals a state rebuilt from events.
    for (const key of OPTIONAL) {
      if ((state[key] === undefined) === (before[key] === undefined)) continue
      if (state[key] === undefined) Reflect.deleteProperty(this.view, key)
      else show(this.view, key, () => this.#current[key])
    }
  }
}

/** Own and enumerable, so that spreading the view gives a snapshot. */
function show(view: object, key: keyof AgentState, get: () => unknown, set?: (value: never) => void): void {
  Object.defineProperty(view, key, { get, set, enumerable: true, configurable: true } as PropertyDescriptor)
}

/** Lists are the agent's own, so that nobody writes into them by mistake. Other values pass. */
function copyOfList<T>(key: keyof AgentSettings, value: T): T {
  if (key !== "tools" && key !== "messages") return value
  if (!Array.isArray(value)) throw new TypeError(`agent.state.${key} must be an array`)
  return [...value] as T
}
