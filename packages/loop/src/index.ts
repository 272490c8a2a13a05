/**
 * The agent loop as a function: prompt, model, tools, model, until there is nothing left to do.
 *
 * @packageDocumentation
 */
export { CannotContinueError, IncompleteConfigError, NoPromptsError } from "./errors.ts"
export { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue } from "./loop.ts"
