/**
 * The words a script is written in.
 *
 * A part says what the model does next; a reply is one part or several, played in order; a script is the
 * replies, one per request. Parts are plain frozen data, so a reply can be kept in a constant and used twice.
 *
 * This file does not play anything; see `play.ts`.
 */
import type { UsageReport } from "@heddle/stream"
import type { Context, SimpleStreamOptions, StreamFailure, StreamFailureCode } from "@heddle/types"
import { checkMalformation, type Malformation } from "./malformed.ts"

/** One thing the scripted model does. Made by the functions below. */
export type ReplyPart =
  | { readonly type: "say"; readonly text: string; readonly signature?: string }
  | {
      readonly type: "think"
      readonly text: string
      readonly signature?: string
      readonly redacted?: boolean
    }
  | {
      readonly type: "callTool"
      readonly name: string
      /** What is streamed: the arguments as JSON text. */
      readonly json: string
      readonly id?: string
      readonly signature?: string
    }
  | { readonly type: "opaque"; readonly kind: string; readonly data: unknown }
  | { readonly type: "usage"; readonly report: UsageReport }
  | { readonly type: "wait"; readonly for: number | PromiseLike<unknown> }
  | { readonly type: "malformed"; readonly how: Malformation }
  | { readonly type: "stop"; readonly reason: ScriptedStop; readonly rawStopReason?: string }
  | { readonly type: "fail"; readonly failure: StreamFailure; readonly message: string }
  | { readonly type: "hang" }
  | { readonly type: "cut" }

/** How a reply may end well. */
export type ScriptedStop = "stop" | "length" | "toolUse"

/**
 * What the model answers to one request. Lists may be nested, so that parts of replies can be named.
 *
 * A reply without an ending of its own ends with `stop`, or `toolUse` where it calls tools. What stands after
 * an ending ({@link stop}, {@link fail}, {@link hang}, {@link cut}) is never played.
 */
export type Reply = ReplyPart | readonly Reply[]

/**
 * Answers a request in the light of what it says.
 *
 * @param context A frozen copy of what the model is told.
 * @param options Those of the request; empty when there were none.
 * @param callIndex Counts the requests of this script, from 0.
 */
export type ReplyFn = (
  context: Context,
  options: SimpleStreamOptions,
  callIndex: number,
) => Reply | Promise<Reply>

/** The replies in the order of the requests, or one function that answers them all. */
export type Script = readonly (Reply | ReplyFn)[] | ReplyFn

