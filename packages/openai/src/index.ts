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
export { type OpenAIResponsesConfig, openaiResponses } from "./responses/adapter.ts"
export type { OpenAIResponsesCompat } from "./responses/compat.ts"
