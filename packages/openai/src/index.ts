/**
 * OpenAI's wires as StreamFns. See the package's README.
 *
 * @packageDocumentation
 */
export { type OpenAICompletionsConfig, openaiCompletions } from "./completions/adapter.ts"
export type {
  OpenAICompletionsCompat,
  ReasoningReplay,
  ThinkingFormat,
} from "./completions/compat.ts"
