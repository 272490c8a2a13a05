/** The recorded bodies once more, over real HTTP and through the real SDK. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { AssistantMessage, Context } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openaiResponses } from "../../src/index.ts"
import { HAS_RECORDINGS, type Recording, recordings, WHERE } from "./recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"

const context: Context = { messages: [{ role: "user", content: "Hi", timestamp: 0 }] }

const errors = recordings(".json").flatMap((recording) => {
  const status = /\/error(\d+)--/.exec(recording.name)?.[1]
  return status ? [{ ...recording, status: Number(status) }] : []
})

let server: Server
let baseUrl = ""
/** What the server answers next. */
let next: { readonly status: number; readonly bytes: Uint8Array } = { status: 500, bytes: new Uint8Array() }

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { status, bytes } = next
      response.writeHead(status, {
        "content-type": status === 200 ? "text/event-stream" : "application/json",
      })
      for (let at = 0; at < bytes.length; at += 4099) response.write(bytes.subarray(at, at + 4099))
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function play({ provider, bytes }: Recording, status = 200): Promise<AssistantMessage> {
  next = { status, bytes }
  const streamFn = openaiResponses({ apiKey: "sk-recorded" })
  return streamFn(modelOf(provider, { baseUrl }), context, { maxRetries: 0 }).result()
}

describe.runIf(HAS_RECORDINGS)(`openaiResponses, on ${WHERE},`, () => {
  test.each(recordings())("makes of $name what its bytes alone say", async (recording) => {
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
