/**
 * A StreamFn that plays a scenario in the same process.
 *
 * It is what a wrapper is tested around (`connect: (scenario) => withRetry(playScenario(scenario))`), and what
 * the kit itself is tested with: whole, it passes every case; broken in one place, a case must say so.
 *
 * There is no wire, so replies that only a wire can have (statuses, bodies, bytes) become the failure that an
 * adapter would report.
 */
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessageEventStream, StreamFn } from "@heddle/types"
import { type Beat, toBeats } from "./beat.ts"
import { failureOf } from "./http-failure.ts"
import type { Reply, Scenario } from "./scenario.ts"

/** How a scenario is played. */
export interface PlayOptions {
  /** Told each call, before it is answered. */
  readonly onRequest?: (...request: Parameters<StreamFn>) => void
}

/** @returns a StreamFn that answers its first call with the first reply, and so on. */
export function playScenario(scenario: Scenario, options: PlayOptions = {}): StreamFn {
  let calls = 0
  return (...request): AssistantMessageEventStream => {
    const [model, , { signal } = {}] = request
    const builder = new AssistantMessageBuilder(model)
    if (signal?.aborted) {
      builder.abort(signal.reason)
      return builder.stream
    }
    options.onRequest?.(...request)
    const reply = scenario.replies[Math.min(calls++, scenario.replies.length - 1)] ?? scenario.replies[0]
    const onAbort = () => builder.abort(signal?.reason)
    signal?.addEventListener("abort", onAbort)
    void play(reply, builder).then(async () => {
      await builder.stream.result()
      signal?.removeEventListener("abort", onAbort)
    })
    return builder.stream
  }
}

async function play(reply: Reply, builder: AssistantMessageBuilder): Promise<void> {
  // Not before the caller has the stream: a reader that is there first sees what a network would show it.
  await Promise.resolve()
  switch (reply.type) {
    case "stream": {
      const beats = toBeats(reply.steps)
      for (const beat of beats) {
        playBeat(beat, builder)
        await Promise.resolve()
      }
      const stopped = beats.find(({ type }) => type === "stop")
      const halted = beats.some(({ type }) => type === "stall")
      if (stopped?.type === "stop" && stopped.reason !== "filter") builder.done(stopped.reason)
      else if (!halted) builder.fail({ code: "protocol", retryable: true }, "The reply ended in the middle")
      return
    }
    case "refuse":
      builder.fail(failureOf(reply), reply.says ?? `The server answered ${reply.status}`)
      return
    case "body":
      builder.fail({ code: "protocol", retryable: true }, "The reply is not of this wire")
      return
    case "cut":
    case "unreachable":
      builder.fail({ code: "network", retryable: true }, "The connection failed")
      return
    case "stall":
      return
  }
}

function playBeat(beat: Beat, builder: AssistantMessageBuilder): void {
  switch (beat.type) {
    case "open":
      open(beat.block, builder)
      return
    case "delta":
      if (beat.block.kind === "text") builder.text(beat.block.number, beat.delta)
      else if (beat.block.kind === "thinking") builder.thinking(beat.block.number, beat.delta)
      else builder.toolInput(beat.block.number, beat.delta)
      return
    case "signature":
      if (beat.block.kind === "redacted") builder.redactedThinking(beat.block.number, beat.signature)
      else builder.signature(beat.block.number, beat.signature)
      return
    case "close":
      builder.close(beat.block.number)
      return
    case "usage":
      builder.usage(beat.usage)
      return
    case "stop":
      if (beat.reason === "filter") {
        builder.fail({ code: "content_filter", retryable: false }, "The model refuses to answer")
      }
      return
    case "overloaded":
      builder.fail({ code: "overloaded", retryable: true }, "Overloaded")
      return
    case "cut":
      builder.fail({ code: "network", retryable: true }, "The connection dropped")
      return
    case "garbage":
      builder.fail({ code: "protocol", retryable: true }, "An event could not be read")
      return
    case "unknownEvent":
    case "stall":
      return
  }
}

function open(block: Extract<Beat, { type: "open" }>["block"], builder: AssistantMessageBuilder): void {
  if (block.kind === "text") builder.text(block.number, "")
  else if (block.kind === "thinking") builder.thinking(block.number, "")
  else if (block.kind === "opaque") builder.opaque(block.number, "server_tool", { done: true })
  else if (block.kind === "toolCall") {
    builder.toolCall(block.number, {
      ...(block.id !== undefined && { id: block.id }),
      ...(block.name !== undefined && { name: block.name }),
    })
  }
}
