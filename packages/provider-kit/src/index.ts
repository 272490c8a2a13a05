/**
 * What all provider adapters share. See the package's README.
 *
 * @packageDocumentation
 */
export { adaptHistory, type HistoryRules, IMAGE_OMITTED, isSameModel } from "./adapt-history.ts"
export type {
  AdapterCall,
  AdapterConfig,
  AdapterDefinition,
  AdapterStreamFn,
  ResponseHead,
} from "./adapter-definition.ts"
export {
  type ClassifiedFailure,
  classifyError,
  classifyFailure,
  toStreamFailureError,
} from "./classify-failure.ts"
export { defineAdapter } from "./define-adapter.ts"
export { envKey } from "./env-key.ts"
export { type FailureFacts, toFailureFacts } from "./failure-facts.ts"
export type { FailureRule } from "./failure-rules.ts"
export { findVendor, hostOf } from "./find-vendor.ts"
export { clampMaxTokens, estimateTokens } from "./max-tokens.ts"
export { mergeCompat } from "./merge-compat.ts"
export { NOT_EXECUTED, pairToolResults } from "./pair-tool-results.ts"
export { type ByteStream, type ReadSseOptions, readSse } from "./read-sse.ts"
export { type ReasoningLevel, type ResolvedReasoning, resolveReasoning, thinkingBudget } from "./reasoning.ts"
export { redact } from "./redact.ts"
export { hasCredentials, mergeHeaders, type RequestHeaders } from "./request-headers.ts"
export { type HeadersLike, header, headerRecord } from "./response-headers.ts"
export { type RetryLimits, retryAfterOf, retryDelay } from "./retry.ts"
export { protocolError, StreamFailureError } from "./stream-failure-error.ts"
export { createToolCallIdRewriter, type ToolCallIdRules } from "./tool-call-id.ts"
export { IMAGES_FOLLOW, IMAGES_OF_TOOLS, joinTexts, NO_OUTPUT } from "./tool-result-texts.ts"
export { toWellFormed, toWellFormedText } from "./well-formed-text.ts"
export { countOf, isWireObject, objectOf, objectsOf, parseObject, textOf, type WireObject } from "./wire.ts"
