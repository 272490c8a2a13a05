/**
 * The scripted provider: a StreamFn that answers from a script.
 *
 * It is an adapter like those of real vendors, without a wire, and the shortest one to read: keep what was
 * asked, find out what to answer (`cue.ts`), play that onto a builder (`play.ts`), return its stream.
 */
import { AssistantMessageBuilder, type UsageReport } from "@heddle/stream"
import type { AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@heddle/types"
import { Audience } from "./audience.ts"
import { checkScript, replyTo, scriptFailed } from "./cue.ts"
import { type Malformation, misbehave } from "./malformed.ts"
import { checkPace, Pace, type PaceOptions } from "./pace.ts"
import { play } from "./play.ts"
import type { ReplyPart, Script } from "./script.ts"
import { unlessFired } from "./sleep.ts"
import { Snapshots } from "./snapshot.ts"
import { ToolCallIds } from "./tool-call-ids.ts"
import { usageReports } from "./usage-reports.ts"

/** How a script is played. */
export interface FauxOptions extends PaceOptions {
  /**
   * What every reply reports as its usage: the prompt's counters when it begins, all of them when it is
   * complete. Default: an estimate of four characters a token. A reply with a `usage()` part reports what that
   * says and nothing else.
   */
  readonly usage?: UsageReport | undefined
  /** The clock of message timestamps. Unix milliseconds, default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** One request as it came: frozen copies, which later changes of the caller's objects do not reach. */
export interface FauxRequest {
  readonly model: Model
  readonly context: Context
  /** Empty when there were none. Signals and functions are the caller's own. */
  readonly options: SimpleStreamOptions
}

/**
 * A StreamFn with a memory. It answers with a stream, not with a promise of one.
 *
 * It keeps the contract whatever the script does, but for replies that ask for `malformed()`.
 */
export interface FauxStreamFn {
  (model: Model, context: Context, options?: SimpleStreamOptions): AssistantMessageEventStream
  /** Every request so far, aborted and failed ones too, in the order they came. */
  readonly requests: readonly FauxRequest[]
  /** Replies that were not asked for yet. Always 0 when the script is a function. */
  readonly remaining: number
  /** @throws ScriptNotExhaustedError when replies remain. */
  assertExhausted(): void
}

/** Thrown by `assertExhausted()`: the run under test made fewer requests than its script has replies. */
export class ScriptNotExhaustedError extends Error {
  override readonly name = "ScriptNotExhaustedError"
  /** Stable across versions and realms; prefer it to `instanceof`. */
  readonly code = "SCRIPT_NOT_EXHAUSTED"

  /** @param asked How many of the `total` replies were asked for. */
  constructor(asked: number, total: number) {
    super(`The script has ${total} replies and was asked for ${asked}: reply ${asked + 1} was never played`)
  }
}

/**
 * Makes a StreamFn that plays a script.
 *
 * Request n gets reply n, also when it is aborted before it begins. A request beyond the script, a reply
 * function that throws and one that returns no reply end in an `error` event that says so, with the code
 * `invalid_request`.
 *
 * @param script A list is copied.
 * @throws TypeError when the script is no list of replies, RangeError when a number in `options` makes no
 *   sense: both here, never at a request.
 */
export function faux(script: Script, options: FauxOptions = {}): FauxStreamFn {
  checkPace(options)
  const cues = checkScript(script)
  const requests: FauxRequest[] = []
  const snapshots = new Snapshots()
  const ids = new ToolCallIds()
  if (typeof cues !== "function") for (const cue of cues) if (typeof cue !== "function") ids.reserve(cue)

  function answer(
    model: Model,
    context: Context,
    asked: SimpleStreamOptions = {},
  ): AssistantMessageEventStream {
    const request = snapshots.of({ model, context, options: asked })
    const callIndex = requests.push(request) - 1
    const reply = replyTo(cues, request, callIndex)

    const how = malformationsOf(reply)
    if (how.length === 0) return perform(asked.signal)
    return misbehave(how, () => perform(how.includes("ignores-abort") ? undefined : asked.signal))

    function perform(signal: AbortSignal | undefined): AssistantMessageEventStream {
      const message = new AssistantMessageBuilder(model, { now: options.now })
      void fill(message, signal)
      return message.stream
    }

    async function fill(message: AssistantMessageBuilder, signal: AbortSignal | undefined): Promise<void> {
      const audience = new Audience(message, signal)
      const { gone } = audience
      try {
        const parts = await unlessFired(reply, gone)
        if (!parts) return
        ids.reserve(parts)
        const usage = usageReports(parts, request.context, options.usage)
        await play(parts, { message, pace: new Pace(options), usage, gone, ids })
      } catch (error) {
        const { failure, message: errorMessage } = scriptFailed(callIndex, error)
        message.fail(failure, errorMessage)
      } finally {
        audience.dismiss()
      }
    }
  }

  return Object.defineProperties(answer as FauxStreamFn, {
    requests: { value: requests, enumerable: true },
    remaining: { get: () => remaining(), enumerable: true },
    assertExhausted: { value: assertExhausted },
  })

  function remaining(): number {
    return typeof cues === "function" ? 0 : Math.max(0, cues.length - requests.length)
  }

  function assertExhausted(): void {
    if (remaining() > 0) throw new ScriptNotExhaustedError(requests.length, cues.length)
  }
}

function malformationsOf(reply: readonly ReplyPart[] | Promise<unknown>): Malformation[] {
  if (reply instanceof Promise) return []
  return reply.flatMap((part) => (part.type === "malformed" ? [part.how] : []))
}
