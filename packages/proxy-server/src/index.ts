/**
 * The server behind `@heddle/proxy-client`: models for browsers, keys on the server.
 *
 * @packageDocumentation
 */
export { bearerToken } from "./bearer-token.ts"
export { createProxyHandler, type ProxyHandler } from "./handler.ts"
export type {
  Authorization,
  CallerIdentity,
  CorsOptions,
  ModelName,
  ProxyErrorContext,
  ProxyHandlerOptions,
  ProxyLimits,
  ProxyRefusal,
} from "./options.ts"
export { memoryResumeStore, type ResumeStore, type StreamSignal } from "./resume-store.ts"
