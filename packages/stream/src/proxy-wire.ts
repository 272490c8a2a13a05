/**
 * The two halves of the proxy wire.
 *
 * Neither does any input or output; framing, heartbeats and resuming are the proxy packages'.
 *
 * @packageDocumentation
 */
export { applyProxyEvent } from "./apply-proxy-event.ts"
export { createProxyEncoder, toProxyEvent } from "./to-proxy-event.ts"
