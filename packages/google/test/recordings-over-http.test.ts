/** The recorded bodies once more, over real HTTP and through the real SDK; and what was said, said back. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { AssistantMessage, Message, Model } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { googleGenerativeAi } from "../src/index.ts"
import { HAS_RECORDINGS, recordings, WHERE } from "./recordings.ts"
import { modelOf, replayBytes } from "./replay.ts"
import { problemsOf } from "./validate-request.ts"

const HI: Message = { role: "user", content: "Hi", timestamp: 0 }

const streams = recordings()
const errors = recordings(".json").map((recording) => ({
  ...recording,
  status: Number(/\/error(\d+)--/.exec(recording.name)?.[1]),
}))

/** The keys that recorded details quote. */
const QUOTED_KEY = /AIz[\w-]{10,}/

let server: Server
let model: Model
/** What the server answers next. */
let next: { readonly status: number; readonly bytes: Uint8Array } = { status: 500, bytes: new Uint8Array() }
// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
let received: any

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    received = JSON.parse(Buffer.concat(pieces).toString("utf8"))
    const { status, bytes } = next
    const type = status === 200 ? "text/event-stream" : "application/json; charset=UTF-8"
    response.writeHead(status, { "content-type": type })
    for (let at = 0; at < bytes.length; at += 1021) response.write(bytes.subarray(at, at + 1021))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  model = modelOf({ baseUrl, id: "gemini-3-flash-preview" })
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function play(messages: readonly Message[], bytes: Uint8Array, status = 200): Promise<AssistantMessage> {
  next = { status, bytes }
  return googleGenerativeAi({ apiKey: "AIza-recorded" })(model, { messages }, { maxRetries: 0 }).result()
}

/** Less what differs from run to run. */
function outline({ content, usage, stopReason, rawStopReason, failure, errorMessage }: AssistantMessage) {
  const blocks = content.map((block) =>
    block.type === "toolCall" && block.id.startsWith("local_") ? { ...block, id: "made up" } : block,
  )
  return { blocks, usage, stopReason, rawStopReason, failure, errorMessage }
}

describe.runIf(HAS_RECORDINGS)(`googleGenerativeAi, on ${WHERE},`, () => {
  test.each(streams)("makes of $name what its bytes alone say", async ({ bytes }) => {
    const { message } = await replayBytes(bytes)

    expect(outline(await play([HI], bytes))).toEqual(outline(message))
  })

  test.each(streams)("says back what came of $name, every signature in its place", async ({ bytes }) => {
    const answer = await play([HI], bytes)
    const results = answer.content.flatMap((block): Message[] => {
      if (block.type !== "toolCall") return []
      const content = [{ type: "text", text: "done" }] as const
      return [
        {
          role: "toolResult",
          toolCallId: block.id,
          toolName: block.name,
          content,
          isError: false,
          timestamp: 0,
        },
      ]
    })

    await play([HI, answer, ...results, { ...HI, content: "Go on" }], bytes)

    expect(problemsOf(received, model.id)).toEqual([])
    // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
    const said: any[] = received.contents.flatMap(({ role, parts }: any) => (role === "model" ? parts : []))
    if (answer.stopReason === "error") {
      expect(said).toEqual([])
      return
    }
    const signatures = said.map(({ thoughtSignature }) => thoughtSignature).filter(Boolean)
    const own = signatures.filter((signature) => signature !== "skip_thought_signature_validator")
    expect(own).toEqual(signaturesIn(new TextDecoder().decode(bytes)))
    expect(said.flatMap(({ functionCall }) => functionCall?.id ?? [])).toEqual(
      answer.content.flatMap((block) =>
        block.type === "toolCall" && !block.id.startsWith("local_") ? block.id : [],
      ),
    )
    expect(JSON.stringify(received)).not.toMatch(/local_|groundingMetadata/)
  })

  test.each(errors)("reports $name", async ({ bytes, status }) => {
    const body = JSON.parse(new TextDecoder().decode(bytes))

    const message = await play([HI], bytes, status)

    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: body.error.message,
      failure: {
        status,
        retryable: false,
        code: expect.stringMatching(/auth|context_overflow|invalid_request/),
      },
    })
    expect(JSON.stringify(message)).not.toMatch(QUOTED_KEY)
  })

  test.each([
    { part: "response_identity-auth_rejection", code: "auth" },
    { part: "streaming-failure-api-key", code: "auth" },
    { part: "handles_context_length_exceeded", code: "context_overflow" },
    { part: "streaming-failure-unknown-model", code: "invalid_request" },
    { part: "vertex-generatecontent/error400--firebase--streaming-failure-image", code: "invalid_request" },
  ])("knows what $part means", async ({ part, code }) => {
    const { bytes, status } = errors.find(({ name }) => name.includes(part))!

    expect((await play([HI], bytes, status)).failure?.code).toBe(code)
  })
})

function signaturesIn(body: string): string[] {
  return [...body.matchAll(/"thoughtSignature": ?"([^"]+)"/g)].map(([, signature]) => signature!)
}
