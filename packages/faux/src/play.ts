/**
 * Plays one reply onto a message builder: part of the script in, builder calls out.
 *
 * This is all an adapter is. Blocks, indices, partial JSON, snapshots and the terminal event are the
 * builder's; who still listens is the audience's; when the next piece is due is the pace's.
 */
import type { AssistantMessageBuilder } from "@heddle/stream"
import type { StreamFailure } from "@heddle/types"
import { breathe } from "./breathe.ts"
import type { Pace } from "./pace.ts"
import type { ReplyPart } from "./script.ts"
import { fired, unlessFired } from "./sleep.ts"
import type { ToolCallIds } from "./tool-call-ids.ts"
import type { UsageReports } from "./usage-reports.ts"

/** What a performance needs besides the reply. */
export interface Performance {
  readonly message: AssistantMessageBuilder
  readonly pace: Pace
  readonly usage: UsageReports
  /** Fires when nobody wants the message any more. */
  readonly gone: AbortSignal
  readonly ids: ToolCallIds
}

/** Settles when the message has ended. Rejects with what a promise of {@link wait} rejected with. */
export async function play(reply: readonly ReplyPart[], performance: Performance): Promise<void> {
  const { message, pace, usage, gone, ids } = performance
  for (const [key, part] of reply.entries()) {
    if (tellsSomething(part)) message.usage(usage.first)
    await breathe()
    if (message.ended) return
    switch (part.type) {
      case "say":
        message.text(key, "")
        for await (const piece of pace.pieces(part.text, gone)) message.text(key, piece)
        if (part.signature !== undefined) message.signature(key, part.signature)
        message.close(key)
        break
      case "think":
        if (part.redacted) {
          message.redactedThinking(key, part.signature ?? part.text)
          await breathe()
        } else {
          message.thinking(key, "")
          for await (const piece of pace.pieces(part.text, gone)) message.thinking(key, piece)
          if (part.signature !== undefined) message.signature(key, part.signature)
        }
        message.close(key)
        break
      case "callTool":
        message.toolCall(key, { id: part.id ?? ids.next(), name: part.name })
        for await (const piece of pace.pieces(part.json, gone)) message.toolInput(key, piece)
        if (part.signature !== undefined) message.signature(key, part.signature)
        message.close(key)
        break
      case "opaque":
        message.opaque(key, part.kind, part.data)
        await breathe()
        message.close(key)
        break
      case "usage":
        message.usage(part.report)
        break
      case "wait":
        if (typeof part.for === "number") await pace.wait(part.for, gone)
        else await unlessFired(part.for, gone)
        break
      case "malformed":
        break // The reader's side of the stream; see `malformed.ts`.
      case "stop":
        if (part.rawStopReason !== undefined) message.rawStopReason(part.rawStopReason)
        message.usage(usage.last)
        message.done(part.reason)
        return
      case "fail":
        if (part.failure.code === "aborted") message.abort(part.message)
        else message.fail(part.failure, part.message)
        return
      case "hang":
        await fired(gone)
        return
      case "cut":
        message.fail(BROKEN_OFF, "The stream ended without a done or error event")
        return
      default:
        part satisfies never
    }
  }
  message.usage(usage.first)
  await breathe()
  message.usage(usage.last)
  message.done("stop")
}

/** The message begins with the first part that tells something of it: silence and failure do not. */
function tellsSomething({ type }: ReplyPart): boolean {
  return type !== "wait" && type !== "malformed" && type !== "fail" && type !== "hang" && type !== "cut"
}

/** What `AssistantMessageEventStream.end()` makes of a stream that has no terminal event. */
const BROKEN_OFF: StreamFailure = { code: "protocol", retryable: true }
