/** The recorded bodies once more, over real HTTP and through the real SDK. */
import type { AssistantMessage, Context, Model } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { openaiCompletions } from "../../src/index.ts"
import { useRecordingServer } from "../recording-server.ts"
import { CHAT, HAS_RECORDINGS, type Recording, WHERE } from "../recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"

const context: Context = { messages: [{ role: "user", content: "Hi", timestamp: 0 }] }

const streams = CHAT.all()
const errors = CHAT.errors()

const server = useRecordingServer(1021)

function play({ provider, bytes }: Recording, status = 200): Promise<AssistantMessage> {
  server.play(bytes, status)
  const model: Model = { ...modelOf(provider), baseUrl: server.baseUrl }
  return openaiCompletions({ apiKey: "sk-recorded" })(model, context, { maxRetries: 0 }).result()
}

/** Less what differs from run to run. */
function outline(message: AssistantMessage): unknown {
  const content = message.content.map((block) =>
    block.type === "toolCall" && /^(call_[0-9a-f]{24}|made-up-\d+)$/.test(block.id)
      ? { ...block, id: "made up" }
      : block,
  )
  return { ...message, content, timestamp: 0 }
}

describe.runIf(HAS_RECORDINGS)(`openaiCompletions, on ${WHERE},`, () => {
  test.each(streams)("makes of $name what its bytes alone say", async (recording) => {
    const { message } = await replayBytes(recording.provider, [recording.bytes])

    expect(outline(await play(recording))).toEqual(outline(message))
  })

  test.each(errors)("reports $name", async (recording) => {
    const body = new TextDecoder().decode(recording.bytes)

    const { stopReason, failure, errorMessage } = await play(recording, recording.status)

    expect(stopReason).toBe("error")
    expect(failure?.status).toBe(recording.status)
    expect(failure?.code).not.toBe("unknown")
    expect(JSON.stringify(JSON.parse(body))).toContain(JSON.stringify(errorMessage).slice(1, -1))
  })
})
