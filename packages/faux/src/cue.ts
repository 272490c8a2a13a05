/**
 * Finds the reply to a request.
 *
 * A mistake in a script must not break the StreamFn's contract, so it becomes a reply of its own: one that
 * fails and says what is wrong. A list is checked when the script is made, where a throw helps more.
 */
import { errorText } from "./error-text.ts"
import type { FauxRequest } from "./faux.ts"
import { isPromiseLike } from "./is-promise-like.ts"
import { fail, partsOf, type Reply, type ReplyFn, type ReplyPart, type Script } from "./script.ts"

type ScriptedError = Extract<ReplyPart, { type: "fail" }>

/** A checked script. */
export type Cues = ReplyFn | readonly (readonly ReplyPart[] | ReplyFn)[]

/** @throws TypeError when the script is neither a function nor a list of replies and functions. */
export function checkScript(script: Script): Cues {
  if (typeof script === "function") return script
  if (!Array.isArray(script)) {
    throw new TypeError("A script is a list of replies or a function; put a single reply into a list")
  }
  return script.map((entry: Reply | ReplyFn, index) => {
    if (typeof entry === "function") return entry
    try {
      return partsOf(entry)
    } catch (error) {
      throw new TypeError(`Reply ${index + 1} of the script is none: ${errorText(error)}`)
    }
  })
}

/** @returns the parts to play; a promise of them, which never rejects, only where a function gives one. */
export function replyTo(
  cues: Cues,
  request: FauxRequest,
  callIndex: number,
): readonly ReplyPart[] | Promise<readonly ReplyPart[]> {
  const cue = typeof cues === "function" ? cues : cues[callIndex]
  if (cue === undefined) return [scriptEnded(callIndex, cues.length)]
  if (typeof cue !== "function") return cue
  try {
    const reply = cue(request.context, request.options, callIndex)
    if (!isPromiseLike(reply)) return partsOf(reply)
    return Promise.resolve(reply)
      .then((late) => wellFormedParts(late))
      .catch((error: unknown) => [scriptFailed(callIndex, error)])
  } catch (error) {
    return [scriptFailed(callIndex, error)]
  }
}

/** Something went wrong while a script was asked or played. */
export function scriptFailed(callIndex: number, error: unknown): ScriptedError {
  return fault(`The script failed at request ${callIndex + 1}: ${errorText(error)}`)
}

function scriptEnded(callIndex: number, total: number): ReplyPart {
  return fault(`The script has no reply for request ${callIndex + 1}: it has ${total}`)
}

function fault(message: string): ScriptedError {
  return fail({ code: "invalid_request", message })
}

/** By the time a promise resolves, its request has long been answered with a stream. */
function wellFormedParts(reply: Reply): readonly ReplyPart[] {
  const parts = partsOf(reply)
  if (parts.some((part) => part.type === "malformed")) {
    throw new TypeError("a reply with malformed() has to be returned at once, not in a promise")
  }
  return parts
}
