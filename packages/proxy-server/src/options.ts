import type { Model, StreamFn } from "@heddle/types"
import type { ResumeStore } from "./resume-store.ts"

/** What a client may say about the model it asks for. Everything else about it is the server's. */
export interface ModelName {
  readonly provider: string
  readonly id: string
}

/**
 * Who is asking. Streams belong to the identity that opened them; two identities are the same when they are the
 * same string, or the same JSON. An object must not have a `status`: that is a {@link ProxyRefusal}.
 */
export type CallerIdentity = string | { readonly [claim: string]: unknown }

/** Why a caller is turned away: it is not known (401), or may not do this (403). */
export interface ProxyRefusal {
  readonly status: 401 | 403
  /** Told to the client. */
  readonly message?: string | undefined
}

/** What `authorize` decides. Nothing, or a falsy value, is a refusal with 401; a response is sent as it is. */
export type Authorization = CallerIdentity | ProxyRefusal | Response | null | undefined | false

/** Which pages of other origins may use the proxy. */
export interface CorsOptions {
  /** An origin such as `https://app.example`, a list of them, a predicate, or `"*"` for all. */
  readonly origin: string | readonly string[] | ((origin: string) => boolean)
  /** Request headers that pages may send beside those of the proxy. */
  readonly headers?: readonly string[] | undefined
  /** Allows cookies. Not together with `origin: "*"`. Default false. */
  readonly credentials?: boolean | undefined
  /** How long browsers may remember the answer to a preflight. Seconds, default 600. */
  readonly maxAgeSeconds?: number | undefined
}

/** What one client, and all of them together, may take. */
export interface ProxyLimits {
  /** Size of one request's body, 413 beyond. Bytes, default 32 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** How long a body may take to arrive, 408 beyond. Milliseconds, default 60 000. */
  readonly bodyTimeoutMs?: number | undefined
  /** Size of all bodies that are being read, 503 beyond. Bytes, default 256 MiB. */
  readonly maxPendingBodyBytes?: number | undefined
  /** Answers that are running and bodies that are being read, 503 beyond. Default 10 000. */
  readonly maxStreams?: number | undefined
  /** Caps what a client asks for. Default: what the model can do. */
  readonly maxTokens?: number | undefined
  /** Caps how long a client lets the upstream wait between tries. Milliseconds, default 60 000. */
  readonly maxRetryDelayMs?: number | undefined
  /** How much of an answer may wait for its reader before the upstream has to. Characters, default 64 Ki. */
  readonly maxBufferedChars?: number | undefined
  /** How much of what was sent is kept for a client that comes back. Characters, default 256 Ki. */
  readonly maxReplayChars?: number | undefined
  /** How long a reader may take nothing of what is there before it counts as gone. Milliseconds, default 60 000. */
  readonly readTimeoutMs?: number | undefined
}

/** Where an error happened. */
export interface ProxyErrorContext {
  /** `upstream`: an answer failed, or its StreamFn threw; the others name the hook that threw. */
  readonly where: "authorize" | "resolveModel" | "upstream" | "store" | "handler"
  readonly identity?: CallerIdentity | undefined
  readonly model?: ModelName | undefined
}

/** What {@link createProxyHandler} needs, and what it may be told. */
export interface ProxyHandlerOptions {
  /** Looks a model up on the server's list. Undefined: the client gets 404. */
  readonly resolveModel: (
    named: ModelName,
    identity: CallerIdentity,
  ) => Model | undefined | null | Promise<Model | undefined | null>
  /** Answers; has the keys. */
  readonly streamFn: StreamFn
  /** Decides about every request, before its body is read. See {@link bearerToken} for a simple one. */
  readonly authorize: (request: Request) => Authorization | Promise<Authorization>
  readonly limits?: ProxyLimits | undefined
  /** How often an idle connection is kept alive with a comment. Milliseconds, default 15 000; 0 means never. */
  readonly heartbeatMs?: number | undefined
  /**
   * Keeps streams for clients whose connection dropped. Default: this process's memory; false: they are not kept,
   * and a disconnect ends the upstream.
   */
  readonly store?: ResumeStore | false | null | undefined
  /** How long a stream waits for its client to come back. Milliseconds, default 10 000. */
  readonly resumeGraceMs?: number | undefined
  /** Default: pages of other origins may not. */
  readonly cors?: CorsOptions | undefined
  /** Where the handler is. Default `/api/stream`; a stream that is running is at `{path}/{id}`. */
  readonly path?: string | undefined
  /**
   * Given to the StreamFn as `options.fetch`, with response bodies that wait while a client is behind: so the
   * vendor's connection slows down, too. It wins over a `fetch` that an adapter was configured with. Default: adapters
   * use their own, and what a client has not read yet waits in memory.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Told what clients are not: the errors behind refusals with 500, and failures of the upstream with their whole
   * message. What it throws is ignored.
   */
  readonly onError?: ((error: unknown, context: ProxyErrorContext) => void) | undefined
}
