/**
 * Amazon Bedrock as a StreamFn. See the package's README.
 *
 * @packageDocumentation
 */
export { type BedrockConverseConfig, bedrockConverse, type ConverseClient } from "./adapter.ts"
export type { BedrockConverseCompat, ThinkingFormat } from "./compat.ts"
