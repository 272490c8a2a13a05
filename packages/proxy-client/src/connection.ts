/** Sends requests to the proxy, each with a token of its own, and keeps that token out of what is told. */
import type { ProxyClientConfig } from "./options.ts"
import { messageOf, networkFailureOf, ProxyFailure } from "./proxy-failure.ts"

/** What is asked of the proxy. */
export interface ConnectionCall {
  readonly method: "POST" | "GET" | "DELETE"
  readonly body?: string
  /** Names a stream that is there already. */
  readonly streamId?: string
  readonly lastEventId?: string | undefined
}

/** See the head of this file. */
export interface Connection {
  /** @throws {ProxyFailure} when there is no token, no request that could be sent, or no connection. */
  send(call: ConnectionCall, signal: AbortSignal): Promise<Response>
  /** Takes the token out of what a server says: some quote the one they refuse. */
  conceal(message: string): string
}

/** Nothing is sent before the first request. */
export function openConnection(
  { proxyUrl, authToken, path = "/api/stream", headers: added }: ProxyClientConfig,
  fetch: typeof globalThis.fetch,
): Connection {
  let token = ""

  async function head(): Promise<Headers> {
    try {
      token = typeof authToken === "function" ? await authToken() : authToken
    } catch (error) {
      throw new ProxyFailure("auth", `There is no token for the proxy: ${messageOf(error)}`)
    }
    try {
      const headers = new Headers(added)
      headers.set("authorization", `Bearer ${token}`)
      headers.set("heddle-protocol", "1")
      return headers
    } catch {
      throw new ProxyFailure(
        "invalid_request",
        "The token or a header has characters that no header may have",
      )
    }
  }

  return {
    async send({ method, body = null, streamId, lastEventId }, signal) {
      const headers = await head()
      if (body) headers.set("content-type", "application/json")
      if (lastEventId) headers.set("last-event-id", lastEventId)
      signal.throwIfAborted()
      const url = proxyUrl.replace(/\/$/, "") + path + (streamId ? `/${encodeURIComponent(streamId)}` : "")
      try {
        // A goodbye may outlive the page that sends it.
        return await fetch(url, { method, headers, body, signal, keepalive: method === "DELETE" })
      } catch (error) {
        throw networkFailureOf(error)
      }
    },
    conceal: (message) => (token ? message.replaceAll(token, "…") : message),
  }
}
