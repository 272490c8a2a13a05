/**
 * Event streams, the builder of assistant messages, and what belongs to them.
 *
 * @packageDocumentation
 */
export {
  AssistantMessageBuilder,
  type AssistantMessageBuilderOptions,
  type BlockKey,
  type MessageIdentity,
  type UsageReport,
} from "./assistant-message-builder.ts"
export {
  AssistantMessageEventStream,
  type AssistantMessageEventStreamOptions,
  abortMessage,
  createAssistantMessageEventStream,
  emptyAssistantMessage,
  emptyUsage,
  type ModelIdentity,
} from "./assistant-message-stream.ts"
export { calculateCost } from "./cost.ts"
export {
  type BufferedAsyncIterator,
  EventStream,
  StreamAlreadyReadError,
  StreamEndedWithoutResultError,
} from "./event-stream.ts"
export { PartialJson, type PartialJsonResult, parseStreamingJson } from "./partial-json.ts"
export { applyProxyEvent, createProxyEncoder, toProxyEvent } from "./proxy-wire.ts"
export { routeByApi } from "./route.ts"
export { JsonSchemaUnavailableError, toJsonSchema } from "./to-json-schema.ts"