/** What {@link fail} may say. */
export interface ScriptedFailure {
  readonly code: StreamFailureCode
  /** For people. Default: names the code. */
  readonly message?: string | undefined
  /** Default: true for the codes that usually are, such as `rate_limit` and `network`. */
  readonly retryable?: boolean | undefined
  /** HTTP status. */
  readonly status?: number | undefined
  /** Milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** The model writes a block of text. `signature` becomes its `textSignature`. */
export function say(text: string, extra: { readonly signature?: string | undefined } = {}): ReplyPart {
  return Object.freeze({ type: "say", text, ...signatureOf(extra) })
}

/**
 * The model thinks. `signature` becomes the block's `thinkingSignature`.
 *
 * With `redacted` the thought stays hidden: the block's text is empty, and its payload is the signature, or
 * the text where there is none.
 */
export function think(
  text: string,
  extra: { readonly signature?: string | undefined; readonly redacted?: boolean | undefined } = {},
): ReplyPart {
  return Object.freeze({
    type: "think",
    text,
    ...signatureOf(extra),
    ...(extra.redacted && { redacted: true }),
  })
}

/**
 * The model calls a tool.
 *
 * @param args An object, streamed as its JSON; or a string, streamed as it is: the way to script arguments
 *   that are cut off or no JSON at all.
 * @param extra `id`: default `call_1`, `call_2`, … through all replies of the script. `signature` becomes the
 *   call's `thoughtSignature`.
 * @throws TypeError when `args` has no JSON.
 */
export function callTool(
  name: string,
  args: object | string = {},
  extra: { readonly id?: string | undefined; readonly signature?: string | undefined } = {},
): ReplyPart {
  const json = typeof args === "string" ? args : JSON.stringify(args)
  if (json === undefined) throw new TypeError(`The arguments of the call to ${name} have no JSON`)
  return Object.freeze({
    type: "callTool",
    name,
    json,
    ...(extra.id !== undefined && { id: extra.id }),
    ...signatureOf(extra),
  })
}

/** The vendor sends a block of its own kind, such as the use of a server tool. */
export function opaque(kind: string, data: unknown): ReplyPart {
  return Object.freeze({ type: "opaque", kind, data })
}

/**
 * The vendor reports usage here. A reply that has such a part reports nothing else: neither the estimate nor
 * the `usage` option.
 */
export function usage(report: UsageReport): ReplyPart {
  return Object.freeze({ type: "usage", report: Object.freeze({ ...report }) })
}

/**
 * The model pauses: so many milliseconds, or until a promise of the test's settles.
 *
 * @throws RangeError for a number that is no length of time.
 */
export function wait(what: number | PromiseLike<unknown>): ReplyPart {
  if (typeof what === "number" && !(what >= 0 && what < Infinity)) {
    throw new RangeError(`wait() takes milliseconds or a promise, not ${what}`)
  }
  return Object.freeze({ type: "wait", for: what })
}

/**
 * Spoils the reply it stands in, wherever it stands there: the rest of the reply is what would have been
 * streamed. The only way to make this StreamFn break its contract; for tests of engines.
 *
 * @throws TypeError when there is no such way to be malformed.
 */
export function malformed(how: Malformation): ReplyPart {
  checkMalformation(how)
  return Object.freeze({ type: "malformed", how })
}

/**
 * Ends the reply with this stop reason.
 *
 * @param rawStopReason The vendor's own word for it. Default: none.
 */
export function stop(reason: ScriptedStop, rawStopReason?: string): ReplyPart {
  return Object.freeze({ type: "stop", reason, ...(rawStopReason !== undefined && { rawStopReason }) })
}

/**
 * The request fails here: what came before stays on the message. First in a reply, it is a request that fails
 * before its first byte: a lone `error`. The code `aborted` makes an aborted message.
 */
export function fail(scripted: ScriptedFailure): Extract<ReplyPart, { type: "fail" }> {
  const { code, status, retryAfterMs } = scripted
  return Object.freeze({
    type: "fail",
    failure: Object.freeze({
      code,
      retryable: scripted.retryable ?? USUALLY_RETRYABLE.has(code),
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }),
    message: scripted.message ?? `The script failed the request: ${code}`,
  })
}

/** Silence: nothing more comes until the request is aborted or its reader leaves. */
export function hang(): ReplyPart {
  return Object.freeze({ type: "hang" })
}

/**
 * The vendor's stream ends without its last event, like a dropped connection that looks like a proper end.
 *
 * The reader sees what `AssistantMessageEventStream` makes of it: an `error` whose `failure.code` is
 * `protocol`. For a stream that really has no terminal event, see `malformed("no-terminal")`.
 */
export function cut(): ReplyPart {
  return Object.freeze({ type: "cut" })
}

/**
 * @returns the parts of a reply in a single list.
 * @throws TypeError when it holds something else.
 */
export function partsOf(reply: Reply): readonly ReplyPart[] {
  if (Array.isArray(reply)) return reply.flatMap(partsOf)
  const type: unknown = (reply as ReplyPart | undefined)?.type
  if (typeof type !== "string" || !PART_TYPES.has(type)) {
    throw new TypeError("a reply is made of say(), think(), callTool() and their like, alone or in a list")
  }
  return [reply as ReplyPart]
}

const PART_TYPES: ReadonlySet<string> = new Set<ReplyPart["type"]>([
  "say",
  "think",
  "callTool",
  "opaque",
  "usage",
  "wait",
  "malformed",
  "stop",
  "fail",
  "hang",
  "cut",
])

const USUALLY_RETRYABLE: ReadonlySet<StreamFailureCode> = new Set([
  "rate_limit",
  "overloaded",
  "network",
  "timeout",
  "protocol",
  "server",
])

function signatureOf({ signature }: { readonly signature?: string | undefined }): { signature?: string } {
  return signature === undefined ? {} : { signature }
}
