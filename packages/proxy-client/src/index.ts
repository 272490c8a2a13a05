/**
 * A StreamFn that asks a server of one's own, so that keys stay there.
 *
 * @packageDocumentation
 */
export type { ProxyAssistantMessageEvent } from "@heddle/types"
export { createProxyStreamFn, streamProxy } from "./client.ts"
export type { ProxyAuthToken, ProxyClientConfig, ProxyStreamOptions } from "./options.ts"
