/** The recorded bodies once more, over real HTTP and through the real SDK. */
import type { AssistantMessage, Context } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { openaiResponses } from "../../src/index.ts"
import { useRecordingServer } from "../recording-server.ts"
import { HAS_RECORDINGS, RESPONSES, type Recording, WHERE } from "../recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"

const context: Context = { messages: [{ role: "user", content: "Hi", timestamp: 0 }] }

const errors = RESPONSES.errors()

const server = useRecordingServer(4099)

function play({ provider, bytes }: Recording, status = 200): Promise<AssistantMessage> {
  server.play(bytes, status)
  const streamFn = openaiResponses({ apiKey: "sk-recorded" })
  return streamFn(modelOf(provider, { baseUrl: server.baseUrl }), context, { maxRetries: 0 }).result()
}

describe.runIf(HAS_RECORDINGS)(`openaiResponses, on ${WHERE},`, () => {
  test.each(RESPONSES.all())("makes of $name what its bytes alone say", async (recording) => {
    const { message } = await replayBytes(recording.provider, [recording.bytes])

    expect({ ...(await play(recording)), timestamp: 0 }).toEqual(message)
  })

  test.each([
    { name: "error400--pydai--multimodal", code: "invalid_request" },
    { name: "error401--rubyllm--context", code: "auth" },
    { name: "chatgpt-responses/error401", code: "auth" },
    { name: "error400--pydai--deepseek_responses_rejects", code: "invalid_request" },
    { name: "error400--rubyllm--error_handling_with_xai", code: "auth" },
  ])("takes $name for $code", async ({ name, code }) => {
    const recording = errors.find((each) => each.name.includes(name))!
    const body = new TextDecoder().decode(recording.bytes)

    const { stopReason, failure, errorMessage } = await play(recording, recording.status)

    expect(stopReason).toBe("error")
    expect(failure).toEqual({ code, retryable: false, status: recording.status })
    expect(JSON.stringify(JSON.parse(body))).toContain(JSON.stringify(errorMessage).slice(1, -1))
  })

  test("knows every error that was recorded", () => {
    expect(errors).toHaveLength(5)
  })
})
