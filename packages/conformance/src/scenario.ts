/**
 * What the model does in a case, in no vendor's words.
 *
 * A scenario is a list of replies, one per request. A reply is a list of steps: what the model says and what
 * happens to the connection on the way. A harness serves it over whatever the tested StreamFn speaks: a fault
 * server with a vendor's wire, the proxy, or a builder in the same process.
 *
 * Everything here is plain data; a scenario can be printed, stored and sent.
 */

/** A call as the model writes it. */
export interface ScriptedCall {
  readonly id: string
  readonly name: string
  /** A JSON object, or the text the model writes instead of one: cut, malformed, not JSON at all. */
  readonly arguments: Readonly<Record<string, unknown>> | string
}

/** Tokens, in counters that do not overlap: what the message's usage must say. */
export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
}

/** One thing that happens while a reply streams. */
export type Step =
  | {
      readonly type: "say"
      readonly text: string
      /** How many deltas. Default 1. */
      readonly pieces?: number
      /** The block never ends: what follows is a fault. */
      readonly open?: boolean
    }
  | {
      readonly type: "think"
      readonly text: string
      readonly pieces?: number
      readonly signature?: string
      /** The text is empty and the payload is the signature. */
      readonly redacted?: boolean
      readonly open?: boolean
    }
  | {
      readonly type: "callTools"
      readonly calls: readonly ScriptedCall[]
      /** How many deltas the arguments of each call come in. Default 1. */
      readonly pieces?: number
      /** The deltas of the calls alternate. Default: one call after the other. */
      readonly interleaved?: boolean
      readonly open?: boolean
    }
  /** A block of the vendor's own kind, such as a server tool. */
  | { readonly type: "opaque" }
  | { readonly type: "usage"; readonly usage: ScriptedUsage }
  /** Why the model stopped; `filter` is the vendor's content filter. What follows may only be usage. */
  | { readonly type: "stop"; readonly reason: "stop" | "length" | "toolUse" | "filter" }
  /** The vendor reports inside the stream that it is overloaded, and ends it. */
  | { readonly type: "overloaded" }
  /** An event, and fields, from a future version of the wire. */
  | { readonly type: "unknownEvent" }
  /** An event whose payload cannot be read. */
  | { readonly type: "garbage" }
  /** Nothing more comes, and the connection stays open. */
  | { readonly type: "stall" }
  /** The connection dies. */
  | { readonly type: "cut" }

/** What one request is answered with. */
export type Reply =
  | {
      readonly type: "stream"
      /** Without a `stop` the reply ends in the middle. */
      readonly steps: readonly Step[]
      /** How many bytes travel together. Default: as many as there are. */
      readonly bytesPerWrite?: number
      /** `duplicated`: every event comes twice. `reordered`: neighbours change places. */
      readonly events?: "duplicated" | "reordered"
    }
  /** An HTTP error with the vendor's error body. */
  | {
      readonly type: "refuse"
      readonly status: number
      /** What the vendor says in its body, for people. */
      readonly says?: string
      /** As the vendor's retry header. Milliseconds. */
      readonly retryAfterMs?: number
    }
  /** A body of something else: a gateway's page, nothing at all. */
  | { readonly type: "body"; readonly status: number; readonly contentType: string; readonly body: string }
  /** The request is taken and never answered. */
  | { readonly type: "stall" }
  /** The connection dies before the response begins. */
  | { readonly type: "cut" }
  /** Nobody listens. */
  | { readonly type: "unreachable" }

/** What the other side does. */
export interface Scenario {
  /** In the order of the requests; the last one answers all that follow. Never empty. */
  readonly replies: readonly [Reply, ...Reply[]]
}

/** @returns a scenario of one streamed reply. */
export function streams(...steps: Step[]): Scenario {
  return { replies: [{ type: "stream", steps }] }
}

/** The model writes text. */
export function say(text: string, how: { pieces?: number; open?: boolean } = {}): Step {
  return { type: "say", text, ...how }
}

/** The model thinks aloud. */
export function think(
  text: string,
  how: { pieces?: number; signature?: string; redacted?: boolean; open?: boolean } = {},
): Step {
  return { type: "think", text, ...how }
}

/** The model calls one tool. */
export function callTool(call: ScriptedCall, how: { pieces?: number; open?: boolean } = {}): Step {
  return { type: "callTools", calls: [call], ...how }
}

/** The model calls several tools at once. */
export function callTools(
  calls: readonly ScriptedCall[],
  how: { pieces?: number; interleaved?: boolean; open?: boolean } = {},
): Step {
  return { type: "callTools", calls, ...how }
}

/** The model stops. */
export function stop(reason: "stop" | "length" | "toolUse" | "filter" = "stop"): Step {
  return { type: "stop", reason }
}

/** The vendor counts. */
export function usage(counts: ScriptedUsage): Step {
  return { type: "usage", usage: counts }
}

/** The connection stays open and silent. */
export function stall(): Step {
  return { type: "stall" }
}

/** The connection dies. */
export function cut(): Step {
  return { type: "cut" }
}
