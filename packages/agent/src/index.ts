/**
 * The stateful agent: transcript, listeners, queues and abort around the loop.
 *
 * @packageDocumentation
 */
export { NoPromptsError } from "@heddle/loop"
export { Agent } from "./agent.ts"
export type { AgentOptions, InitialAgentState } from "./agent-options.ts"
export { createAgentState } from "./agent-state.ts"
export {
  AgentBusyError,
  CannotContinueError,
  InvalidMessageError,
  NoModelError,
  NoStreamFnError,
} from "./errors.ts"
export type { AgentListener } from "./listeners.ts"
export { reduceAgentState } from "./reduce.ts"
