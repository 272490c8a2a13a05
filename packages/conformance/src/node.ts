/**
 * The fault server, and the wires it speaks. Needs Node.js.
 *
 * @packageDocumentation
 */
export { type FaultServer, type FaultServerOptions, startFaultServer } from "./node/fault-server.ts"
export { type FaultEndpoint, overHttp } from "./node/over-http.ts"
export { type RefusalBody, sse, type Wire } from "./wire.ts"
export { anthropicWire } from "./wires/anthropic.ts"
export { eventStreamMessage } from "./wires/aws-event-stream.ts"
export { bedrockWire } from "./wires/bedrock.ts"
export { geminiWire } from "./wires/gemini.ts"
export { openAiChatWire } from "./wires/openai-chat.ts"
export { openAiResponsesWire } from "./wires/openai-responses.ts"
export { proxyWire } from "./wires/proxy.ts"
