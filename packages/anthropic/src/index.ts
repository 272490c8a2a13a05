/**
 * Anthropic's Messages wire as a StreamFn. See the package's README.
 *
 * @packageDocumentation
 */
export { type AnthropicMessagesConfig, anthropicMessages } from "./adapter.ts"
export type { AnthropicMessagesCompat } from "./compat.ts"
