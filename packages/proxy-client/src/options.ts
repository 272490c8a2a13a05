import type { SimpleStreamOptions } from "@heddle/types"

/** Proves to the proxy who is asking: a token, or a function that is asked for one before each request. */
export type ProxyAuthToken = string | (() => string | Promise<string>)

/** Where the proxy is, and how it is talked to. */
export interface ProxyClientConfig {
  /** Root of the server, with or without a slash at the end. In browsers it may be relative, or empty. */
  readonly proxyUrl: string
  /** Sent as `Authorization: Bearer …`. */
  readonly authToken: ProxyAuthToken
  /** Where the server's handler is, below {@link proxyUrl}. Default `/api/stream`. */
  readonly path?: string | undefined
  /** Default: the global one. `StreamOptions.fetch` wins over it. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Added to every request to the proxy. They never reach a vendor. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long the server may be silent; its heartbeats count. Milliseconds, default 60 000; 0 means for ever. */
  readonly idleTimeoutMs?: number | undefined
  /** How often in a row a dropped connection is taken up again before the stream fails. Default 5. */
  readonly maxReconnects?: number | undefined
}

/**
 * Options of {@link streamProxy}: those of any StreamFn, and where the proxy is.
 *
 * `apiKey`, `headers` and whatever else is meant for the vendor stays here; `timeoutMs`, `fetch`, `onPayload`
 * and `onResponse` are about the request to the proxy.
 */
export type ProxyStreamOptions = SimpleStreamOptions & Omit<ProxyClientConfig, "headers">
