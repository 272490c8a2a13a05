/** The recorded bodies once more, over real HTTP and through the real SDK. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { AssistantMessage, Context } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bedrockConverse } from "../src/index.ts"
import { HAS_RECORDINGS, type Recording, recordings, WHERE } from "./recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"

const context: Context = { messages: [{ role: "user", content: "Hi", timestamp: 0 }] }

const streams = recordings()
const refusals = recordings(".json").flatMap((recording) => {
  const status = /^error(\d+)--/.exec(recording.name)?.[1]
  return status ? [{ ...recording, status: Number(status) }] : []
})

/** As AWS names them in the header beside each of the recorded bodies. */
const REFUSALS: Readonly<Record<number, { readonly type: string; readonly code: string }>> = {
  400: { type: "ValidationException", code: "invalid_request" },
  403: { type: "UnrecognizedClientException", code: "auth" },
  404: { type: "ResourceNotFoundException", code: "invalid_request" },
}

let server: Server
let baseUrl = ""
/** What the server answers next. */
let next: { readonly status: number; readonly bytes: Uint8Array } = { status: 500, bytes: new Uint8Array() }

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { status, bytes } = next
      response.writeHead(status, {
        "content-type": status === 200 ? "application/vnd.amazon.eventstream" : "application/json",
        "x-amzn-requestid": "request-1",
        ...(status !== 200 && { "x-amzn-errortype": REFUSALS[status]?.type ?? "" }),
      })
      for (let at = 0; at < bytes.length; at += 1021) response.write(bytes.subarray(at, at + 1021))
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const streamFn = bedrockConverse({ apiKey: "recorded-key", region: "us-east-1" })

function play({ bytes }: Recording, status = 200): Promise<AssistantMessage> {
  next = { status, bytes }
  return streamFn(modelOf({ baseUrl }), context, { maxRetries: 0 }).result()
}

describe.runIf(HAS_RECORDINGS)(`bedrockConverse, on ${WHERE},`, () => {
  test.each(streams)("makes of $name what its bytes alone say", async (recording) => {
    const { message } = await replayBytes([recording.bytes])

    expect({ ...(await play(recording)), timestamp: 0 }).toEqual(message)
  })

  test.each(refusals)("reports $name", async (recording) => {
    const { message: says } = JSON.parse(new TextDecoder().decode(recording.bytes))
    const { status } = recording

    expect(await play(recording, status)).toMatchObject({
      stopReason: "error",
      errorMessage: says,
      failure: { code: REFUSALS[status]?.code, retryable: false, status },
    })
  })
})
