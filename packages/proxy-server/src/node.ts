/**
 * The proxy as a listener of `node:http`.
 *
 * @packageDocumentation
 */
export { createProxyListener, type ProxyListener, toNodeListener } from "./node/listener.ts"
